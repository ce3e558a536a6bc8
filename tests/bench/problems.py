"""The functions that J is measured on."""

from collections.abc import Callable

import torch
from torch import Tensor

Function = Callable[[Tensor], Tensor]


def point(size: int) -> Tensor:
    """A point in (0.1, 1) that requires a gradient."""
    return torch.linspace(0.1, 1, size, dtype=torch.float64).requires_grad_()


def dense(size: int) -> dict[str, Function]:
    """Functions of ``size`` numbers."""
    matrix = torch.randn(size, size, dtype=torch.float64, generator=torch.Generator())
    matrix /= size**0.5
    return {
        "elementwise": lambda x: torch.sin(x) * x,
        "softmax": lambda x: torch.softmax(x, 0),
        "tanh(A @ x)": lambda x: torch.tanh(matrix @ x),
        "stencil": lambda x: x[1:-1] * (x[2:] - 2 * x[1:-1] + x[:-2]),
        "sum of squares": lambda x: (x * x).sum(),
    }


# of 10,000 numbers, as expressions: torch's side and the tracer run the same text
STRUCTURED = {
    "elementwise": "sin(x)*x",
    "1-D stencil": "x[1:-1]*(1 - x[1:-1]) + 0.1*(x[2:] - 2*x[1:-1] + x[:-2])",
    "2-D stencil": "u = x.reshape(100, 100); u[1:-1, 1:-1]**3 + u[2:, 1:-1] + u[:-2, 1:-1] "
    "+ u[1:-1, 2:] + u[1:-1, :-2] - 4*u[1:-1, 1:-1]",
    "Brusselator": "w = x.reshape(2, 50, 100); u = w[0]; v = w[1]; "
    "a = 1 + u*u*v - 4.4*u + 0.1*(roll(u, 1, 0) + roll(u, -1, 0) + roll(u, 1, 1) "
    "+ roll(u, -1, 1) - 4*u); "
    "b = 3.4*u - u*u*v + 0.1*(roll(v, 1, 0) + roll(v, -1, 0) + roll(v, 1, 1) "
    "+ roll(v, -1, 1) - 4*v); stack([a, b])",
    "blocks of 10": "softmax(x.reshape(1000, 10), 1)",
}
