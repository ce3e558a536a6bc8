"""What a tensor is asked for without anything being computed: its shape, its dtype, its place."""

from math import prod
from typing import TYPE_CHECKING, Any

from vjp_cli.lazy import torch
from vjp_cli.numbers.dtypes import is_complex_dtype
from vjp_cli.tracing.node import Node

if TYPE_CHECKING:
    from vjp_cli.tracing.tracer import Tracer


class TensorLike:
    """The questions that a node answers in the role of a dense tensor on the CPU."""

    _node: Node
    is_root: bool
    is_cuda = is_sparse = is_quantized = is_nested = is_mkldnn = is_meta = False

    @property
    def shape(self) -> "torch.Size":
        """The shape."""
        return torch.Size(self._node.shape)

    @property
    def dtype(self) -> "torch.dtype":
        """The dtype that torch's result would have."""
        return getattr(torch, self._node.dtype)  # type: ignore[no-any-return]

    @property
    def device(self) -> "torch.device":
        """Exact numbers live on the CPU."""
        return torch.device("cpu")

    @property
    def layout(self) -> "torch.layout":
        """Dense."""
        return torch.strided

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._node.shape)

    @property
    def itemsize(self) -> int:
        """The bytes of an element."""
        return self.dtype.itemsize

    @property
    def requires_grad(self) -> bool:
        """Whether the program keeps a graph behind it."""
        return self._node.active and not self._node.cut

    @property
    def is_leaf(self) -> bool:
        """Whether the program's graph begins here."""
        return self.is_root or not self.requires_grad

    @property
    def data(self) -> Any:
        """The same values, cut from the graph."""
        return self.detach()

    @property
    def real(self) -> Any:
        """The real part."""
        return torch.real(self)  # type: ignore[arg-type]

    @property
    def imag(self) -> Any:
        """The imaginary part."""
        return torch.imag(self)  # type: ignore[arg-type]

    @property
    def T(self) -> Any:
        """The axes in reverse order."""
        return self.permute(*range(self.ndim - 1, -1, -1))

    @property
    def mT(self) -> Any:
        """The last two axes swapped."""
        return self.transpose(-2, -1)

    @property
    def mH(self) -> Any:
        """The last two axes swapped, and conjugated."""
        return self.transpose(-2, -1).conj()

    H = mH

    def size(self, dim: int | None = None) -> Any:
        """The shape, or one axis of it."""
        return self.shape if dim is None else self.shape[dim]

    def dim(self) -> int:
        """The number of axes."""
        return self.ndim

    ndimension = dim

    def numel(self) -> int:
        """The number of elements."""
        return self._node.size

    nelement = numel

    def stride(self, dim: int | None = None) -> Any:
        """The steps of a contiguous tensor: how a real one lies in memory is not followed."""
        sizes = [max(size, 1) for size in self.shape]
        steps = tuple(prod(sizes[axis + 1 :]) for axis in range(len(sizes)))
        return steps if dim is None else steps[dim]

    def is_contiguous(self, **_: Any) -> bool:
        """A node is always laid out in order."""
        return True

    def is_floating_point(self) -> bool:
        """Whether the values are real; masks and indices are tensors, never tracers."""
        return not self.is_complex()

    def is_complex(self) -> bool:
        """Whether the values are complex."""
        return is_complex_dtype(self._node.dtype)

    def is_same_size(self, other: "Tracer | torch.Tensor") -> bool:
        """Whether the shapes are equal."""
        return self.shape == other.shape

    def element_size(self) -> int:
        """The bytes of an element."""
        return self.itemsize

    def get_device(self) -> int:
        """The CPU has no number."""
        return -1

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...
