"""What each backward returns, before torch looks at it: how many, of which shape and dtype."""

from collections.abc import Iterator
from typing import Any

from vjp_cli.checks.context import Context
from vjp_cli.checks.graphs import graph_of, numbers_like, words_of
from vjp_cli.derivatives.custom import Call, watching
from vjp_cli.frames import ENDINGS
from vjp_cli.lazy import torch
from vjp_cli.report import CheckResult, Verdict, worst

NAME = "what the backward returns"
Fault = tuple[Verdict, str]


def check(context: Context) -> CheckResult:
    """Compare every gradient with the argument that it belongs to."""
    raised = ""
    with watching(context.side.functions) as watch:
        graph = graph_of(context)
        try:
            graph.vjp(numbers_like(graph.output, context.seed))
        except (Exception, *ENDINGS) as error:
            raised = words_of(error)
    faults = [fault for call in watch.calls for fault in _faults(call)]
    if faults:
        reason = "; ".join(dict.fromkeys(words for _, words in faults))
        return CheckResult(NAME, worst([verdict for verdict, _ in faults]), reason=reason)
    if raised:
        reason = f"{_raising(watch.calls)} raises: {raised}"
        return CheckResult(NAME, Verdict.MISSING, reason=reason)
    return CheckResult(NAME, Verdict.OK, sum(map(_compared, watch.calls)))


def _raising(calls: list[Call]) -> str:
    """The backward that did not return."""
    for call in calls:
        if any(pull.results is None for pull in call.pulls):
            return f"{call.function.__name__}.backward"
    return "the backward pass"


def _compared(call: Call) -> int:
    return sum(len(pull.results or ()) for pull in call.pulls)


def _faults(call: Call) -> Iterator[Fault]:
    who = f"{call.function.__name__}.backward"
    for pull in call.pulls:
        if pull.results is None:
            continue
        given, expected = len(pull.results), len(call.arguments)
        # torch lets trailing Nones pass
        extra = any(result is not None for result in pull.results[expected:])
        if given < expected or extra:
            words = (
                f"{who} returns {_gradients(given)}, forward takes {_inputs(expected)} beside ctx: "
                "return one for each, None for what is no tensor"
            )
            yield Verdict.MISSING, words
            continue
        for k, (argument, result) in enumerate(zip(call.arguments, pull.results, strict=False)):
            yield from _fault(call, k, argument, result)


def _gradients(number: int) -> str:
    return f"{number} gradient{'' if number == 1 else 's'}"


def _inputs(number: int) -> str:
    return f"{number} input{'' if number == 1 else 's'}"


def _fault(call: Call, k: int, argument: Any, result: Any) -> Iterator[Fault]:
    """What is wrong with one gradient."""
    who = f"{call.function.__name__}.backward returns"
    if not isinstance(argument, torch.Tensor):
        if result is not None:
            yield (
                Verdict.MISSING,
                f"{who} a gradient for input {k}, which is no tensor: return None",
            )
        return
    if not call.needed[k]:
        return
    if result is None:
        if _matters(call, k):
            yield Verdict.MISSING, f"{who} None for input {k}, on which the output depends"
    elif not isinstance(result, torch.Tensor):
        what = type(result).__name__
        yield Verdict.MISSING, f"{who} a {what} for input {k}: return a tensor"
    elif not _fits(tuple(result.shape), tuple(argument.shape)):
        words = (
            f"{who} the shape {_shape(result)} for input {k}, which has {_shape(argument)}: "
            "sum over the axes that forward broadcasts, expand those that it sums"
        )
        yield Verdict.MISSING, words
    elif _coarser(result, (argument, *call.outputs)):
        words = (
            f"{who} {_dtype(result)} for input {k}, which is {_dtype(argument)}: "
            "torch casts it, the digits are lost"
        )
        yield Verdict.IMPRECISE, words


def _fits(shape: tuple[int, ...], expected: tuple[int, ...]) -> bool:
    """Whether torch takes the gradient: it sums over axes that broadcasting would add."""
    if len(shape) < len(expected):
        return False
    own = shape[len(shape) - len(expected) :]
    return all(want in (have, 1) for have, want in zip(own, expected, strict=True))


def _coarser(result: "torch.Tensor", others: tuple[Any, ...]) -> bool:
    """Whether a gradient has fewer digits than the input and every output."""
    if not (result.is_floating_point() or result.is_complex()):
        return False
    tensors = [value for value in others if isinstance(value, torch.Tensor)]
    known = [x for x in tensors if x.is_floating_point() or x.is_complex()]
    return all(torch.finfo(result.dtype).eps > torch.finfo(x.dtype).eps for x in known)


def _matters(call: Call, k: int) -> bool:
    """Whether the Function's output moves with this argument, to both sides and not alike."""
    x = call.arguments[k].detach()
    step = torch.finfo(x.dtype).eps ** 0.5 * (1 + x.abs())
    apply: Any = call.function.apply  # type: ignore[attr-defined]
    with torch.no_grad():
        try:
            trials = [_apply(apply, call, k, x + shift) for shift in (0 * step, step, -step)]
        except (Exception, *ENDINGS):
            return False
    return any(
        isinstance(here, torch.Tensor)
        and bool(((ahead != here) & (back != here) & (ahead != back)).any())
        for here, ahead, back in zip(*trials, strict=True)
    )


def _apply(apply: Any, call: Call, k: int, value: "torch.Tensor") -> tuple[Any, ...]:
    clones = [x.detach().clone() if isinstance(x, torch.Tensor) else x for x in call.arguments]
    clones[k] = value
    result = apply(*clones)
    return result if isinstance(result, tuple) else (result,)


def _shape(tensor: "torch.Tensor") -> str:
    return "x".join(map(str, tensor.shape)) or "scalar"


def _dtype(tensor: "torch.Tensor") -> str:
    return str(tensor.dtype).removeprefix("torch.")
