"""Functions of torch without a row: they compute nothing of their own, or decide something.

Each is found by its function object, so that the method and the function of torch are one.
"""

from collections.abc import Callable, Iterator
from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.tracing import gradients, leaving
from vjp_cli.tracing.constants import lift
from vjp_cli.tracing.cuts import cut
from vjp_cli.tracing.tracer import Tracer, Untraceable, repeats_draws


def answer(function: Any) -> Callable[..., Any] | None:
    """What a function of torch does with tracers; None for one that is not here."""
    if not _ANSWERS:
        _ANSWERS.update(_found())
    return _ANSWERS.get(function)


_ANSWERS: dict[Any, Callable[..., Any]] = {}


def _found() -> Iterator[tuple[Any, Callable[..., Any]]]:
    for name, rule in _METHODS.items():
        for home in (torch.Tensor, torch):
            function = getattr(home, name, None)
            if function is not None:
                yield function, rule
    yield torch.Tensor.__setitem__, _written
    for name in ("is_floating_point", "is_complex", "numel", "is_same_size"):
        yield getattr(torch, name), getattr(Tracer, name)
    yield torch.autograd.grad, gradients.grad
    yield torch.autograd.backward, gradients.backward


def _type_as(input: Any, other: Any) -> Any:
    return input.to(other.dtype)


def _equal(input: Any, other: Any) -> bool:
    return tuple(input.shape) == tuple(other.shape) and bool((input == other).all())


def _allclose(input: Any, other: Any, *args: Any, **kwargs: Any) -> bool:
    return bool(torch.isclose(input, other, *args, **kwargs).all())


def _moved_nowhere(input: Any, *args: Any, **kwargs: Any) -> Any:
    return input


def _new_tensor(input: Any, data: Any, *, dtype: Any = None, **options: Any) -> Any:
    return torch.tensor(data, dtype=dtype or input.dtype, **options)


def _empty(input: Any, *size: Any, **options: Any) -> Any:
    dtype = options.get("dtype") or input.dtype
    return torch.zeros(*size or (tuple(input.shape),), dtype=dtype)


def _as_tensor(data: Any, dtype: Any = None, **_: Any) -> Any:
    if not isinstance(data, Tracer):
        return Tracer.__torch_function__(torch.tensor, (), (data,), {"dtype": dtype})
    return data if dtype is None else data.to(dtype)


def _written(input: Any, index: Any, value: Any) -> None:
    raise Untraceable("a write into a tensor that the tracer did not make")


def _fill(input: Tracer, value: Any) -> Tracer:
    input[...] = value
    return input


def _hook(input: Any, *_: Any, **__: Any) -> Any:
    raise Untraceable("a hook, which changes gradients")


def _copied(input: Tracer, memo: Any = None) -> Tracer:
    """``copy.copy`` and ``copy.deepcopy`` begin a graph of their own."""
    copy = cut(input.tape, input, "copy cuts the graph")
    return gradients.require(copy) if input.requires_grad else copy


def _fill_diagonal(input: Tracer, fill_value: Any, wrap: bool = False) -> Tracer:
    if wrap:
        raise Untraceable("fill_diagonal_ with wrap")
    place = torch.arange(min(input.shape))
    input[(place,) * input.ndim] = fill_value
    return input


def _drawn(input: Tracer, draw: Callable[[Any], Any]) -> Any:
    """What is drawn into, or in the shape of, a real tensor like this one; exact from here on."""
    if not repeats_draws(input):
        raise Untraceable("random numbers, which another call draws anew")
    with torch._C.DisableTorchFunction():
        made = draw(torch.empty(tuple(input.shape), dtype=input.dtype))
    return lift(input.tape, made)


def _drawn_like(name: str) -> Callable[..., Any]:
    """A constant that is drawn as torch draws it."""

    def rule(input: Tracer, *args: Any, dtype: Any = None, **_: Any) -> Any:
        return _drawn(input, lambda blank: getattr(torch, name)(blank, *args, dtype=dtype))

    return rule


def _drawn_into(name: str) -> Callable[..., Any]:
    """The same, into a tensor that is there."""

    def rule(input: Tracer, *args: Any, **options: Any) -> Any:
        return _fill(input, _drawn(input, lambda blank: getattr(blank, name)(*args, **options)))

    return rule


_METHODS: dict[str, Callable[..., Any]] = {
    "item": leaving.item,
    "tolist": leaving.to_list,
    "__bool__": leaving.is_true,
    "is_nonzero": leaving.is_true,
    "__float__": leaving.as_float,
    "__int__": leaving.as_int,
    "equal": _equal,
    "allclose": _allclose,
    "type_as": _type_as,
    "cpu": _moved_nowhere,
    "new_tensor": _new_tensor,
    "new_empty": _empty,
    "empty_like": _empty,
    "as_tensor": _as_tensor,
    "numpy": leaving.no_array,
    "__array__": leaving.no_array,
    "__format__": leaving.formatted,
    "__round__": leaving.rounded,
    "fill_": _fill,
    "zero_": lambda input: _fill(input, 0),
    "fill_diagonal_": _fill_diagonal,
    "copy_": lambda input, source, non_blocking=False: _fill(input, source),
    "register_hook": _hook,
    "register_post_accumulate_grad_hook": _hook,
    "__copy__": _copied,
    "__deepcopy__": _copied,
    "requires_grad_": gradients.require,
    "retain_grad": gradients.retain,
    "backward": gradients.backward,
    **{name: _drawn_like(name) for name in ("rand_like", "randn_like", "randint_like")},
    **{
        name: _drawn_into(name)
        for name in ("uniform_", "normal_", "exponential_", "bernoulli_", "log_normal_", "cauchy_")
    },
}
for _name, _rule in _METHODS.items():
    setattr(Tracer, _name, _rule)
