"""Results that are kept for whoever asks the same again; the oldest make room for new ones."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """The results of the ``most`` questions that were asked last.

    What was asked is told by a key, so that nothing else of the question is kept.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._found: OrderedDict[Hashable, T] = OrderedDict()

    def get(
        self, key: Hashable | None, make: Callable[[], T], lasts: Callable[[T], bool] | None = None
    ) -> T:
        """The result for ``key``, made if it is not there.

        With the key None it is not kept, nor if it does not last.
        """
        if key is None:
            return make()
        if key in self._found:
            self._found.move_to_end(key)
            return self._found[key]
        result = make()
        if lasts is None or lasts(result):
            self._found[key] = result
            if len(self._found) > self._most:
                self._found.popitem(last=False)
        return result
