"""v as the derivative of a loss, and the gradient of that loss taken in one go."""

from dataclasses import dataclass, replace

from vjp_cli.checks.context import Context
from vjp_cli.checks.judgement import Judgement
from vjp_cli.checks.judging import Beside, context_of, judged
from vjp_cli.checks.two_ways import TwoWays
from vjp_cli.derivatives.evaluation import TorchSide
from vjp_cli.derivatives.seeding import gradients
from vjp_cli.errors import EvaluationError, InputError, shorten
from vjp_cli.exact.description import symbolic_of
from vjp_cli.expression import Expression
from vjp_cli.lazy import torch
from vjp_cli.numbers.dtypes import format_of
from vjp_cli.program import Program
from vjp_cli.report import CheckResult, Loss, Verdict
from vjp_cli.settings import Settings
from vjp_cli.weights.naming import renamed

ONE_GO = "vjp against the gradient of the loss in one go"


def loss_cotangent(loss: Expression, output: "torch.Tensor", settings: Settings) -> "torch.Tensor":
    """∂loss/∂y by torch, in the shape of y.

    Raises:
        InputError: y or the loss is no number to differentiate, or the loss has several elements.
        EvaluationError: torch refused an operation of the loss, or has no path back to y.
    """
    if not (output.is_floating_point() or output.is_complex()):
        raise InputError(f"a loss needs a y to differentiate by, and y is {output.dtype}")
    y = output.detach().clone().requires_grad_()
    try:
        value = _program(loss, settings)({loss.names[0]: y})
    except EvaluationError as error:
        raise EvaluationError(f"the loss: {error.message}", error.hint, error.place) from error
    if value.numel() != 1:
        shape = "x".join(map(str, value.shape))
        raise InputError(
            f"the loss must be one number, and it has the shape {shape}",
            f"for example sum({shorten(loss.source, 60)})",
        )
    if value.is_complex():
        raise InputError("the loss is complex", "take a real part of it, for example real(…)")
    if not value.requires_grad:
        raise EvaluationError(
            "the loss has no derivative by y: loss.backward() would raise",
            "a detach, a comparison or a whole number cuts it off from y",
        )
    [v] = gradients(value, [y], torch.ones_like(value))
    return torch.zeros_like(y) if v is None else v.detach()


def _program(loss: Expression, settings: Settings) -> Program:
    return Program(loss, {}, settings.dtype, settings.device)


@dataclass(frozen=True)
class LossPart:
    """What the report says of a loss, and its judgements: of v, and of the gradient in one go."""

    value: Loss
    judgements: tuple[Judgement, ...]
    check: CheckResult


def loss_part(loss: Expression, context: Context, settings: Settings) -> LossPart:
    """Judge v as the derivative of the loss at y, and the gradient of the composed program."""
    name = loss.names[0]
    plain = _program(loss, settings)
    of_y = Beside(plain, plain, {name: context.side.output.to(settings.device)}, (name,))
    # J has the nodes that the formulas are read from; the one row of it is judged as v
    v_context = context_of(of_y, context, settings)
    v_judgement = judged(v_context, replace(settings, jacobian=False))
    whole = Beside(
        replace(context.program, loss=loss),
        replace(context.reference, loss=loss),
        context.point.inputs,
        context.side.wrt,
    )
    without = replace(settings, jacobian=False)
    at_once = context_of(whole, context, without)
    judgement = judged(at_once, without)
    assert judgement.vjp is not None
    assert v_judgement.vjp is not None
    assert judgement.vjp_numbers is not None
    word = "loss" if name != "loss" else "L"
    symbolic = symbolic_of(v_context.exact, word, None)
    value = Loss(
        loss.source,
        at_once.side.output.reshape(-1)[0].item(),
        symbolic.jacobian.get(name, ()),
        v_judgement.vjp,
        judgement.vjp_numbers,
        judgement.vjp_truth_numbers,
        judgement.vjp,
    )
    judgements = (
        renamed(v_judgement, "v", "v of the loss"),
        renamed(judgement, "loss", "gradient of the loss"),
    )
    return LossPart(value, judgements, _in_one_go(context, at_once.side))


def _in_one_go(context: Context, at_once: TorchSide) -> CheckResult:
    """vᵀJ against the gradient of the loss: the chain rule, in torch's numbers."""
    side, v = context.side, context.point.v
    if side.vjp is None or at_once.vjp is None or v is None:
        reason = side.failure or at_once.failure or "torch gives no vᵀJ"
        return CheckResult(ONE_GO, Verdict.UNCHECKED, reason=reason)
    ways = TwoWays(format_of(str(side.output.dtype).removeprefix("torch.")))
    for name in side.wrt:
        first, second = side.vjp[name], at_once.vjp[name]
        if first is None or second is None:
            # a path that one of the two has not: the other is 0 then, if both are right
            first, second = (torch.zeros(()) if part is None else part for part in (first, second))
        size = torch.maximum(first.abs(), second.abs()).double().reshape(-1)
        if side.jacobian is not None:
            terms = side.jacobian[name].sizes().pulled(v.abs().cpu().reshape(-1))
            size = torch.maximum(size, terms)
        ways.compare(first.reshape(-1), second.reshape(-1), size)
    return ways.row(ONE_GO, "one backward pass from the loss gives other numbers than v does")
