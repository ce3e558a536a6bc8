"""From the values of a request to torch tensors: rounded to the dtype, generated, put in place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from vjp_cli.choices import did_you_mean
from vjp_cli.errors import InputError, shorten
from vjp_cli.expression import Expression
from vjp_cli.functions import parameters
from vjp_cli.functions.body import UserFunction
from vjp_cli.lazy import numpy, torch
from vjp_cli.settings import Settings
from vjp_cli.values import Generated, Value

_COMPLEX, _COMPLEX_HINT = "a complex value needs a complex dtype", "add --dtype complex128"


@dataclass(frozen=True)
class Bound:
    """The inputs of a problem as tensors.

    Attributes:
        inputs: what may be differentiated by, in the dtype of the problem.
        constants: values with a dtype of their own.
        frozen: inputs that are differentiated by only when asked for.
    """

    inputs: "Mapping[str, torch.Tensor]"
    constants: "Mapping[str, torch.Tensor]"
    frozen: frozenset[str] = frozenset()

    @property
    def differentiable(self) -> tuple[str, ...]:
        """What is differentiated by if nothing is said."""
        return tuple(name for name in self.inputs if name not in self.frozen)


def bind(values: Mapping[str, Value | Generated], settings: Settings) -> Bound:
    """The tensors of all values.

    Raises:
        InputError: a generated value without a shape, or numbers that the dtype cannot hold.
    """
    _check_values(values, settings.dtype)
    _check_device(settings.device)
    generator = torch.Generator().manual_seed(settings.seed)
    inputs: dict[str, Any] = {}
    constants: dict[str, Any] = {}
    for name, value in values.items():
        bound = tensor(value, settings, generator)
        (constants if value.dtype is not None else inputs)[name] = bound
    return Bound(inputs, constants)


def _check_values(values: Mapping[str, Value | Generated], dtype: str) -> None:
    """What needs no torch to be refused."""
    for name, value in values.items():
        if isinstance(value, Generated):
            if value.shape is None:
                raise InputError(
                    f"--{name}: '{value.kind}' needs a shape", f"write --{name} {value.kind}(3)"
                )
        elif value.dtype is None and "complex" not in dtype and _is_complex(value.numbers):
            raise InputError(f"--{name}: {_COMPLEX}", _COMPLEX_HINT)


def _is_complex(numbers: Any) -> bool:
    if isinstance(numbers, Sequence):
        # all numbers of a value have one type
        return isinstance(next(iter(numbers), None), complex)
    return bool(numbers.dtype.kind == "c")


def with_parameters(bound: Bound, body: Expression | UserFunction, settings: Settings) -> Bound:
    """The inputs, and the parameters of the module if the program is one.

    Raises:
        InputError: a name that is neither an input nor a parameter, or a value of another shape.
    """
    if isinstance(body, Expression) or body.module is None:
        return bound
    own = parameters.named(body.module, body.names)
    known = [*body.names, *own]
    for name in (*bound.inputs, *bound.constants, *settings.wrt):
        if name not in known:
            raise InputError(
                f"{body.source.name} has no input or parameter '{shorten(name)}'",
                did_you_mean(name, known) or f"it has: {shorten(', '.join(known), 120)}",
            )
    home = parameters.Home(settings.dtype, settings.device)
    inputs = {name: value for name, value in bound.inputs.items() if name not in own}
    for name, value in own.items():
        given = bound.inputs.get(name, bound.constants.get(name))
        inputs[name] = home.copy(value if given is None else given)
        if inputs[name].shape != value.shape or not inputs[name].is_floating_point():
            raise InputError(f"{name} wants real numbers of the shape {_shape(tuple(value.shape))}")
    constants = {name: value for name, value in bound.constants.items() if name not in own}
    frozen = frozenset(name for name, value in own.items() if not value.requires_grad)
    return Bound(inputs, constants, frozen)


def _check_device(device: str) -> None:
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).strip().splitlines()[0]
        raise InputError(f"--device {device}: {reason}", "cpu is always there") from error


def tensor(
    value: Value | Generated, settings: Settings, generator: "torch.Generator | None" = None
) -> "torch.Tensor":
    """One value as a tensor of its own dtype, or of the problem's."""
    dtype = getattr(torch, value.dtype or settings.dtype)
    if isinstance(value, Generated):
        made = _generate(value, generator or torch.Generator().manual_seed(settings.seed))
        return made.to(dtype=dtype, device=settings.device)
    numbers = value.numbers
    if isinstance(numbers, numpy.ndarray):
        made = torch.from_numpy(numpy.ascontiguousarray(numbers))
    else:
        made = torch.tensor(list(numbers), dtype=_wide(numbers, dtype))
    if made.is_complex() and not dtype.is_complex:
        raise InputError(_COMPLEX, _COMPLEX_HINT)
    return made.to(dtype=dtype, device=settings.device).reshape(value.shape)


def cotangent(value: Value | Generated | None, output: "torch.Tensor", settings: Settings) -> Any:
    """V for this output: 1 for one element, None when it has to be given, else checked.

    Raises:
        InputError: v has another shape than y, or is complex where y is real.
    """
    if value is None:
        return torch.ones_like(output) if output.numel() == 1 else None
    shape = tuple(output.shape)
    if isinstance(value, Generated) and value.shape is None:
        value = Generated(value.kind, shape, value.index, value.dtype)
    v = _weights(value, output, settings)
    if tuple(v.shape) == shape:
        return v.detach()
    if v.numel() == output.numel() and v.ndim <= 1 and output.numel() == 1:
        return v.reshape(shape).detach()
    raise InputError(
        f"v has the shape {_shape(tuple(v.shape))} and y has the shape {_shape(shape)}",
        "v weights every element of y: give it y's shape, for example --v ones",
    )


def _weights(
    value: Value | Generated, output: "torch.Tensor", settings: Settings
) -> "torch.Tensor":
    """V in y's dtype: a real y has a real v, whatever the inputs are."""
    if output.is_complex():
        settings = replace(settings, dtype=str(output.dtype).removeprefix("torch."))
    made = tensor(value, settings)
    if made.is_complex() and not output.is_complex():
        if bool(made.imag.any()):
            raise InputError("v is complex and y is real", "give v real numbers")
        made = made.real
    return made.to(output.dtype)


def _wide(numbers: Any, dtype: "torch.dtype") -> "torch.dtype":
    """A dtype that holds the numbers as they were read, before they are rounded once."""
    if any(isinstance(number, complex) for number in numbers):
        return torch.complex128
    return torch.float64 if dtype.is_floating_point or dtype.is_complex else dtype


def _generate(value: Generated, generator: "torch.Generator") -> "torch.Tensor":
    shape = value.shape or ()
    if value.kind in ("randn", "rand"):
        make = torch.randn if value.kind == "randn" else torch.rand
        return make(shape, generator=generator, dtype=torch.float64)
    if value.kind == "basis":
        count = prod(shape)
        if value.index >= count:
            raise InputError(f"e{value.index} does not fit {count} elements", "the first one is e0")
        unit = torch.zeros(count, dtype=torch.float64)
        unit[value.index] = 1
        return unit.reshape(shape)
    return torch.full(shape, 1.0 if value.kind == "ones" else 0.0, dtype=torch.float64)


def _shape(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape)) if shape else "scalar"
