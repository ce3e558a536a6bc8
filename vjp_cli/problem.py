"""From texts to a request: every input gets its value, and there is something to differentiate.

Only texts are looked at, so that all of this is answered before torch is imported.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from vjp_cli.choices import assignments, did_you_mean
from vjp_cli.errors import InputError, shorten
from vjp_cli.expression import Expression
from vjp_cli.functions.plain_values import plain_value
from vjp_cli.functions.source import FunctionSource, find
from vjp_cli.request import Request
from vjp_cli.values import Generated, Value, parse_value

Subject = Expression | FunctionSource


def request_of(
    subject: Subject,
    texts: Mapping[str, str],
    wrt: Iterable[str],
    stdin: Callable[[], bytes],
) -> Request:
    """The request for ``subject``, without v, with the value that each name's text describes.

    Args:
        subject: the parsed expression, or the function.
        texts: the text of each input that has one.
        wrt: the inputs to differentiate by; all that are not constants if empty.
        stdin: gives the bytes of standard input.

    Raises:
        VjpError: a bad value, nothing to differentiate.
    """
    check_names(subject, "3*x with --x 2")
    check_known(wrt, subject, "--wrt")
    plain, given = sorted_out(subject, texts)
    arguments = {name: plain_value(texts[name], kind, f"--{name}") for name, kind in plain.items()}
    inputs = {name: parse_value(texts[name], f"--{name}", stdin) for name in given}
    check_differentiable(subject, inputs, wrt, "--wrt")
    return Request(subject, inputs, arguments=arguments)


def sorted_out(subject: Subject, given: Iterable[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """The given names: those of plain Python values with their types, and the inputs in order."""
    given = tuple(given)
    plain = subject.plain if isinstance(subject, FunctionSource) else {}
    named = [name for name in subject.names if name in given and name not in plain]
    # parameters of a module, which are known once it is there
    further = [name for name in given if name not in subject.names]
    return {name: plain[name] for name in plain if name in given}, (*named, *further)


def with_truth(request: Request, reference: str | None, option: str) -> Request:
    """The request with the function that the truth is taken from.

    It must take these inputs and need no others; ``option`` is where it was written.

    Raises:
        VjpError: there is no such function, or it has other parameters.
    """
    if reference is None:
        return request
    found, given = find(reference, option), (*request.inputs, *request.arguments)
    check_known(given, found, option)
    missing = [name for name in required(found) if name not in given]
    if missing:
        raise InputError(
            f"{option}: {found.name} also needs {_listed(missing)}",
            "it must have the same parameters",
        )
    return replace(request, against=found)


def texts_of(
    subject: Subject, options: Mapping[str, str | None], lets: Iterable[str]
) -> dict[str, str]:
    """The text of each input's value, from the options and from ``--let NAME=VALUE``.

    Args:
        subject: the parsed expression, or the function.
        options: what the option of each input was given, or None; an input that is not there
            has no option of its own, because the command has one of that name.
        lets: the NAME=VALUE texts.

    Raises:
        InputError: a name that is unknown, given twice or without a value.
    """
    assigned = assignments(lets)
    check_known(assigned, subject, "--let")
    texts = {name: text for name, text in options.items() if text is not None}
    for name in assigned:
        if name in texts:
            raise InputError(f"'{name}' is given twice", f"give --{name} or --let {name}=VALUE")
    texts.update(assigned)
    missing = [name for name in required(subject) if name not in texts]
    if missing:
        ways = (f"--{name} VALUE" if name in options else f"--let {name}=VALUE" for name in missing)
        raise InputError(f"no value for {_listed(missing)}", f"add {' '.join(ways)}")
    return texts


def is_module(subject: Subject) -> bool:
    """Whether there are parameters, too, which only the module itself knows."""
    return isinstance(subject, FunctionSource) and subject.kind.is_module


def required(subject: Subject) -> tuple[str, ...]:
    """The inputs that need a value: a parameter with a default may be left out."""
    optional = subject.optional if isinstance(subject, FunctionSource) else frozenset()
    return tuple(name for name in subject.names if name not in optional)


def check_names(subject: Subject, example: str) -> None:
    """Refuse an expression or a function of nothing; ``example`` is an expression of something.

    Raises:
        InputError: it has no inputs.
    """
    if subject.names or is_module(subject):
        return
    if isinstance(subject, FunctionSource):
        raise InputError(
            f"nothing to differentiate: {subject.name} has no parameters",
            f"name what may change, for example def {subject.name}(x)",
        )
    raise InputError(
        "nothing to differentiate: the expression has no variables",
        f"name what may change, for example {example}",
    )


def check_known(names: Iterable[str], subject: Subject, option: str) -> None:
    """Refuse names that ``subject`` does not have; ``option`` is where they were written.

    Raises:
        InputError: an unknown name.
    """
    what, kind = "the expression", "variable"
    if isinstance(subject, FunctionSource):
        what, kind = subject.name, "parameter"
    for name in names:
        if name not in subject.names and not is_module(subject):
            has = ", ".join(subject.names) or "none"
            raise InputError(
                f"{option}: {what} has no {kind} '{shorten(name)}'",
                did_you_mean(name, subject.names) or f"its {kind}s: {has}",
            )


def check_differentiable(
    subject: Subject, inputs: Mapping[str, Value | Generated], wrt: Iterable[str], option: str
) -> None:
    """Refuse to differentiate by constants, and by defaults.

    Raises:
        InputError: a constant, or a parameter left to its default, among ``wrt`` (which was written
            as ``option``), or no other input.
    """
    plain = subject.plain if isinstance(subject, FunctionSource) else {}
    for name in wrt:
        if name in plain:
            raise InputError(
                f"{option}: {name} takes a plain {plain[name]}",
                "only tensors are differentiated by",
            )
    if is_module(subject):
        # its parameters are inputs too, and the rest is known once it is there
        return
    if not inputs:
        raise InputError(
            "nothing to differentiate: no parameter has a value",
            "a default is used as it is; give a value to what may change",
        )
    constants = [name for name, value in inputs.items() if value.dtype is not None]
    for name in wrt:
        if name not in inputs:
            raise InputError(
                f"{option}: no value for {name}", "a default is used as it is: give a value"
            )
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
