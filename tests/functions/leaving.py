"""Functions whose numbers leave torch, and some that nobody can follow."""

import copy
import math

import numpy
import torch


def item(x):
    return x * x[0].item()


def item_of_float32(x):
    y = x.float()
    return y * (2 * y[0].item())


def listed(x):
    first, *_ = x.tolist()
    return x * first


def copied_values(x):
    return x * torch.tensor([x[0], 2.0, 3.0], dtype=x.dtype)


def without_grad(x):
    with torch.no_grad():
        first = x[0] * 1
    return x * first


@torch.no_grad()
def _first(x):
    return x[0] * 1


def decorated(x):
    return x * _first(x)


def grad_again(x):
    with torch.no_grad(), torch.enable_grad():
        first = x[0] * 1
    return x * first


def copied(x):
    return x * copy.deepcopy(x)[0]


def printed(x):
    assert f"{x[1]:.2f}" == "2.00"
    return x * 2


class Scaled(torch.autograd.Function):
    """x/‖x‖, by a number of item(); the backward is right."""

    @staticmethod
    def forward(ctx, x):
        norm = x.norm().item()
        ctx.save_for_backward(x)
        ctx.norm = norm
        return x.detach() / norm

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g / ctx.norm - x * (g @ x) / ctx.norm**3


def scaled(x):
    return Scaled.apply(x)


def as_float(x):
    return x * math.sqrt(float(x[0]))  # here


# -- refused ------------------------------------------------------------------------------------


def no_row(x):
    return torch.frexp(x)[0]  # here


def helper_without_a_row(x):
    def helper(y):
        return torch.frexp(y)[0]  # here

    return helper(2 * x)


def by_numpy(x):
    return x * torch.from_numpy(numpy.sin(x.detach().numpy()))  # here


class Measured(Scaled):
    """float() in a forward hides what its backward has the derivative of."""

    @staticmethod
    def forward(ctx, x):
        ctx.norm = float(x.norm())  # here
        ctx.save_for_backward(x)
        return x / ctx.norm


def measured(x):
    return Measured.apply(x)


def hooked(x):
    y = x * 2
    y.register_hook(lambda g: 3 * g)  # here
    return y


def forward_mode(x):
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, x)  # here
        return torch.autograd.forward_ad.unpack_dual(dual * dual).tangent
