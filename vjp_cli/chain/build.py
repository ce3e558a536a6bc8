"""The chain of one problem: a report gets its steps, local Jacobians and the identity."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from vjp_cli.arrays import array_of
from vjp_cli.chain import marks
from vjp_cli.chain.exact import ExactSteps
from vjp_cli.chain.graph import Cut, Edge, cotangents
from vjp_cli.chain.identity import identities, products
from vjp_cli.chain.numbers import agree, shaped, total
from vjp_cli.chain.steps import Run, Step, run
from vjp_cli.checks.causes import Causes
from vjp_cli.checks.context import Context
from vjp_cli.checks.graphs import words_of
from vjp_cli.errors import InputError
from vjp_cli.expression import Expression
from vjp_cli.frames import ENDINGS
from vjp_cli.lazy import torch
from vjp_cli.progress import stage
from vjp_cli.report import Chain, ChainStep, LocalJacobian, Mark, Report, Term

# a local Jacobian with more entries or rows than this has its formulas only
MOST_ENTRIES = 10_000
MOST_ROWS = 250


def with_chain(report: Report, context: Context) -> Report:
    """The report with its chain rule, step by step.

    Raises:
        InputError: a second derivative, or complex numbers.
        LimitError: too many steps.
    """
    if context.program.gradient is not None:
        raise InputError("--chain shows first derivatives", "leave --order 2 out")
    if context.is_complex:
        raise InputError("--chain needs real numbers", "write complex ones as pairs of real ones")
    stage("the chain rule, step by step")
    taken = run(context.program, context.point.inputs, context.point.wrt)
    return replace(report, chain=_Builder(report, context, taken).chain())


@dataclass(frozen=True)
class _Local:
    """Torch's side of one step: for each predecessor J as a matrix, and what is handed on."""

    matrices: "Mapping[str, torch.Tensor]"
    handed: Mapping[str, list[Term]]
    names: tuple[str, ...]


class _Builder:
    """Puts the parts of one chain together."""

    def __init__(self, report: Report, context: Context, taken: Run) -> None:
        self.report = report
        self.context = context
        self.run = taken
        self.v = context.point.v
        self.notes: list[str] = []
        self._names = {step.edge: step.name for step in (*taken.steps, *taken.inputs)}
        self._values = {step.name: step.value for step in (*taken.steps, *taken.inputs)}

    def chain(self) -> Chain:
        """The steps from the output back, then the inputs."""
        name = self.report.output.name
        if not self.run.steps:
            return Chain(name, (), notes=("no operation with a gradient leads from y to an input",))
        arriving = self._arriving()
        exact = ExactSteps(
            self.context.program, self.context.point, self.run, self.context.deadline
        )
        if exact.reason:
            self.notes.append(f"no formulas and no exact local Jacobians: {exact.reason}")
        backward = [*reversed(self.run.steps), *self.run.inputs]
        locals_ = {step.name: self._local(step, arriving.get(step.edge)) for step in backward}
        so_far = products(backward, {n: part.matrices for n, part in locals_.items()})
        events = self._events()
        steps = []
        for step in backward:
            made = self._step(step, locals_[step.name], exact, arriving.get(step.edge))
            product = so_far.get(step.name)
            shape = (*self.run.steps[-1].value.shape, *step.value.shape)
            found = marks.of_value(step, [self._values[n] for n in made.local])
            if events is None:
                found += marks.of_local(arriving.get(step.edge), made.local)
            steps.append(
                replace(
                    made,
                    product=None if product is None else shaped(product, shape),
                    marks=(*found, *(events or {}).get(step.name, ())),
                )
            )
        before = {n: part.names for n, part in locals_.items()}
        rows = identities(self.report, backward, before, so_far)
        return Chain(name, tuple(steps), rows, tuple(dict.fromkeys(self.notes)))

    def _step(
        self, step: Step, local: _Local, exact: ExactSteps, cotangent: "torch.Tensor | None"
    ) -> ChainStep:
        """The step without what the whole chain says of it."""
        truths = exact.of(step.name, list(local.names)) if local.names else {}
        found = {}
        for name in local.names:
            there = self._values[name]
            matrix, truth = local.matrices.get(name), truths.get(name)
            terms = local.handed.get(name, [])
            shape = (*step.value.shape, *there.shape)
            jacobian = None if matrix is None else shaped(matrix, shape)
            known = None if truth is None else truth.truth
            found[name] = LocalJacobian(
                (step.value.numel(), there.numel()),
                jacobian,
                known,
                agree(jacobian, known, step.value.dtype),
                () if truth is None else truth.formulas,
                total(terms),
                tuple(terms) if len(terms) > 1 else (),
            )
        arrives = None if cotangent is None else array_of(cotangent)
        return ChainStep(step.name, step.source, array_of(step.value), arrives, local=found)

    def _arriving(self) -> "dict[Edge, torch.Tensor]":
        if self.v is None:
            return {}
        output = self.run.steps[-1]
        try:
            v = self.v.clone().to(output.value.device)
            return cotangents(output.edge, v, list(self._names))
        except (Exception, *ENDINGS) as error:
            self.notes.append(f"the backward pass raised: {words_of(error)}")
            return {}

    def _local(self, step: Step, cotangent: "torch.Tensor | None") -> _Local:
        """The step's local Jacobians, a unit cotangent a row."""
        if not step.source:
            return _Local({}, {}, ())
        cut = Cut(step.edge, [edge for edge in self._names if edge != step.edge])
        names = tuple(self._names[edge] for edge in cut.ends)
        width = sum(self._values[name].numel() for name in names)
        rows = step.value.numel()
        try:
            handed = {} if cotangent is None else self._handed(cut, cotangent)
            matrices = None
            fits = rows * width <= MOST_ENTRIES and rows <= MOST_ROWS
            if fits and time.monotonic() <= self.context.deadline:
                matrices = self._matrix(cut, step.value)
            else:
                many = f"{rows * width:,} entries"
                self.notes.append(f"the local Jacobian of {step.name} is not built: {many}")
        except (Exception, *ENDINGS) as error:
            self.notes.append(f"the backward pass of {step.name} raised: {words_of(error)}")
            return _Local({}, {}, names)
        return _Local(matrices or {}, handed, names)

    def _handed(self, cut: Cut, cotangent: "torch.Tensor") -> dict[str, list[Term]]:
        """What each predecessor gets, by the operations that it enters."""
        found: dict[str, dict[str, Term]] = {}
        for edge, node, part in cut.terms(cotangent):
            via = self.run.operations.get(node, "")
            terms = found.setdefault(self._names[edge], {})
            before = [terms[via]] if via in terms else []
            value = total([*before, Term(via, array_of(part))])
            assert value is not None
            terms[via] = Term(via, value)
        return {name: list(terms.values()) for name, terms in found.items()}

    def _matrix(self, cut: Cut, value: "torch.Tensor") -> "dict[str, torch.Tensor]":
        rows = value.numel()
        found = {
            self._names[edge]: value.new_zeros((rows, self._values[self._names[edge]].numel()))
            for edge in cut.ends
        }
        for row in range(rows):
            unit = value.new_zeros(rows)
            unit[row] = 1
            for edge, part in cut.pull(unit.reshape(value.shape)).items():
                found[self._names[edge]][row] = part.reshape(-1).to(value.dtype)
        return found

    def _events(self) -> dict[str, list[Mark]] | None:
        """What enters where in the backward pass of an expression; None where that is not known."""
        program, point = self.context.program, self.context.point
        if self.v is None or not isinstance(program.body, Expression):
            return None
        if self.context.exact.is_complex:
            return None
        found = Causes(program, point, self.context.deadline).in_vjp()
        # digits that are lost without a trace in the result are no false zeros
        if not any(finding.torch == 0 for finding in self.report.findings):
            found = [event for event in found if event.kind != "zero"]
        return marks.of_events(found, self.run.steps)
