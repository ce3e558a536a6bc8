"""What a user asks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from vjp_cli.expression import Expression
from vjp_cli.functions.source import FunctionSource
from vjp_cli.values import Generated, Value

if TYPE_CHECKING:
    # a request that is only read, or refused, has no use for what runs it
    from vjp_cli.functions.body import UserFunction


@dataclass(frozen=True)
class Request:
    """An expression or a function, a value for each name, and perhaps v.

    Attributes:
        against: where the truth is taken from, if not from the subject itself.
        arguments: the values of the parameters that take a plain Python value.
        further: the v after the first one.
        loss: what v is the derivative of, in terms of the output's name.
        tangent: u by input; "" is the name of one that goes with the only input.
    """

    subject: "Expression | FunctionSource | UserFunction"
    inputs: Mapping[str, Value | Generated]
    v: Value | Generated | None = None
    against: "FunctionSource | UserFunction | None" = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    further: tuple[Value | Generated, ...] = ()
    loss: Expression | None = None
    tangent: Mapping[str, Value | Generated] | None = None
