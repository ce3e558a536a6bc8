"""What must not happen: `ok` for a planted error, an accusation of a right number.

The yardstick is torch itself without the error, in float64, and its own forward: nothing of the
program's derivatives. What the program calls wrong in torch is confirmed by difference quotients.
"""

import math
import warnings
from dataclasses import dataclass, field, replace
from itertools import pairwise

import torch

from tests.honesty.calls import Call
from tests.honesty.planting import Plant, plant_of, torch_side
from tests.honesty.vocabulary import value_of
from vjp_cli import inspection
from vjp_cli.errors import VjpError
from vjp_cli.exact.slopes import agree, column_slopes
from vjp_cli.exact.tracing_program import Element, Point, mover_of, numbers_of
from vjp_cli.expression import parse
from vjp_cli.numbers.dtypes import FORMATS, FloatFormat
from vjp_cli.numbers.scalar import ball, exact, precision, to_float
from vjp_cli.program import Program
from vjp_cli.report import Report, Verdict
from vjp_cli.request import Request
from vjp_cli.settings import LIMITS, Settings
from vjp_cli.values import Value

ACCUSING = (Verdict.WRONG, Verdict.NAN, Verdict.SATURATED)
_WIDER = {"complex64": "complex128", "complex128": "complex128"}
_NARROWER = {"float64": "float32", "complex128": "complex64"}
# the rounding bound is an upper bound: some hundred times what is really lost, and more where many
# elements come together
_PESSIMISM = 40


@dataclass
class Outcome:
    """What became of one problem.

    Attributes:
        state: right, planted, invisible (the error changes nothing that can be seen), or refused.
        verdicts: of the entries on trial: all of vᵀJ and J, or those with the error.
        missed: entries that are `ok` in spite of their error.
        accused: entries of right gradients that are called wrong, each with its confirmation.
    """

    state: str
    kind: str = ""
    verdicts: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    accused: list[tuple[str, str]] = field(default_factory=list)


def form_of(dtype: str) -> FloatFormat:
    """The format of a dtype's numbers, or of their real parts."""
    return FORMATS[{"complex128": "float64", "complex64": "float32"}.get(dtype, dtype)]


def outcome_of(call: Call, planted: bool) -> Outcome:
    """Judge the problem, with an error or without."""
    plant, visible = None, {}
    if planted:
        y = value_of(call.source, call.inputs, call.dtype)
        plant = None if y is None else plant_of(call.seed, call.inputs, y)
        visible = {} if plant is None else _visible(call, plant)
        if plant is None or not any(map(len, visible.values())):
            return Outcome("invisible", plant.kind if plant else "")
    try:
        report = _report(call, plant)
    except VjpError:
        return Outcome("refused")
    if plant is None:
        return _of_right(call, report)
    return _of_planted(plant, visible, report)


def _report(call: Call, plant: Plant | None) -> Report:
    names = parse(call.source).names
    inputs = {name: _value(call.inputs[name]) for name in names}
    # J beside vᵀJ in two of three problems
    jacobian = not call.large and call.seed % 3 != 0 and not call.dtype.startswith("complex")
    settings = Settings(dtype=call.dtype, timeout=20, remedies=False, checks=(), jacobian=jacobian)
    before = LIMITS.waiting_elements
    object.__setattr__(LIMITS, "waiting_elements", 0 if call.waiting else before)
    try:
        with torch_side(call.layout, plant):
            return inspection.inspect(Request(parse(call.source), inputs, _value(call.v)), settings)
    finally:
        object.__setattr__(LIMITS, "waiting_elements", before)


def _value(tensor: torch.Tensor) -> Value:
    shape = tuple(tensor.shape)
    if tensor.is_floating_point():
        return Value(shape, tuple(tensor.double().reshape(-1).tolist()))
    if tensor.is_complex():
        return Value(shape, tuple(tensor.to(torch.complex128).reshape(-1).tolist()))
    return Value(
        shape, tuple(tensor.reshape(-1).tolist()), str(tensor.dtype).removeprefix("torch.")
    )


def _run(
    call: Call, dtype: str, plant: Plant | None, at: str | None = None
) -> tuple[torch.Tensor, dict[str, torch.Tensor], dict[str, torch.Tensor]]:
    """torch's y, vᵀJ and Σ|v_i·J_ij| in ``dtype``, at the inputs as ``at`` holds them.

    Of a large y there are no sums: what many outputs take from one element is not of interest.
    """
    expression = parse(call.source)
    kind, first = getattr(torch, dtype), getattr(torch, at or call.dtype)
    numbers = {n: t for n, t in call.inputs.items() if t.is_floating_point() or t.is_complex()}
    leaves = {n: t.to(first).to(kind).detach().requires_grad_() for n, t in numbers.items()}
    constants = {n: t for n, t in call.inputs.items() if n not in numbers}
    with torch_side(call.layout, plant), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = Program(expression, constants, dtype)(leaves)
        if not y.requires_grad:
            return y, {}, {}
        v = call.v.to(first).to(y.dtype)
        sources = list(leaves.values())
        found = torch.autograd.grad(y, sources, v, retain_graph=True, materialize_grads=True)
        sizes = [abs(part).double() for part in found]
        if y.numel() <= 60:
            sizes = [torch.zeros_like(part) for part in sizes]
            for k in range(y.numel()):
                one = torch.zeros_like(v).reshape(-1)
                one[k] = v.reshape(-1)[k]
                row = torch.autograd.grad(
                    y, sources, one.reshape(v.shape), retain_graph=True, materialize_grads=True
                )
                sizes = [size + abs(part).double() for size, part in zip(sizes, row, strict=True)]
    return y.detach(), dict(zip(leaves, found, strict=True)), dict(zip(leaves, sizes, strict=True))


def _wide(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.to(torch.complex128 if tensor.is_complex() else torch.float64)


def _lost(call: Call) -> float:
    """How many units of rounding this derivative loses: a short dtype against a longer one."""
    short = _NARROWER.get(call.dtype, call.dtype)
    long = _WIDER.get(short, "float64")
    try:
        _, low, _ = _run(call, short, None, short)
        _, high, _ = _run(call, long, None, short)
    except (VjpError, RuntimeError):
        return math.inf
    unit, worst = form_of(short).unit, 1.0
    for name, found in low.items():
        size = abs(_wide(high[name]))
        relative = abs(_wide(found) - _wide(high[name])) / size / unit
        worst = max([worst, *relative[size > 0].reshape(-1).tolist()])
    return worst if math.isfinite(worst) else math.inf


def _visible(call: Call, plant: Plant) -> dict[str, list[int]]:
    """For each input the entries of vᵀJ that the error puts beyond anything rounding explains."""
    form = form_of(call.dtype)
    try:
        y, wrong, _ = _run(call, call.dtype, plant)
        _, right, terms = _run(call, _WIDER.get(call.dtype, "float64"), None)
    except (VjpError, RuntimeError):
        return {}
    lost = _lost(call)
    return {
        name: _beyond(call, wrong[name], right[name], terms[name], (y, form, lost))
        for name in wrong
        if name in right
    }


def _beyond(
    call: Call, wrong: torch.Tensor, right: torch.Tensor, terms: torch.Tensor, about
) -> list[int]:
    y, form, lost = about
    u = form.unit
    error, size = abs(_wide(wrong) - _wide(right)), abs(_wide(right))
    # an element of y may come from all elements of the inputs, unless it is known to come from few
    together = 10 + (0 if _elementwise(call) else sum(t.numel() for t in call.inputs.values()))
    relative = max(2 * u**0.75, min(2 * math.sqrt(u), _PESSIMISM * together * lost * u))
    scale = max([1.0, *abs(call.v).reshape(-1).tolist(), *abs(y).reshape(-1).tolist()])
    floor = torch.where(size > 0, relative * size, 2 * math.sqrt(u) * scale)
    limit = floor + 32 * u * terms + 16 * form.subnormal
    seen = (error > limit) & torch.isfinite(size) & torch.isfinite(error)
    return torch.nonzero(seen.reshape(-1)).reshape(-1).tolist()


def _elementwise(call: Call) -> bool:
    """Whether the first element of y is moved by one element of each input at most."""
    v = torch.zeros_like(call.v)
    if not v.numel():
        return True
    v.reshape(-1)[0] = 1
    _, found, _ = _run(replace(call, v=v), call.dtype, None)
    return all(int(torch.count_nonzero(part)) <= 1 for part in found.values())


def _of_planted(plant: Plant, visible: dict[str, list[int]], report: Report) -> Outcome:
    outcome = Outcome("planted", plant.kind)
    if report.judged_vjp is None:
        return Outcome("refused", plant.kind)
    for name, places in visible.items():
        verdicts = report.judged_vjp.verdicts[name].at(places)
        outcome.verdicts += [verdict.value for verdict in verdicts]
        for place, verdict in zip(places, verdicts, strict=True):
            if verdict is Verdict.OK:
                outcome.missed.append(f"{name}[{place}]")
    return outcome


def _of_right(call: Call, report: Report) -> Outcome:
    outcome = Outcome("right")
    for target, judged in (("vjp", report.judged_vjp), ("jacobian", report.judged_jacobian)):
        for name, array in ({} if judged is None else judged.verdicts).items():
            for verdict, count in array.counts().items():
                outcome.verdicts += [verdict.value] * count
            if not set(ACCUSING) & set(array.counts()):
                continue
            accused = [k for k, verdict in array.listed() if verdict in ACCUSING]
            columns = math.prod(call.inputs[name].shape)
            for k in accused[:3]:
                row = None if target == "vjp" else k // columns
                numbers = (report.vjp if target == "vjp" else report.jacobian) or {}
                number = numbers[name].values[k]
                words = f"{target}.{name}[{k}] {array.values[k].value} {number}"
                outcome.accused.append((words, _confirmation(call, name, k % columns, row, number)))
    return outcome


def _confirmation(
    call: Call, name: str, place: int, row: int | None, number: complex | None
) -> str:
    """Which difference quotient confirms that torch has another number than the truth; "" none."""
    if call.dtype.startswith("complex") or isinstance(number, complex):
        return ""
    v = call.v.double().clone()
    if row is not None:
        v = torch.zeros_like(v).reshape(-1)
        v[row] = 1
    v = v.reshape(call.v.shape)
    form = FORMATS[call.dtype]
    quotient = _quotient(call, name, place, v)
    if number is None or not math.isfinite(number):
        if quotient is not None:
            return "not finite, and differences of torch's own values are"
    elif quotient is not None:
        value, bar = quotient
        if abs(number - value) > 4 * bar + 4 * form.unit**0.75 * abs(value):
            return "differences of torch's own values"
    return _by_slopes(call, (name, place), v, number, form)


def _quotient(call: Call, name: str, place: int, v: torch.Tensor) -> tuple[float, float] | None:
    """Richardson's from torch's own float64 values, with an error bar; None where there is none."""
    program, given = _program64(call)
    x = float(given[name].reshape(-1)[place])

    def value(h: float) -> float:
        moved = given[name].clone().reshape(-1)
        moved[place] = x + h
        with torch.no_grad():
            y = program({**given, name: moved.reshape(given[name].shape)})
        taken = v.reshape(-1) != 0
        return float((v.reshape(-1) * y.double().reshape(-1))[taken].sum())

    found = []
    for k in (8, 10, 12, 14):
        h = 2.0**-k * max(abs(x), 2.0**-6)
        left, right = (value(0.0) - value(-h)) / h, (value(h) - value(0.0)) / h
        found.append(((left + right) / 2, abs(left - right)))
    better = [(4 * b[0] - a[0]) / 3 for a, b in pairwise(found)]
    bar = abs(better[2] - better[1]) + abs(better[1] - better[0]) / 16
    if not (math.isfinite(bar) and math.isfinite(better[2])):
        return None
    # one-sided slopes that do not meet: a kink, of which differences say nothing
    if found[-1][1] > 0.5 * found[0][1] and found[-1][1] > 1e-6 * abs(better[2]):
        return None
    return better[2], bar + 1e-13 * abs(value(0.0)) / (2.0**-14 * max(abs(x), 2.0**-6))


def _program64(call: Call) -> tuple[Program, dict[str, torch.Tensor]]:
    numbers = {n: t.double() for n, t in call.inputs.items() if t.is_floating_point()}
    constants = {n: t for n, t in call.inputs.items() if n not in numbers}
    return Program(parse(call.source), constants, "float64"), numbers


def _by_slopes(
    call: Call, at: tuple[str, int], v: torch.Tensor, number: float | None, form: FloatFormat
) -> str:
    """The slopes of the function at hundreds of digits: values alone, no derivative formula."""
    program, numbers = _program64(call)
    program = replace(program, dtype=call.dtype)
    kind = getattr(torch, call.dtype)
    inputs = {name: value.to(kind) for name, value in numbers.items()}
    point = Point(inputs, tuple(inputs), v.to(kind))
    evaluate = mover_of(program, point, Element(*at), math.inf)
    slopes = column_slopes(evaluate, numbers_of(point.v), math.inf).weighted
    if slopes is None or slopes.left.value is None or not agree(slopes.left, slopes.right):
        return ""
    if number is None or not math.isfinite(number):
        return "not finite, and slopes at hundreds of digits are"
    with precision(400):
        truth = slopes.left.value
        off = abs(to_float(exact(number) - ball(truth)))
        size = abs(to_float(truth))
    return "slopes at hundreds of digits" if off > form.unit**0.75 * size else ""
