"""Work done elsewhere, its results in the order of the items, with few of them under way."""

import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

# how long the reader may go on after nobody asks for results any more
_PATIENCE = 0.2


def in_order(items: Iterator[T], submit: Callable[[T], "Future[R]"], most: int) -> Iterator[R]:
    """The result of each item, in the order of the items.

    Items are read in a thread of their own, so that one that is late holds back no result of those
    before it; and not further ahead than ``most``, so that an endless source needs little memory.
    What reading or ``submit`` raises is raised where its result would have come.

    Args:
        items: read one after another.
        submit: starts the work on an item.
        most: how many items may be under way.
    """
    under_way: queue.Queue[Future[R] | None] = queue.Queue(most)
    stopped = threading.Event()

    def put(future: "Future[R] | None") -> None:
        while not stopped.is_set():
            with suppress(queue.Full):
                under_way.put(future, timeout=_PATIENCE)
                return

    def feed() -> None:
        try:
            for item in items:
                put(submit(item))
                if stopped.is_set():
                    return
            put(None)
        except Exception as error:
            failed: Future[R] = Future()
            failed.set_exception(error)
            put(failed)

    # whatever it waits for, the program ends without it
    threading.Thread(target=feed, daemon=True).start()
    try:
        while (future := under_way.get()) is not None:
            yield future.result()
    finally:
        stopped.set()
