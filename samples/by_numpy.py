# vjp inspect --function samples/by_numpy.py:softsign_wrong --x -1,0.5,2 --v 1,2,3  # exit 1
# vjp inspect --function samples/by_numpy.py:softsign --x -1,0.5,2 --v 1,2,3
#
# What NumPy computes cannot be followed: finite differences say what they can.
"""x/(1 + |x|) as a custom autograd.Function over NumPy, and one whose backward lacks a square."""

import torch


class Softsign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        values = x.detach().numpy()
        return torch.from_numpy(values / (1 + abs(values)))

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output / (1 + x.abs()) ** 2


class SoftsignWrong(Softsign):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output / (1 + x.abs())


def softsign(x):
    return Softsign.apply(x)


def softsign_wrong(x):
    return SoftsignWrong.apply(x)
