"""Which tracers may show the same memory, so that no write is lost.

A tracer is written by giving it another node; a view of it would not see that. Instead of following
the memory, whatever may share it with the one that was written cannot be used any more. Views that
nobody holds are no obstacle: ``out[i] = out[i - 1] * x[i]`` reads a view that is gone at the write.
"""

from typing import Any
from weakref import ref


class Memory:
    """The tracers that may share one piece of memory; it keeps none of them alive."""

    def __init__(self) -> None:
        self._members: list[ref[Any]] = []
        self._checked = 0

    def members(self) -> list[Any]:
        """Those that still exist."""
        found = [member for each in self._members if (member := each()) is not None]
        self._members = [ref(member) for member in found]
        self._checked = len(found)
        return found

    def add(self, tracer: Any) -> None:
        """One more that shows this memory."""
        if len(self._members) > 2 * self._checked + 8:
            self.members()
        tracer.memory = self
        self._members.append(ref(tracer))


def join(tracers: list[Any]) -> None:
    """From now on these, and all that share memory with one of them, share one memory."""
    memories = {id(t.memory): t.memory for t in tracers if t.memory is not None}
    common, *others = memories.values() or (Memory(),)
    for memory in others:
        for member in memory.members():
            common.add(member)
    for tracer in tracers:
        if tracer.memory is not common:
            common.add(tracer)


def others(tracer: Any) -> list[Any]:
    """Those that may share memory with this one."""
    if tracer.memory is None:
        return []
    return [member for member in tracer.memory.members() if member is not tracer]
