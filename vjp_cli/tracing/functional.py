"""``torch.func`` and ``torch.autograd.functional`` on tracers.

torch writes both in Python around a few primitives: wrapping the arguments, nesting levels,
forward mode, batching. Only those are replaced, in the modules that call them, so that torch's own
code goes on to say what its functions return, whenever and under whatever name a user got them.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from types import ModuleType, UnionType
from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.tracing.constants import lift
from vjp_cli.tracing.gradients import gradients
from vjp_cli.tracing.positions import is_data
from vjp_cli.tracing.tape import Tape
from vjp_cli.tracing.tracer import Tracer, fresh


def replacements(tape: Tape) -> Iterator[tuple[ModuleType, str, Any]]:
    """What to replace while a function is traced: module, name, value."""
    transforms = torch._functorch.eager_transforms
    functional = torch.autograd.functional

    def wrapped(tree: Any, level: int) -> Any:
        return torch.utils._pytree.tree_map(lambda value: _begun(tape, value), tree)

    for module in (transforms, functional, *_modules_asking()):
        yield module, "isinstance", is_instance
    yield transforms, "grad_increment_nesting", lambda: nullcontext(0)
    yield transforms, "_wrap_all_tensors", wrapped
    for name in ("_create_differentiable", "_undo_create_differentiable"):
        yield transforms, name, lambda tree, level=None: tree
    yield transforms, "_jvp_with_argnums", _jvp(wrapped)
    yield transforms, "_chunked_standard_basis_for_", _standard_basis
    yield functional, "_construct_standard_basis_for", _one_basis
    yield torch._functorch.apis, "vmap_impl", _vmap_impl
    yield (
        functional,
        "_vmap",
        lambda function, in_dims=0, out_dims=0: (
            lambda *args: _mapped(function, (in_dims, out_dims), args, {})
        ),
    )


def _modules_asking() -> Sequence[ModuleType]:
    """Further modules of torch that ask whether a value is a tensor."""
    return (
        # the module itself, not its stand-in for late imports
        sys.modules["torch"],
        torch.nn.functional,
        torch.nn.utils._named_member_accessor,
        torch.utils._pytree,
    )


def is_instance(value: Any, kinds: Any) -> bool:
    """``isinstance`` for which a tracer is a ``torch.Tensor``, too."""
    return isinstance(value, kinds) or (isinstance(value, Tracer) and _has_tensor(value, kinds))


def _has_tensor(value: Tracer, kinds: Any) -> bool:
    if isinstance(kinds, tuple):
        return any(_has_tensor(value, kind) for kind in kinds)
    if isinstance(kinds, UnionType):
        return _has_tensor(value, kinds.__args__)
    return kinds is (float if value.is_number else torch.Tensor)


def _begun(tape: Tape, value: Any) -> Any:
    """A tensor as one by which gradients can be taken."""
    return fresh(lift(tape, value)) if is_data(value) else value


def _jvp(wrapped: Callable[[Any, int], Any]) -> Callable[..., Any]:
    """Ju without forward mode: Jᵀw is linear in w, and its derivative by w along u is Ju."""
    tree = torch.utils._pytree
    transforms = torch._functorch.eager_transforms

    def jvp(
        function: Callable[..., Any], primals: Any, tangents: Any, argnums: Any, **options: Any
    ) -> Any:
        has_aux = options["has_aux"]
        args = wrapped(primals, 0)
        chosen = args if argnums is None else transforms._slice_argnums(args, argnums)
        result = function(*args)
        result, aux = result if has_aux else (result, None)
        outputs, spec = tree.tree_flatten(result)
        along = _pushed(outputs, tree.tree_leaves(chosen), tree.tree_leaves(tangents))
        pushed = tree.tree_unflatten(along, spec)
        return (result, pushed, aux) if has_aux else (result, pushed)

    return jvp


def _pushed(outputs: list[Any], sources: list[Tracer], tangents: list[Any]) -> list[Any]:
    weights = [
        fresh(lift(output.tape, torch.ones(output.shape, dtype=output.dtype)))
        if isinstance(output, Tracer)
        else None
        for output in outputs
    ]
    pulled = gradients(outputs, sources, weights)
    ends = [(part, u) for part, u in zip(pulled, tangents, strict=True) if part is not None]
    result: list[Any] = []
    for output, weight in zip(outputs, weights, strict=True):
        [along] = (
            gradients([part for part, _ in ends], [weight], [u for _, u in ends])
            if ends and weight is not None
            else [None]
        )
        result.append(torch.zeros_like(output) if along is None else along)
    return result


def _standard_basis(
    tensors: Sequence[Any], numels: Sequence[int], chunk_size: int | None = None
) -> Iterator[tuple[Any, ...]]:
    """The rows of an identity matrix, split as the tensors are, in chunks."""
    total = sum(numels)
    size = min(chunk_size or total, total) or 1
    for start in range(0, max(total, 1), size):
        rows = torch.eye(total, dtype=torch.float64)[start : start + size]
        parts = torch.split(rows, list(numels), 1)
        yield tuple(
            part.to(tensor.dtype).reshape(len(part), *tensor.shape)
            for part, tensor in zip(parts, tensors, strict=True)
        )


def _one_basis(tensors: Sequence[Any], numels: Sequence[int]) -> tuple[Any, ...]:
    """The rows of an identity matrix, split as the flattened tensors are."""
    [parts] = _standard_basis(tensors, numels)
    return tuple(part.reshape(len(part), -1) for part in parts)


def _vmap_impl(
    function: Callable[..., Any],
    in_dims: Any,
    out_dims: Any,
    randomness: str,
    chunk_size: int | None,
    *args: Any,
    **kwargs: Any,
) -> Any:
    return _mapped(function, (in_dims, out_dims), args, kwargs)


def _mapped(
    function: Callable[..., Any], dims: tuple[Any, Any], args: tuple[Any, ...], kwargs: Any
) -> Any:
    """``vmap`` as what it means: the function for each slice, and the results stacked."""
    tree = torch.utils._pytree
    in_dims, out_dims = dims
    flat, spec = tree.tree_flatten(args)
    axes = tree._broadcast_to_and_flatten(in_dims, spec)
    if axes is None:
        raise ValueError(f"vmap: in_dims={in_dims} does not fit the arguments")
    sizes = {value.shape[axis] for value, axis in zip(flat, axes, strict=True) if axis is not None}
    if len(sizes) != 1:
        raise ValueError(f"vmap over axes of the sizes {sorted(sizes)}")
    size = sizes.pop()
    results = []
    # without an element, one of zeros shows the shapes
    for k in range(size or 1):
        part = [
            value if axis is None else _slice(value, axis, k)
            for value, axis in zip(flat, axes, strict=True)
        ]
        results.append(tree.tree_flatten(function(*tree.tree_unflatten(part, spec), **kwargs)))
    out_spec = results[0][1]
    out_axes = tree._broadcast_to_and_flatten(out_dims, out_spec)
    if out_axes is None:
        raise ValueError(f"vmap: out_dims={out_dims} does not fit the results")
    columns = zip(*(leaves for leaves, _ in results), strict=True)
    stacked = [
        column[0] if axis is None else torch.stack(column, axis).narrow(axis, 0, size)
        for column, axis in zip(columns, out_axes, strict=True)
    ]
    return tree.tree_unflatten(stacked, out_spec)


def _slice(value: Any, axis: int, k: int) -> Any:
    if value.shape[axis]:
        return value.select(axis, k)
    sizes = list(value.shape)
    del sizes[axis]
    return torch.zeros(sizes, dtype=value.dtype)
