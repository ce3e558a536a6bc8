"""From texts to what a request asks about v and u; only texts are looked at."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from unicodedata import normalize

from vjp_cli.choices import did_you_mean
from vjp_cli.errors import InputError, VjpError, shorten
from vjp_cli.expression import Expression, parse
from vjp_cli.functions.source import FunctionSource
from vjp_cli.problem import is_module
from vjp_cli.request import Request
from vjp_cli.values import Generated, Value, parse_value

# the parameters of a module have dots in their names
_NAMED = re.compile(r"\s*([^\W\d][\w.]*)\s*=(.*)", re.DOTALL)


def with_weights(
    request: Request,
    vs: Sequence[str],
    loss: str | None,
    us: Iterable[str],
    stdin: Callable[[], bytes],
) -> Request:
    """The request with each v, the loss and u.

    Raises:
        VjpError: a bad value, a loss that is none of y, a u that is given twice.
    """
    cotangents = [parse_value(text, "--v", stdin) for text in vs]
    tangent: dict[str, Value | Generated] = {}
    for text in us:
        match = _NAMED.fullmatch(text)
        name, value = (normalize("NFKC", match[1]), match[2]) if match else ("", text)
        if name in tangent or (tangent and "" in (name, *tangent)):
            raise InputError("--u is given twice", "name the input of each: --u x=1,2 --u w=3")
        if name and not (name in request.subject.names or is_module(_source(request))):
            raise InputError(
                f"--u: there is no input '{shorten(name)}'",
                did_you_mean(name, request.subject.names)
                or f"its inputs: {', '.join(request.subject.names)}",
            )
        tangent[name] = parse_value(value, f"--u {name}".rstrip(), stdin)
    return replace(
        request,
        v=cotangents[0] if cotangents else None,
        further=tuple(cotangents[1:]),
        loss=None if loss is None else loss_of(loss, _source(request), "--loss"),
        tangent=tangent or None,
    )


def loss_of(text: str, subject: Expression | FunctionSource, option: str) -> Expression:
    """The loss, an expression of the output alone.

    Raises:
        VjpError: it is no expression, or one of other names; ``option`` is where it was written.
    """
    try:
        loss = parse(text)
    except VjpError as error:
        raise type(error)(f"{option}: {error.message}", error.hint, error.place) from error
    output = subject.output
    others = [name for name in loss.names if name != output]
    if others:
        raise InputError(
            f"{option}: '{others[0]}' is not the output {output}: a loss may use that and numbers",
            f"for example {option} 'sum(({output} - 1)**2)'",
        )
    if not loss.names:
        raise InputError(
            f"{option}: the loss does not use the output {output}",
            f"for example {option} 'sum({output}**2)'",
        )
    return loss


def _source(request: Request) -> Expression | FunctionSource:
    subject = request.subject
    assert isinstance(subject, (Expression, FunctionSource))
    return subject
