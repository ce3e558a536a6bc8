"""Values that are described rather than listed: ``ones(3)``, ``randn``, ``e0``, ``arange(6)``."""

import difflib
import re
from collections.abc import Callable
from math import ceil, isfinite, prod

from vjp_cli.errors import InputError, shorten
from vjp_cli.inputs.literals import BadNumber, Generated, Scalar, Value, check_size, number

_CALL = re.compile(r"([A-Za-z_]\w*)\s*(?:\((.*)\))?", re.ASCII | re.DOTALL)


def generate(text: str, name: str) -> Value | Generated | None:
    """What the generator ``text`` stands for; None if it is not of that form.

    Raises:
        InputError: for an unknown generator or unfit arguments.
        LimitError: if it would have too many elements.
    """
    match = _CALL.fullmatch(text)
    if not match:
        return None
    word, inside = match[1], match[2]
    basis = re.fullmatch(r"e(\d+)", word, re.ASCII)
    if not (basis or word in _SHAPED or word in _FILLED):
        close = difflib.get_close_matches(word, _NAMES, n=1)
        if inside is None and (not close or word.lower() in ("nan", "inf", "infinity")):
            return None
        hint = f"did you mean '{close[0]}'?" if close else f"there are: {', '.join(_NAMES)}"
        raise InputError(f"{name}: unknown generator '{shorten(word, 30)}'", hint)
    call = f"{name}: {shorten(text, 40)}"
    if word in _FILLED:
        if inside is None:
            raise InputError(f"{name}: {word} needs arguments", _FILLED_EXAMPLES[word])
        return _FILLED[word](_arguments(inside), call)
    shape = None if inside is None else _sizes(_arguments(inside), call)
    if basis:
        return _basis(basis[1], shape, call)
    return Generated(word, shape)


def _arguments(inside: str) -> list[str]:
    inside = inside.strip()
    if inside[:1] + inside[-1:] in ("()", "[]"):
        inside = inside[1:-1].strip()
    inside = inside.removesuffix(",")
    return [argument.strip() for argument in inside.split(",")] if inside else []


def _sizes(arguments: list[str], call: str) -> tuple[int, ...]:
    for argument in arguments:
        if not re.fullmatch(r"\d+", argument, re.ASCII):
            raise InputError(
                f"{call}: '{shorten(argument, 30)}' is not a size",
                "sizes are whole numbers from 0, such as ones(2,3)",
            )
    # so many digits are over the limit whatever they are
    shape = tuple(int(argument[:40]) for argument in arguments)
    check_size(shape, call)
    return shape


def _basis(digits: str, shape: tuple[int, ...] | None, call: str) -> Generated:
    index = int(digits[:40])
    check_size((index,), call)
    if shape is not None:
        count = prod(shape)
        if index >= count:
            raise InputError(
                f"{call}: position {index} is not among the {count} elements",
                "positions count from 0",
            )
    return Generated("basis", shape, index)


def _reals(arguments: list[str], call: str) -> list[int | float]:
    found: list[int | float] = []
    for argument in arguments:
        try:
            read = number(argument)
        except BadNumber as bad:
            raise InputError(f"{call}: '{shorten(argument, 30)}' {bad}", bad.hint) from None
        if isinstance(read, complex) or not isfinite(read):
            raise InputError(f"{call}: '{shorten(argument, 30)}' is not finite and real")
        found.append(read)
    return found


def _count(arguments: list[str], allowed: range, word: str, call: str) -> None:
    if len(arguments) not in allowed:
        raise InputError(f"{call}: wrong number of arguments", _FILLED_EXAMPLES[word])


def _eye(arguments: list[str], call: str) -> Value:
    _count(arguments, range(1, 3), "eye", call)
    rows, columns = _sizes([arguments[0], arguments[-1]], call)
    numbers: list[Scalar] = [0] * (rows * columns)
    for index in range(min(rows, columns)):
        numbers[index * (columns + 1)] = 1
    return Value((rows, columns), numbers)


def _linspace(arguments: list[str], call: str) -> Value:
    _count(arguments, range(3, 4), "linspace", call)
    start, end = _reals(arguments[:2], call)
    (steps,) = _sizes(arguments[2:], call)
    step = (end - start) / (steps - 1) if steps > 1 else 0.0
    if not isfinite(step):
        raise InputError(f"{call}: the distance of the ends does not fit a double")
    # counted from the nearer end, as torch counts, so that both ends are exact
    half = (steps + 1) // 2
    numbers = [start + step * k for k in range(half)]
    numbers += [end - step * (steps - 1 - k) for k in range(half, steps)]
    return Value((steps,), numbers)


def _arange(arguments: list[str], call: str) -> Value:
    _count(arguments, range(1, 4), "arange", call)
    given = _reals(arguments, call)
    start, end = (0, given[0]) if len(given) == 1 else given[:2]
    step = given[2] if len(given) == 3 else 1
    if step == 0:
        raise InputError(f"{call}: the step is 0", "for example arange(0,1,0.25)")
    if (end - start) / step < 0:
        raise InputError(f"{call}: the step leads away from the end", "arange(3,0,-1) counts down")
    length = (end - start) / step
    count = ceil(length) if isfinite(length) else 10**30
    check_size((count,), call)
    return Value((count,), [start + step * k for k in range(count)])


_SHAPED = ("ones", "zeros", "randn", "rand")
_FILLED: dict[str, Callable[[list[str], str], Value]] = {
    "eye": _eye,
    "linspace": _linspace,
    "arange": _arange,
}
_FILLED_EXAMPLES = {
    "eye": "for example eye(3), or eye(2,3)",
    "linspace": "for example linspace(0,1,5): start, end, number of points",
    "arange": "for example arange(6), arange(1,7) or arange(0,1,0.25)",
}
_NAMES = (*_SHAPED, *_FILLED, "e0")
