# vjp inspect --function samples/swish.py:swish --x -1,0.5,2 --v 1,2,3  # exit 1
# vjp inspect --function samples/swish.py:swish_right --x -1,0.5,2 --v 1,2,3
#
# A backward written by hand, with a mistake in it, and its corrected twin.
"""swish(x) = x·σ(x), also called SiLU, as a custom autograd.Function."""

import torch
from torch.autograd.function import once_differentiable


class Swish(torch.autograd.Function):
    """Saves σ(x) and y, so that backward needs no exponential."""

    @staticmethod
    def forward(ctx, x):
        s = torch.sigmoid(x)
        y = x * s
        ctx.save_for_backward(s, y)
        return y

    @staticmethod
    def backward(ctx, g):
        s, y = ctx.saved_tensors
        # y' = s + x·s·(1 - s) = s + y·(1 - s): the factor 1 - s is forgotten
        return g * (s + y)


class SwishRight(Swish):
    """The same forward, and the derivative as it should be.

    σ(x) is saved without its graph, so that a second derivative would lack a term: torch is told
    to refuse it.
    """

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        s, y = ctx.saved_tensors
        return g * (s + y * (1 - s))


def swish(x):
    return Swish.apply(x)


def swish_right(x):
    return SwishRight.apply(x)
