"""Functions as users write them, for the tests of the tracer."""

import torch


class Square(torch.autograd.Function):
    """In the style with ``setup_context``; its backward is right."""

    @staticmethod
    def forward(x):
        return x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g


class Cube(torch.autograd.Function):
    """In the old style; its backward forgets the factor 3."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return x * x * g


def square(x):
    return Square.apply(x)


def cube(x):
    return Cube.apply(x)


def third_derivative(x):
    """24·x, by two gradients inside."""
    first = torch.autograd.grad((x**4).sum(), x, create_graph=True)[0]
    return torch.autograd.grad(first.sum(), x, create_graph=True)[0] * 2


def functional(x):
    return torch.func.grad(lambda z: (z**3).sum())(2 * x)


def weighted(x, g):
    """autograd.grad with a cotangent of its own."""
    return torch.autograd.grad(x * x, x, g, create_graph=True)[0]


def factories(x):
    return x * torch.full((3,), 0.1, dtype=torch.float64) + torch.zeros_like(x) + torch.eye(3)[0]


def branches(x):
    return x * x if x.sum() > 0 else -x


def filled(x):
    out = torch.zeros(3, dtype=x.dtype)
    out[0] = x[0] * x[1]
    out[1:] = 2.0 * x[:2]
    out += 1.0
    out.mul_(3.0)
    return out


def written_view(x):
    y = x * 2
    part = y[:2]
    part[0] = 0.0
    return y * y


def default(x, k=3.0):
    return k * x


def two(x):
    return x, x


def raising(x):
    raise ValueError("no luck")


def printing(x):
    print("a word")
    return x * 2


class Forgets(torch.autograd.Function):
    """y = (x - t)² whose backward has nothing for t."""

    @staticmethod
    def forward(ctx, x, t):
        ctx.save_for_backward(x, t)
        return (x - t) ** 2

    @staticmethod
    def backward(ctx, g):
        x, t = ctx.saved_tensors
        return 2 * (x - t) * g, None


def forgets_the_target(x, t):
    return Forgets.apply(x, t)
