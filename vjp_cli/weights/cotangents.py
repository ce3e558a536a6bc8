"""The v of a request for a y: given, several, or that of a loss; and the tangent u."""

from collections.abc import Mapping

from vjp_cli.binding import Bound, cotangent, tensor
from vjp_cli.errors import InputError, shorten
from vjp_cli.lazy import torch
from vjp_cli.request import Request
from vjp_cli.settings import Settings
from vjp_cli.values import Generated, Value
from vjp_cli.weights.loss import loss_cotangent


def refuse(request: Request, settings: Settings) -> None:
    """Refuse what contradicts itself, before anything is evaluated.

    Raises:
        InputError: choices that cannot go together.
    """
    if request.loss is not None and request.v is not None:
        raise InputError("v and the loss both say what v is", "leave one of them out")
    if settings.order == 2 and request.loss is not None:
        raise InputError(
            "order 2 takes no loss",
            "write the loss as the last statement of the expression: its Hessian is order 2",
        )
    if settings.order == 2 and request.further:
        raise InputError("order 2 takes one v: the gradient of Σ v_i·y_i is differentiated again")
    if settings.contributions and not settings.jacobian:
        raise InputError("contributions are v_i·J_ij: they need J", "leave out --no-jacobian")


def cotangents(
    request: Request, output: "torch.Tensor", settings: Settings
) -> "list[torch.Tensor | None]":
    """Each v in the shape of y, the first one first; None for one that has to be given.

    Raises:
        VjpError: a v or a loss does not fit y.
    """
    if request.loss is not None:
        return [loss_cotangent(request.loss, output, settings)]
    given = request.v if settings.order == 1 else None
    return [cotangent(each, output, settings) for each in (given, *request.further)]


def tangents(
    request: Request, bound: Bound, wrt: tuple[str, ...], settings: Settings
) -> "dict[str, torch.Tensor] | None":
    """U for each input that moves; None without any.

    Raises:
        InputError: a u of another shape, of an unknown input, or of no input where there are
            several.
    """
    if request.tangent is None:
        return None
    given: Mapping[str, Value | Generated] = request.tangent
    if "" in given:
        if len(wrt) > 1:
            ways = " ".join(f"--u {name}=VALUE" for name in wrt)
            raise InputError(
                f"u has no name, and {len(wrt)} inputs are differentiated by", f"write {ways}"
            )
        given = {wrt[0]: given[""]}
    for name in given:
        if name not in wrt:
            raise InputError(
                f"u: nothing is differentiated by '{shorten(name)}'",
                f"its inputs: {', '.join(wrt)}",
            )
    return {name: _tangent(name, given[name], bound.inputs[name], settings) for name in given}


def _tangent(
    name: str, value: Value | Generated, x: "torch.Tensor", settings: Settings
) -> "torch.Tensor":
    shape = tuple(x.shape)
    if isinstance(value, Generated) and value.shape is None:
        value = Generated(value.kind, shape, value.index, value.dtype)
    made = tensor(value, settings)
    if made.is_complex() and not x.is_complex():
        raise InputError(f"u is complex and {name} is real", "give u real numbers")
    if tuple(made.shape) == shape or (made.numel() == x.numel() == 1 and made.ndim <= 1):
        return made.reshape(shape).to(x)
    raise InputError(
        f"u has the shape {_words(tuple(made.shape))} and {name} has the shape {_words(shape)}",
        f"u moves every element of {name}: give it the shape of {name}, for example --u ones",
    )


def _words(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape)) if shape else "scalar"
