"""Rows that normalise: by the moments of a layer, a batch, an instance or a group of channels."""

from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.table import Kind, Op


def _standardised(input: Any, dim: Any, eps: float) -> Any:
    """``input`` with mean 0 and (nearly) variance 1 over the dimensions of ``dim``."""
    centred = input - torch.mean(input, dim, True)
    return centred / torch.sqrt(torch.mean(centred * centred, dim, True) + eps)


def _affine(input: Any, weight: Any, bias: Any) -> Any:
    scaled = input if weight is None else input * weight
    return scaled if bias is None else scaled + bias


def _by_channel(parameter: Any, ndim: int) -> Any:
    """A parameter with one element a channel, shaped to broadcast over dimension 1."""
    return None if parameter is None else parameter.reshape((1, -1) + (1,) * (ndim - 2))


def _layer_norm(
    input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Any:
    last = tuple(range(-len(normalized_shape), 0))
    return _affine(_standardised(input, last, eps), weight, bias)


def _rms_norm(input: Any, normalized_shape: Any, weight: Any = None, eps: Any = None) -> Any:
    eps = torch.finfo(input.dtype).eps if eps is None else eps
    last = tuple(range(-len(normalized_shape), 0))
    return _affine(input / torch.sqrt(torch.mean(input * input, last, True) + eps), weight, None)


def _group_norm(
    input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Any:
    groups = input.reshape((input.shape[0], num_groups, -1))
    same = _standardised(groups, -1, eps).reshape(tuple(input.shape))
    return _affine(same, _by_channel(weight, input.ndim), _by_channel(bias, input.ndim))


def _batch_norm(
    input: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    if training:
        others = tuple(d for d in range(input.ndim) if d != 1)
        same = _standardised(input, others, eps)
    else:
        centred = input - _by_channel(running_mean, input.ndim)
        same = centred / torch.sqrt(_by_channel(running_var, input.ndim) + eps)
    return _affine(same, _by_channel(weight, input.ndim), _by_channel(bias, input.ndim))


def _instance_norm(
    input: Any,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    if use_input_stats:
        same = _standardised(input, tuple(range(2, input.ndim)), eps)
        return _affine(same, _by_channel(weight, input.ndim), _by_channel(bias, input.ndim))
    return _batch_norm(input, running_mean, running_var, weight, bias, eps=eps)


def _local_response_norm(
    input: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Any:
    around = [0, 0] * (input.ndim - 2) + [size // 2, (size - 1) // 2]
    windows = torch.nn.functional.pad(input * input, around).unfold(1, size, 1)
    return input / (alpha * torch.mean(windows, -1) + k) ** beta


def _composite(name: str, rule: Any, *samples: str) -> Op:
    return Op(name, f"nn.functional.{name}", Kind.COMPOSITE, rule, samples)


ROWS: tuple[Op, ...] = (
    _composite(
        "layer_norm",
        _layer_norm,
        "layer_norm(x, (3,))",
        "layer_norm(x, [3], b, y[0])",
        "layer_norm(x, (2, 3), y, A, 1e-3)",
    ),
    _composite("rms_norm", _rms_norm, "rms_norm(x, (3,))", "rms_norm(x, (3,), b, 1e-3)"),
    _composite(
        "group_norm",
        _group_norm,
        "group_norm(B.reshape(1, 6, 2), 3)",
        "group_norm(B.reshape(3, 2, 2), 1, b[:2], y[0, :2])",
    ),
    _composite(
        "batch_norm",
        _batch_norm,
        "batch_norm(x, None, None, training=True)",
        "batch_norm(x, None, None, b, y[0], True, eps=1e-3)",
        "batch_norm(x, tensor([0.1, 0.2, 0.3]).double(), ones(3).double(), eps=1e-3)",
        "batch_norm(B.reshape(2, 3, 2), None, None, b, None, True)",
    ),
    _composite(
        "instance_norm",
        _instance_norm,
        "instance_norm(B.reshape(1, 3, 4))",
        "instance_norm(B.reshape(1, 3, 4), weight=b, bias=y[0], eps=1e-3)",
    ),
    _composite(
        "local_response_norm",
        _local_response_norm,
        "local_response_norm(B.reshape(1, 3, 4), 2)",
        "local_response_norm(B.reshape(1, 6, 2), 3, 0.5, 0.75, 2.0)",
    ),
)
