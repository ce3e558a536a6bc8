"""Work done elsewhere, its results in the order of the items, with few of them under way."""

import queue
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")

# how long the reader may go on after nobody asks for items any more
_PATIENCE = 0.2


def in_order(
    items: Iterator[T], start: Callable[[T], Callable[[], R]], most: int
) -> Generator[R, None, None]:
    """The result of each item, in the order of the items.

    Items are read in a thread of their own, so that one that is late holds back no result of those
    before it; and not further ahead than ``most``, so that an endless source needs little memory.
    What reading or ``start`` raises is raised where its result would have come.

    Args:
        items: read one after another.
        start: starts the work on an item, and gives what waits for its result.
        most: how many items may be under way.
    """
    ahead = _Ahead(map(start, items), most)
    try:
        while (found := ahead.next()) is not None:
            yield found.item()
    finally:
        ahead.stop()


def gathered(items: Iterator[T], most: int) -> Generator[list[T], None, None]:
    """The items in lists of at most ``most``: as many as are there, and at least one."""
    ahead = _Ahead(items, most)
    try:
        found = ahead.next()
        while found is not None:
            chunk = [found.item]
            while len(chunk) < most and not ahead.empty and (found := ahead.next()) is not None:
                chunk.append(found.item)
            yield chunk
            found = found and ahead.next()
    finally:
        ahead.stop()


@dataclass(frozen=True)
class _Found(Generic[T]):
    item: T


class _Ahead(Generic[T]):
    """Items that are read in a thread, at most ``most`` ahead of whoever takes them."""

    def __init__(self, items: Iterator[T], most: int) -> None:
        self._items = items
        self._read: queue.Queue[_Found[T] | Exception | None] = queue.Queue(most)
        self._stopped = threading.Event()
        # whatever it waits for, the program ends without it
        threading.Thread(target=self._feed, daemon=True).start()

    @property
    def empty(self) -> bool:
        """Whether the next one is not there yet."""
        return self._read.empty()

    def next(self) -> _Found[T] | None:
        """The next item, waited for; None after the last one.

        Raises:
            Exception: what reading it raised.
        """
        found = self._read.get()
        if isinstance(found, Exception):
            raise found
        return found

    def stop(self) -> None:
        """Read no more than the item that is being waited for."""
        self._stopped.set()

    def _feed(self) -> None:
        try:
            for item in self._items:
                self._put(_Found(item))
                if self._stopped.is_set():
                    return
            self._put(None)
        except Exception as error:
            self._put(error)

    def _put(self, found: _Found[T] | Exception | None) -> None:
        while not self._stopped.is_set():
            with suppress(queue.Full):
                self._read.put(found, timeout=_PATIENCE)
                return
