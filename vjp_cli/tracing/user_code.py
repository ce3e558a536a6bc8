"""Ordinary torch code on tracers: what has to be replaced while a user's function is traced.

Most calls of torch reach a tracer by themselves. What does not is replaced: the ``apply`` of custom
Functions, ``torch.func``, ``isinstance``. A mode sees the calls that no tracer takes part in:
factories, whose tensors become exact constants, and masks that decide a branch.
"""

import contextlib
import sys
from collections.abc import Iterator
from types import FrameType, FunctionType, ModuleType
from typing import Any

from vjp_cli.frames import is_users, line_here, line_of
from vjp_cli.lazy import torch
from vjp_cli.ops.catalog import ROWS
from vjp_cli.ops.table import Kind
from vjp_cli.replacing import replaced
from vjp_cli.tracing import leaving, memory, rules, tracer
from vjp_cli.tracing.answers import answer
from vjp_cli.tracing.constants import lift
from vjp_cli.tracing.custom import applied
from vjp_cli.tracing.cuts import cut
from vjp_cli.tracing.functional import is_instance, replacements
from vjp_cli.tracing.positions import flatten
from vjp_cli.tracing.registry import row, torch_function
from vjp_cli.tracing.tape import Tape
from vjp_cli.tracing.tracer import Tracer, Untraceable

# moves whose result never shows the memory of an argument
_COPIES = frozenset(
    {"clone", "cat", "stack", "flip", "roll", "gather", "index_select", "masked_select", "repeat"}
    | {"take", "tile", "tril", "triu", "where", "double", "float", "half", "bfloat16", "to"}
)
# tests that hold on both sides of any point where they hold, or say that there is no number
_OF_NO_BRANCH = frozenset({"isnan", "isinf", "isfinite", "isposinf", "isneginf"})


@contextlib.contextmanager
def tracing(tape: Tape) -> Iterator[None]:
    """Replace what does not reach a tracer by itself; everything is put back at the end.

    Raises:
        Untraceable: with the line of the user's code.
    """
    calls = _Calls(tape, sys._getframe(2))
    tape.repeats_draws = True
    with contextlib.ExitStack() as stack:
        between = torch.autograd.function._SingleLevelFunction
        stack.enter_context(replaced(between, "apply", applied()))
        for module, name, value in replacements(tape):
            stack.enter_context(replaced(module, name, value))
        for module in _users():
            if "isinstance" not in module.__dict__:
                stack.enter_context(replaced(module, "isinstance", is_instance))
        stack.enter_context(calls.traced())
        stack.enter_context(calls.mode)
        try:
            yield
        except Untraceable as error:
            error.line = error.line or line_of(error)
            raise


def _users() -> list[ModuleType]:
    """The modules of the user's own among those that are loaded."""
    found = []
    for name in sys.modules.keys() - _OF_OTHERS:
        module = sys.modules[name]
        file = module.__dict__.get("__file__") if isinstance(module, ModuleType) else None
        if isinstance(file, str) and is_users(file) and "site-packages" not in file:
            found.append(module)
        else:
            _OF_OTHERS.add(name)
    return found


# names of modules that are not the user's: there are thousands, and traces are many
_OF_OTHERS: set[str] = set()


class _Calls:
    """The calls of torch that a user's function makes."""

    def __init__(self, tape: Tape, outermost: FrameType) -> None:
        self.tape = tape
        self.outermost = outermost
        # how many calls deep we are in a rule of ours, which wants real tensors
        self.depth = 0
        self.mode = _mode(self)

    @contextlib.contextmanager
    def traced(self) -> Iterator[None]:
        """Trace calls by ``dispatch``, and know the user's line."""
        tracer.use_rules(self.dispatch)
        self.tape.line = lambda: line_here(self.outermost)
        try:
            yield
        finally:
            tracer.use_rules(rules.dispatch)

    def dispatch(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Trace one call in which a tracer takes part."""
        found = row(function)
        if found is None:
            if answer(function) is None and _is_python_of_torch(function):
                return self._followed(function, args, kwargs)
            # torch has put the mode aside, and what answers is made of further calls
            with self.mode:
                return rules.dispatch(function, args, kwargs)
        self.depth += 1
        try:
            result = rules.dispatch(function, args, kwargs)
        finally:
            self.depth -= 1
        op, before = found[0], _tracers((args, list(kwargs.values())))
        if op.kind is Kind.MOVE and op.name not in _COPIES:
            # a view, or what may be one
            memory.join([*before, *_tracers(result)])
        if self.depth == 0:
            self._without_grad(before, _tracers(result))
            if op.name not in _OF_NO_BRANCH and any(part.node.active for part in before):
                mark(result)
        return result

    def _without_grad(self, before: list[Tracer], made: list[Tracer]) -> None:
        """Under ``no_grad`` the program keeps no graph of what was made."""
        if torch.is_grad_enabled() or self.tape.unbroken:
            return
        for part in made:
            if not any(part is other for other in before):
                part.node = cut(self.tape, part, "no_grad cuts the graph").node

    def _followed(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Go into a function that torch has written in Python."""
        with contextlib.ExitStack() as stack:
            for name in _ASKING:
                if name in function.__globals__:
                    stack.enter_context(_first_time(function.__globals__, name))
            stack.enter_context(self.mode)
            return function(*args, **kwargs)


_ASKING = ("has_torch_function", "has_torch_function_unary", "has_torch_function_variadic")


def _is_python_of_torch(function: Any) -> bool:
    module = getattr(function, "__module__", None) or ""
    return isinstance(function, FunctionType) and module.partition(".")[0] == "torch"


@contextlib.contextmanager
def _first_time(names: dict[str, Any], name: str) -> Iterator[None]:
    """Let a function of torch believe once that its arguments are plain tensors."""
    original = names[name]

    def once(*args: Any) -> bool:
        names[name] = original
        return False

    names[name] = once
    try:
        yield
    finally:
        names[name] = original


def _tracers(values: Any) -> list[Tracer]:
    return [value for value in flatten(values) if isinstance(value, Tracer)]


def mark(result: Any) -> None:
    """Remember of masks and indices that they were decided by numbers of the inputs."""
    for part in flatten(result):
        if isinstance(part, torch.Tensor):
            part._vjp_decided = True  # type: ignore[attr-defined]


def _is_marked(values: Any) -> bool:
    return any(getattr(value, "_vjp_decided", False) for value in flatten(values))


def _mode(calls: _Calls) -> Any:
    """A mode that makes factories exact, and sees masks and indices become Python's."""
    made = {torch_function(op) for op in ROWS if op.kind is Kind.CONSTANT}
    made |= {torch.rand, torch.randn, torch.rand_like, torch.randn_like, torch.clone}
    made.add(torch.Tensor.clone)
    empty = {torch.empty, torch.empty_like, torch.Tensor.new_empty}
    copying = {torch.tensor, torch.as_tensor}
    leaves = {getattr(torch.Tensor, name) for name in _LEAVING}

    class Mode(torch.overrides.TorchFunctionMode):
        def __torch_function__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            if function in copying and _tracers(args) and not calls.depth:
                # they would take a tracer in a list for a sequence
                return calls.dispatch(function, args, kwargs or {})
            result = function(*args, **(kwargs or {}))
            if calls.depth:
                return result
            if function in empty and isinstance(result, torch.Tensor):
                return lift(calls.tape, result.zero_())
            if function in made:
                result = lift(calls.tape, result)
            if _is_marked((args, kwargs)):
                if function in leaves:
                    leaving.branched(calls.tape)
                mark(result)
            return result

    return Mode()


_LEAVING = ("__bool__", "__int__", "__float__", "__index__", "item", "tolist")
