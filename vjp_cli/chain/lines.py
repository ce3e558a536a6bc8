"""The steps of a user's function: what each line of it hands on to the others."""

import ast
import contextlib
import linecache
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

from vjp_cli.chain.graph import Edge, edge_of, edges_behind
from vjp_cli.errors import shorten
from vjp_cli.frames import is_users
from vjp_cli.lazy import torch
from vjp_cli.program import Observer
from vjp_cli.replacing import replaced
from vjp_cli.tracing.positions import flatten


@dataclass(frozen=True)
class Lines:
    """A statement of a file: its lines, its text, and the one name that it gives a value to."""

    file: str
    first: int
    last: int
    text: str = ""
    name: str = ""

    @property
    def where(self) -> str:
        """``model.py line 12``."""
        return f"{Path(self.file).name} line {self.first}"

    @property
    def source(self) -> str:
        """``model.py line 12: h = torch.tanh(x @ w)``."""
        return f"{self.where}: {self.text}" if self.text else self.where


@dataclass(frozen=True)
class Made:
    """What one line hands on.

    Attributes:
        name: the variable that it becomes, as far as that is plain.
        source: what makes it, for people.
        lines: where it was made.
        value: a copy.
    """

    name: str
    source: str
    lines: Lines
    edge: Edge
    value: "torch.Tensor"


@dataclass(eq=False)
class _Execution:
    """One execution of a statement."""

    lines: Lines
    instruction: int = 0


class LineRecorder(Observer):
    """Notes which line of the user's code makes which part of torch's graph."""

    def __init__(self) -> None:
        self._outermost: FrameType | None = None
        self._latest: dict[FrameType, _Execution] = {}
        self._of: dict[Any, _Execution] = {}
        self._values: dict[Edge, torch.Tensor] = {}
        self._calls: dict[Edge, str] = {}

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Watch the calls of torch; those of a custom Function are seen by its ``apply``."""
        self._outermost = sys._getframe(2)
        between = torch.autograd.function._SingleLevelFunction
        with replaced(between, "apply", _watched(self)), _mode(self):
            yield
        self._latest.clear()

    def note(self, made: Any, call: str) -> None:
        """Tensors that a call of torch has just made or written."""
        for tensor in flatten(made):
            if isinstance(tensor, torch.Tensor) and tensor.grad_fn is not None:
                edge = edge_of(tensor)
                if edge not in self._values:
                    self._belongs(edge[0], self._execution())
                    self._values[edge] = tensor.detach().clone()
                    self._calls[edge] = call

    def steps(self, output: "torch.Tensor") -> list[Made]:
        """What one line makes and another uses, in the order in which it was made; y last.

        Of a function of one line it is what each call of torch makes.
        """
        end = edge_of(output)
        self._belongs(end[0], _Execution(Lines("", 0, 0)))
        self._values.setdefault(end, output.detach().clone())
        behind = edges_behind(end)
        wanted = {end}
        for node in {edge[0]: None for edge in behind}:
            for edge in node.next_functions:
                if edge in self._values and self._of[edge[0]] is not self._of.get(node):
                    wanted.add(edge)
        calls = [edge for edge in self._values if edge in behind]
        if len(wanted) == 1 and len(calls) > 1:
            return [self._call(edge) for edge in calls]
        owners = [self._of[edge[0]] for edge in wanted]
        found = []
        for edge in (each for each in self._values if each in wanted):
            owner = self._of[edge[0]]
            # of several values from one line it is not plain which the name is
            name = owner.lines.name if owners.count(owner) == 1 and edge != end else ""
            found.append(Made(name, owner.lines.source, owner.lines, edge, self._values[edge]))
        return found

    def _call(self, edge: Edge) -> Made:
        """A step of its own for what one call of torch makes."""
        lines = self._of[edge[0]].lines
        source = f"{lines.where}: {self._calls.get(edge, '')}".removesuffix(": ")
        return Made("", source, lines, edge, self._values[edge])

    def _belongs(self, node: Any, execution: _Execution) -> None:
        """This part of the graph, as far as it is new, comes from here."""
        waiting = [node]
        while waiting:
            node = waiting.pop()
            if node is not None and node not in self._of and node.next_functions:
                self._of[node] = execution
                waiting += [other for other, _ in node.next_functions]

    def _execution(self) -> _Execution:
        """The execution of the innermost line of the user's that is running."""
        frame = next(user_frames(self._outermost), None)
        if frame is None:
            return _Execution(Lines("", 0, 0))
        lines = statement(frame.f_code.co_filename, frame.f_lineno)
        latest = self._latest.get(frame)
        # further along in the bytecode of the same statement; a loop comes back to its start
        if latest and latest.lines == lines and frame.f_lasti > latest.instruction:
            latest.instruction = frame.f_lasti
            return latest
        self._latest[frame] = _Execution(lines, frame.f_lasti)
        return self._latest[frame]


def user_frames(outermost: FrameType | None) -> Iterator[FrameType]:
    """The frames of the user's code below one of ours, the innermost first."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame is not outermost:
        if is_users(frame.f_code.co_filename):
            yield frame
        frame = frame.f_back


def statement(file: str, line: int) -> Lines:
    """The smallest statement that has this line."""
    found = [lines for lines in _statements(file) if lines.first <= line <= lines.last]
    return min(found, key=lambda x: x.last - x.first, default=Lines(file, line, line))


@cache
def _statements(file: str) -> tuple[Lines, ...]:
    text = "".join(linecache.getlines(file))
    try:
        tree = ast.parse(text, file)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    found = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr)):
            target = node.targets[0] if isinstance(node, ast.Assign) else None
            name = target.id if isinstance(target, ast.Name) else ""
            if isinstance(node, (ast.AugAssign, ast.AnnAssign)):
                name = node.target.id if isinstance(node.target, ast.Name) else ""
            shown = shorten(ast.unparse(node), 60)
            found.append(Lines(file, node.lineno, node.end_lineno or node.lineno, shown, name))
    return tuple(found)


def _mode(recorder: LineRecorder) -> Any:
    class Mode(torch.overrides.TorchFunctionMode):
        def __torch_function__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            result = function(*args, **(kwargs or {}))
            # a write, as in out[0] = x, returns nothing
            call = getattr(function, "__name__", "")
            recorder.note(args[:1] if result is None else result, call)
            return result

    return Mode()


def _watched(recorder: LineRecorder) -> Any:
    between = torch.autograd.function._SingleLevelFunction

    def apply(function: Any, *args: Any, **kwargs: Any) -> Any:
        result = super(between, function).apply(*args, **kwargs)
        recorder.note(result, function.__name__)
        return result

    return classmethod(apply)
