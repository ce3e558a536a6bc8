"""What must not happen: `ok` for a planted error, an accusation of a right number.

The yardstick is torch itself without the error, in float64, and its own forward: nothing of the
program's derivatives. What the program calls wrong in torch is confirmed by difference quotients.
"""

import math
import warnings
from dataclasses import dataclass, field, replace

import torch

from tests.honesty.calls import Call
from tests.honesty.confirming import confirmation, form_of
from tests.honesty.planting import Plant, plant_of, torch_side
from tests.honesty.vocabulary import value_of
from vjp_cli import inspection
from vjp_cli.errors import VjpError
from vjp_cli.expression import parse
from vjp_cli.ops import eigenvalues, factorisations, linalg, spectral
from vjp_cli.program import Program
from vjp_cli.report import Report, Verdict
from vjp_cli.request import Request
from vjp_cli.settings import LIMITS, Settings
from vjp_cli.values import Value

ACCUSING = (Verdict.WRONG, Verdict.NAN, Verdict.SATURATED)
_WIDER = {"complex64": "complex128", "complex128": "complex128"}
_NARROWER = {"float64": "float32", "complex128": "complex64"}
# balls widen with each step of an elimination or a factorisation, however little is really lost
_ELIMINATING = frozenset(
    op.name for module in (linalg, spectral, factorisations, eigenvalues) for op in module.ROWS
)
# the rounding bound is an upper bound: some hundred times what is really lost, and more where many
# elements come together
_PESSIMISM = 40


_SHORTENING = (".half()", ".bfloat16()", ".float()", "float16", "float32")


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


def outcome_of(call: Call, planted: bool) -> Outcome:
    """Judge the problem, with an error or without."""
    plant, seen = None, {}
    if planted:
        y = value_of(call.source, call.inputs, call.dtype)
        plant = None if y is None else plant_of(call.seed, call.inputs, y)
        seen = {} if plant is None else visible(call, plant)
        if plant is None or not any(map(len, seen.values())):
            return Outcome("invisible", plant.kind if plant else "")
    try:
        report = report_of(call, plant)
    except VjpError:
        return Outcome("refused")
    if plant is None:
        return of_right(call, report)
    outcome = of_planted(plant, seen, report)
    # where torch departs from the mathematics by design, the error may happen to undo that
    return _without_departures(call, outcome) if outcome.missed else outcome


def report_of(call: Call, plant: Plant | None) -> Report:
    """The program's report of torch with the error in it."""
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


@dataclass(frozen=True)
class _Loss:
    """How torch fares in a short dtype against a longer one.

    Attributes:
        units: the most units of rounding that an entry with digits loses.
        known: by input, the entries that have digits; others may be what is left of a 0.
    """

    units: float
    known: dict[str, torch.Tensor]


def _loss(call: Call) -> _Loss | None:
    short = _NARROWER.get(call.dtype, call.dtype)
    long = _WIDER.get(short, "float64")
    try:
        _, low, _ = _run(call, short, None, short)
        _, high, _ = _run(call, long, None, short)
    except (VjpError, RuntimeError):
        return None
    unit, worst, known = form_of(short).unit, 1.0, {}
    for name, found in low.items():
        error, size = abs(_wide(found) - _wide(high[name])), abs(_wide(high[name]))
        known[name] = error <= 0.1 * size
        worst = max([worst, *(error / size / unit)[known[name] & (size > 0)].tolist()])
    return _Loss(worst, known)


def visible(call: Call, plant: Plant) -> dict[str, list[int]]:
    """For each input the entries of vᵀJ that the error puts beyond anything rounding explains."""
    form = form_of(call.dtype)
    if any(word in call.source for word in _SHORTENING):
        # what a shorter dtype on the way may lose is not known here
        return {}
    try:
        y, wrong, _ = _run(call, call.dtype, plant)
        _, right, terms = _run(call, _WIDER.get(call.dtype, "float64"), None)
    except (VjpError, RuntimeError):
        return {}
    loss = _loss(call)
    if loss is None:
        return {}
    # an element of y may come from all elements of the inputs, unless it is known to come from few
    together = 10 + (0 if _elementwise(call) else sum(t.numel() for t in call.inputs.values()))
    together *= 100 if call.row in _ELIMINATING else 1
    u = form.unit
    relative = max(2 * u**0.75, min(2 * math.sqrt(u), _PESSIMISM * together * loss.units * u))
    scale = max([1.0, *abs(call.v).reshape(-1).tolist(), *abs(y).reshape(-1).tolist()])
    seen = {}
    for name, part in wrong.items():
        error, size = abs(_wide(part) - _wide(right[name])), abs(_wide(right[name]))
        # what is no larger than torch's own residues may be what is left of an exact 0
        floor = torch.where(size > 100 * u * scale, relative * size, 2 * math.sqrt(u) * scale)
        limit = floor + 32 * u * terms[name] + 16 * form.subnormal
        far = (error > limit) & torch.isfinite(size) & torch.isfinite(error) & loss.known[name]
        seen[name] = torch.nonzero(far.reshape(-1)).reshape(-1).tolist()
    return seen


def _elementwise(call: Call) -> bool:
    """Whether the first element of y is moved by one element of each input at most."""
    v = torch.zeros_like(call.v)
    if not v.numel():
        return True
    v.reshape(-1)[0] = 1
    _, found, _ = _run(replace(call, v=v), call.dtype, None)
    return all(int(torch.count_nonzero(part)) <= 1 for part in found.values())


def of_planted(plant: Plant, seen: dict[str, list[int]], report: Report) -> Outcome:
    """What became of the entries with the error."""
    outcome = Outcome("planted", plant.kind)
    if report.judged_vjp is None:
        return Outcome("refused", plant.kind)
    for name, places in seen.items():
        verdicts = report.judged_vjp.verdicts[name].at(places)
        outcome.verdicts += [verdict.value for verdict in verdicts]
        for place, verdict in zip(places, verdicts, strict=True):
            if verdict is Verdict.OK:
                outcome.missed.append(f"{name}[{place}]")
    return outcome


def _without_departures(call: Call, outcome: Outcome) -> Outcome:
    """Without the entries of which torch has, by design, another number than the truth."""
    judged = report_of(call, None).judged_vjp
    assert judged is not None
    departs = {
        f"{name}[{place}]"
        for name, array in judged.verdicts.items()
        for place, verdict in array.listed()
        if verdict is Verdict.BY_DESIGN
    }
    return replace(outcome, missed=[place for place in outcome.missed if place not in departs])


def of_right(call: Call, report: Report) -> Outcome:
    """What became of a problem without an error."""
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
                outcome.accused.append((words, confirmation(call, name, k % columns, row, number)))
    return outcome
