"""A user's function or module as the body of a program."""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from inspect import BoundArguments, Signature
from typing import Any

from vjp_cli.errors import EvaluationError, VjpError
from vjp_cli.frames import ENDINGS, said
from vjp_cli.functions import parameters
from vjp_cli.functions.isolation import Effects, isolated
from vjp_cli.functions.source import FunctionSource
from vjp_cli.lazy import torch
from vjp_cli.observer import Observer
from vjp_cli.tracing.node import OutOfTime
from vjp_cli.tracing.positions import flatten
from vjp_cli.tracing.tracer import Tracer, Untraceable


@dataclass(frozen=True)
class UserFunction:
    """A loaded function or module with its source.

    Attributes:
        function: what is called.
        signature: of the call.
        module: the module whose parameters are inputs too.
        arguments: the values of the parameters that take a plain Python value.
        output_index: which of several outputs is y.
        seed: of the random numbers that it draws, the same in each call.
        state: the global state that its file leaves, which the calls find.
        effects: what the calls did besides computing.
    """

    source: FunctionSource
    function: Callable[..., Any]
    signature: Signature
    module: "torch.nn.Module | None" = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    output_index: int | None = None
    seed: int = 0
    state: tuple[Any, ...] | None = None
    effects: Effects = field(default_factory=Effects, compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The inputs, under the word that an expression has for them."""
        return self.source.names

    @property
    def text(self) -> str:
        """``FILE.py:NAME``."""
        return self.source.text

    @property
    def output(self) -> str:
        """The name of the output."""
        return self.source.output

    def run(
        self, values: Mapping[str, Any], observer: Observer, dtype: str, device: str = "cpu"
    ) -> Any:
        """Call the function.

        Args:
            values: of the parameters of the call, and of the module by name.
            observer: who watches.
            dtype: that of the module's buffers of real numbers.
            device: where they are.

        Raises:
            EvaluationError: it raised, or returned something else than tensors.
        """
        names = self.source.parameters
        given = {name: values[name] for name in names if name in values}
        given.update(self.arguments)
        try:
            arguments = BoundArguments(
                self.signature, {name: given[name] for name in names if name in given}
            )
            versions = {name: _version(value) for name, value in given.items()}
            with (
                isolated(self.seed, self.effects, self.state),
                self._set(values, dtype, device),
                observer.running(),
            ):
                result = self.function(*arguments.args, **arguments.kwargs)
            for name, value in given.items():
                if _version(value) != versions[name]:
                    self.effects.written[name] = None
        except (VjpError, Untraceable, OutOfTime):
            raise
        except (Exception, *ENDINGS) as error:
            words = said(error, self.source.path)
            raise EvaluationError(f"{self.source.name} raised {words}") from error
        return self._chosen(result)

    @contextlib.contextmanager
    def _set(self, values: Mapping[str, Any], dtype: str, device: str) -> Iterator[None]:
        if self.module is None:
            yield
            return
        with parameters.holding(self.module, self.names, values, parameters.Home(dtype, device)):
            yield

    def remarks(self) -> tuple[str, ...]:
        """Sentences on what the reader cannot see in the numbers."""
        name, found = self.source.name, []
        if self.module is not None:
            mode = "training" if self.module.training else "eval"
            found.append(f"{name} is in {mode} mode, as its file leaves it")
        if self.effects.written:
            words = ", ".join(self.effects.written)
            found.append(
                f"{name} writes into its inputs ({words}): y and the derivatives are those of the "
                "values given, but torch's backward may not know of the write"
            )
        if self.effects.drawn:
            words = " and ".join(sorted(self.effects.drawn))
            found.append(
                f"{name} uses random numbers ({words}): each call draws the same ones, those of "
                f"--seed {self.seed}, and the derivatives are those of these draws"
            )
        if self.effects.changed:
            words = ", ".join(self.effects.changed)
            found.append(f"{name} changes global state, which was put back: {words}")
        return tuple(found)

    def _chosen(self, result: Any) -> Any:
        """The one output that is y."""
        name, index = self.source.name, self.output_index
        if isinstance(result, (tuple, list, dict)):
            parts = [p for p in flatten(result) if isinstance(p, (torch.Tensor, Tracer))]
            count = len(parts)
            if index is None and count:
                choices = " or ".join(map(str, range(count))) if count < 4 else f"0 to {count - 1}"
                tensors = "1 tensor" if count == 1 else f"{count} tensors"
                raise EvaluationError(
                    f"{name} returned {tensors} in a {type(result).__name__}",
                    f"choose one with --output-index {choices}",
                )
            if index is not None and index >= count:
                raise EvaluationError(
                    f"--output-index {index}: {name} returned {count} tensors", "the first is 0"
                )
            result = parts[index] if index is not None else result
        if not isinstance(result, (torch.Tensor, Tracer)):
            raise EvaluationError(
                f"{name} returned a {type(result).__name__}, not a tensor",
                "return one tensor that depends on the inputs",
            )
        return result


def _version(value: Any) -> int:
    """How often a tensor was written in place."""
    return value._version if isinstance(value, torch.Tensor) else 0
