"""A bound expression or function: a callable on any tensor-like, torch's tensors and tracers alike.

The checked tree is walked and torch's own functions are called; what an operation means is decided
in one place only, by torch for tensors and by the operation table for tracers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from vjp_cli.expression import Expression
from vjp_cli.functions.body import UserFunction
from vjp_cli.lazy import torch
from vjp_cli.line import STEP, Line
from vjp_cli.observer import Observer
from vjp_cli.second_order import Gradient
from vjp_cli.walk import Walk

__all__ = ["Observer", "Program"]


@dataclass(frozen=True)
class Program:
    """An expression or a function with its constants; call it with the inputs.

    Attributes:
        constants: the typed inputs (indices, targets, masks).
        dtype: the name of the dtype of numbers in list literals.
        device: where factories put what they make.
        gradient: what is taken of y, if the output is not y itself.
        loss: what is computed from y, if the output is not y itself; y is its one input.
        line: where the inputs move along, if the step is the one input.
    """

    body: Expression | UserFunction
    constants: "Mapping[str, torch.Tensor]" = field(default_factory=dict)
    dtype: str = "float64"
    device: str = "cpu"
    gradient: Gradient | None = None
    loss: Expression | None = None
    line: Line | None = None

    def on_cpu(self) -> "Program":
        """The same program on the CPU, where exact numbers live."""
        if self.device == "cpu":
            return self
        constants = {name: value.cpu() for name, value in self.constants.items()}
        return replace(self, constants=constants, device="cpu")

    def __call__(self, inputs: Mapping[str, Any], observer: Observer | None = None) -> Any:
        """The output for these inputs.

        Raises:
            EvaluationError: torch refused an operation; the error's place names it.
        """
        observer = observer or Observer()
        if self.line is not None:
            inputs = self.line.at(inputs[STEP], self.dtype)
        if self.gradient is None:
            return self._placed(inputs, observer)
        leaves = self.gradient.leaves(inputs)
        return self.gradient.of(self._placed(leaves, observer), leaves, observer)

    def _placed(self, inputs: Mapping[str, Any], observer: Observer) -> Any:
        names = {**self.constants, **inputs}
        if self.device == "cpu":
            return self._run(names, observer)
        with torch.device(self.device):
            return self._run(names, observer)

    def _run(self, names: dict[str, Any], observer: Observer) -> Any:
        if isinstance(self.body, Expression):
            output = Walk(self.body, names, observer, self.dtype).run()
        else:
            output = self.body.run(names, observer, self.dtype, self.device)
        if self.loss is None:
            return output
        of_output = dict.fromkeys(self.loss.names, output)
        return Walk(self.loss, of_output, observer, self.dtype).run()
