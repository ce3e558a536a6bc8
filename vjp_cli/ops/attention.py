"""The row of scaled dot-product attention."""

from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.table import Kind, Op
from vjp_cli.tracing.tracer import Untraceable, repeats_draws

# The signature is torch's own.


def _attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Any:
    if dropout_p and not repeats_draws(query):
        raise Untraceable("the random numbers of dropout_p: only dropout_p=0 draws none")
    if enable_gqa:
        groups = query.shape[-3] // key.shape[-3]
        key, value = (torch.repeat_interleave(x, groups, -3) for x in (key, value))
    scores = torch.matmul(query, key.transpose(-2, -1))
    scores = scores * scale if scale is not None else scores / _root(query)
    if is_causal:
        attn_mask = torch.ones(tuple(scores.shape[-2:]), dtype=torch.bool).tril()
    weights = _weights(scores, attn_mask)
    if dropout_p:
        weights = torch.nn.functional.dropout(weights, dropout_p, True)
    return torch.matmul(weights, value)


def _root(query: Any) -> Any:
    """√E, exactly where the query is traced: a sum with the query's zeros is exact there."""
    return torch.sqrt(torch.zeros_like(torch.sum(query)) + query.shape[-1])


def _weights(scores: Any, mask: Any) -> Any:
    """The softmax over what the mask lets through; 0 for a query from which all is hidden."""
    if mask is None:
        return torch.softmax(scores, -1)
    shown = mask
    if mask.dtype is not torch.bool:
        shown = mask != -torch.inf
        scores = scores + torch.where(shown, mask, 0)
    shown = shown.expand(tuple(scores.shape))
    powers = torch.where(shown, torch.exp(scores), 0)
    total = torch.where(shown.any(-1, True), torch.sum(powers, -1, True), 1)
    return powers / total


_KEYS, _VALUES = "S", "S[:, :2]"
_CALL = f"scaled_dot_product_attention(x, {_KEYS}, {_VALUES}"

ROWS: tuple[Op, ...] = (
    Op(
        "scaled_dot_product_attention",
        "nn.functional.scaled_dot_product_attention",
        Kind.COMPOSITE,
        _attention,
        (
            f"{_CALL})",
            "scaled_dot_product_attention(x, y, y, is_causal=True)",
            f"{_CALL}, scale=0.5)",
            f"{_CALL}, attn_mask=m)",
            f"{_CALL}, y)",
            "scaled_dot_product_attention(x[None, None], y[None, None], x[None, None])",
            "scaled_dot_product_attention(stack((x, y))[None], y[None, None], x[None, None], "
            "enable_gqa=True)",
            f"{_CALL}, where(m, y, -float('inf')))",
        ),
        note="refused where it draws at random (dropout_p), unless a function does it",
    ),
)
