"""A user's function as the body of a program."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import BoundArguments, signature
from itertools import chain, count
from typing import Any

from vjp_cli.errors import EvaluationError, VjpError
from vjp_cli.functions.source import FunctionSource, said
from vjp_cli.lazy import torch
from vjp_cli.observer import Observer
from vjp_cli.tracing.node import OutOfTime
from vjp_cli.tracing.tracer import Tracer, Untraceable


@dataclass(frozen=True)
class UserFunction:
    """A loaded function with its source."""

    source: FunctionSource
    function: Callable[..., Any]

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
        """The name of the output: ``y``, or another where a parameter has that name."""
        names = set(self.source.parameters)
        candidates = chain(("y", "z", "out", "result"), map("y{}".format, count(2)))
        return next(name for name in candidates if name not in names)

    def run(self, values: Mapping[str, Any], observer: Observer) -> Any:
        """Call the function.

        Raises:
            EvaluationError: it raised, or returned something else than one tensor.
        """
        given = {name: values[name] for name in self.source.parameters if name in values}
        try:
            arguments = BoundArguments(signature(self.function), given)
            with observer.running():
                result = self.function(*arguments.args, **arguments.kwargs)
        except (VjpError, Untraceable, OutOfTime):
            raise
        except (Exception, SystemExit) as error:
            words = said(error, self.source.path)
            raise EvaluationError(f"{self.source.name} raised {words}") from error
        if not isinstance(result, (torch.Tensor, Tracer)):
            raise EvaluationError(
                f"{self.source.name} returned a {type(result).__name__}, not a tensor",
                "return one tensor that depends on the inputs",
            )
        return result
