"""What a long computation is doing: its stages say so, and whoever listens shows it.

Nobody listens but the command line, on a terminal. To everything else a stage costs nothing.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Stage:
    """What is being done.

    Attributes:
        words: for people.
        done: how many of ``total`` are done; a total of 0 is not counted.
    """

    words: str
    done: int = 0
    total: int = 0


Listener = Callable[[Stage], None]
_listener: ContextVar[Listener | None] = ContextVar("_listener", default=None)


@contextmanager
def listening(listener: Listener | None) -> Iterator[None]:
    """While this is entered, ``listener`` is told of each stage; None hears nothing."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def stage(words: str) -> None:
    """A stage begins."""
    listener = _listener.get()
    if listener is not None:
        listener(Stage(words))


def counted(items: Iterable[T], total: int, words: str) -> Iterable[T]:
    """The ``total`` items; how many of them are done is told where somebody listens."""
    listener = _listener.get()
    return items if listener is None else _told(items, total, words, listener)


def _told(items: Iterable[T], total: int, words: str, listener: Listener) -> Iterator[T]:
    for done, item in enumerate(items):
        listener(Stage(words, done, total))
        yield item
