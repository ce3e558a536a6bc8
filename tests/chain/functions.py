"""Functions for the tests, whose lines are the steps."""

import torch


class Cube(torch.autograd.Function):
    """x³, with a backward that says 2·x²."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        square = x * x
        return square * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 2 * x * x


class Raising(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, g):
        raise RuntimeError("not today")


def two_paths(x, w):
    h = w @ x
    a = h * h
    b = torch.mul(
        h,
        3,
    )
    return (a * b).sum()


def cube(x):
    a = x + 1
    b = Cube.apply(a)
    return b.sum()


def raising(x):
    a = x * x
    b = Raising.apply(a)
    return b + 1


def loop(x):
    for _ in range(3):
        x = x * x * 2
    return x


def writes(x):
    out = torch.zeros(3, dtype=x.dtype)
    out[0] = x[0] * 2
    out[1] = x[1] * (out[0] + 1)
    out.mul_(10)
    return out + 1


def masked(x):
    r = torch.sqrt(x)
    return torch.where(x > 0, r, torch.zeros_like(x))


def one_line(x):
    return torch.exp(x * 2).sum()


def one_call(x):
    return Cube.apply(x)


def _square(z):
    q = z * z
    return q + 1


def helped(x):
    a = _square(x)
    b = _square(a)
    return b * 2


def with_a_hook(x):
    h = x * 2
    h.register_hook(lambda g: g * 10)
    y = h * h
    return y + 1
