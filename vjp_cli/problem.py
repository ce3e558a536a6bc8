"""From texts to a request: every variable gets its value, and there is something to differentiate.

Only texts are looked at, so that all of this is answered before torch is imported.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from vjp_cli.choices import assignments, did_you_mean
from vjp_cli.errors import InputError, shorten
from vjp_cli.expression import Expression
from vjp_cli.inspection import Request
from vjp_cli.values import Generated, Value, parse_value


def request_of(
    expression: Expression,
    texts: Mapping[str, str],
    v: str | None,
    wrt: Iterable[str],
    stdin: Callable[[], bytes],
) -> Request:
    """The request for ``expression`` with the value that each name's text describes.

    Args:
        expression: the parsed expression.
        texts: the text of each variable that has one.
        v: the text of the cotangent.
        wrt: the inputs to differentiate by; all that are not constants if empty.
        stdin: gives the bytes of standard input.

    Raises:
        VjpError: a variable without a value, a bad value, nothing to differentiate.
    """
    if not expression.names:
        raise InputError(
            "nothing to differentiate: the expression has no variables",
            "name what may change, for example 3*x with --x 2",
        )
    check_known(wrt, expression.names, "--wrt")
    inputs = {name: parse_value(texts[name], f"--{name}", stdin) for name in expression.names}
    check_differentiable(inputs, wrt, "--wrt")
    cotangent = None if v is None else parse_value(v, "--v", stdin)
    return Request(expression, inputs, cotangent)


def texts_of(
    expression: Expression, options: Mapping[str, str | None], lets: Iterable[str]
) -> dict[str, str]:
    """The text of each variable's value, from the options and from ``--let NAME=VALUE``.

    Args:
        expression: the parsed expression.
        options: what the option of each variable was given, or None; a variable that is not there
            has no option of its own, because the command has one of that name.
        lets: the NAME=VALUE texts.

    Raises:
        InputError: a name that is unknown, given twice or without a value.
    """
    assigned = assignments(lets)
    check_known(assigned, expression.names, "--let")
    texts = {name: text for name, text in options.items() if text is not None}
    for name in assigned:
        if name in texts:
            raise InputError(f"'{name}' is given twice", f"give --{name} or --let {name}=VALUE")
    texts.update(assigned)
    missing = [name for name in expression.names if name not in texts]
    if missing:
        ways = (f"--{name} VALUE" if name in options else f"--let {name}=VALUE" for name in missing)
        raise InputError(f"no value for {_listed(missing)}", f"add {' '.join(ways)}")
    return texts


def check_known(names: Iterable[str], known: Sequence[str], option: str) -> None:
    """Refuse names that the expression does not have; ``option`` is where they were written.

    Raises:
        InputError: an unknown name.
    """
    for name in names:
        if name not in known:
            has = ", ".join(known) or "none"
            raise InputError(
                f"{option}: the expression has no variable '{shorten(name)}'",
                did_you_mean(name, known) or f"its variables: {has}",
            )


def check_differentiable(
    inputs: Mapping[str, Value | Generated], wrt: Iterable[str], option: str
) -> None:
    """Refuse to differentiate by constants.

    Raises:
        InputError: a constant among ``wrt`` (which was written as ``option``), or nothing else.
    """
    constants = [name for name, value in inputs.items() if value.dtype is not None]
    for name in wrt:
        if name in constants:
            raise InputError(
                f"{option}: {name} is a constant of dtype {inputs[name].dtype}",
                "values with a dtype of their own are indices, targets or masks",
            )
    if len(constants) == len(inputs):
        raise InputError(
            f"nothing to differentiate: {_listed(constants)} can only be constant",
            "a value without a dtype of its own is differentiated",
        )


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
