"""Functions as people write them: nothing here is made for the tracer."""

import functools
from dataclasses import dataclass

import torch
from torch import Tensor

torch.manual_seed(0)
W = torch.randn(3, 3, dtype=torch.float64)
b = torch.randn(3, dtype=torch.float64)
D = torch.float64


def softmax_by_hand(x):
    e = torch.exp(x - x.max())
    return e / e.sum()


def logsumexp_by_hand(x):
    m = x.max()
    return m + (x - m).exp().sum().log()


def list_append(x):
    out = []
    for i in range(len(x)):
        out.append(x[i] ** (i + 1))
    return torch.stack(out)


def recurrence(x):
    prev = x[0]
    acc = prev
    for v in x[1:]:
        prev = 0.5 * prev + v
        acc = acc + prev**2
    return acc


def quadratic_form(x):
    return torch.einsum("i,ij,j->", x, W, x)


def piecewise(x):
    return torch.where(x > 1.5, x.sin(), x * x)


def sorting(x):
    v, i = torch.sort(x, descending=True)
    return v * torch.arange(1, 4) + x[i]


@dataclass
class State:
    pos: Tensor
    vel: Tensor


def rk4(x):

    def f(s):
        return State(s.vel, -s.pos - 0.1 * s.vel * s.vel.abs())

    def add(s, k, h):
        return State(s.pos + h * k.pos, s.vel + h * k.vel)

    s = State(x, 0.5 * x)
    h = 0.1
    k1 = f(s)
    k2 = f(add(s, k1, h / 2))
    k3 = f(add(s, k2, h / 2))
    k4 = f(add(s, k3, h))
    return s.pos + h / 6 * (k1.pos + 2 * k2.pos + 2 * k3.pos + k4.pos)


def with_partial(x):

    def p(a, bb, c=1.0):
        return a * bb + c

    return functools.partial(p, bb=x, c=2.0)(x)


def closure(x):
    s = x.sum()

    def g(y):
        return y * s

    return g(x) + g(1.0)


def newton(x):
    y = torch.ones_like(x)
    err = 1.0
    while err > 1e-12:
        new = 0.5 * (y + x / y)
        err = (new - y).abs().max().item()
        y = new
    return y


def newton_tensor(x):
    y = x.clone()
    tol = 1e-10
    for _ in range(100):
        step = (y * y - x) / (2 * y)
        y = y - step
        if step.abs().max() < tol:
            break
    return y


def new_tensor(x):
    return x * x.new_tensor([1.0, 2.0, 3.0]) + x.new_full((3,), 2.0) * x.new_ones(3)


def type_as(x):
    return x * torch.arange(3).type_as(x) + b.type_as(x)


def as_type(x):
    return x.type(torch.float64) * 2


def shapes(x):
    (n,) = x.shape
    assert x.is_contiguous()
    assert x.stride() == (1,)
    assert x.numel() == n
    return x.view_as(b) + b.expand_as(x).reshape_as(x)


def adjoints(x):
    return torch.outer(x, x * 2).mH @ x + torch.outer(x, b).H @ x


def asked_for_its_type(x):
    known = torch.is_tensor(x) and isinstance(x, (float, torch.Tensor)) and not isinstance(x, str)
    return x * 2 if known and torch.is_grad_enabled() else x


def summed_by_python(x):
    return sum(v * v for v in x)


def sorted_by_python(x):
    return torch.stack(sorted([x[2], x[0], x[1]])) * x


def unpacked(x):
    a, c, d = x
    return a * c + d


def zipped(x):
    return torch.stack([p * q for p, q in zip(x, b, strict=True)])


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def lennard_jones(x):
    d = x.unsqueeze(0) - x.unsqueeze(1)
    iu = torch.triu_indices(3, 3, offset=1)
    r = d[iu[0], iu[1]].abs()
    return (4 * (r ** (-12) - r ** (-6))).sum()


def conv_by_hand(x):
    return x.unfold(0, 2, 1) @ torch.tensor([1.0, -2.0], dtype=D)


def cumprod_like(x):
    return torch.cumsum(x.log(), 0).exp()


def in_a_dict(x):
    d = {"a": x, "b": x**2}
    return sum(d.values())


def solved(x):
    return torch.linalg.solve(W + torch.diag(x), b)


def layer_objects(x):

    class Layer:
        def __init__(self, w):
            self.w = w

        def __call__(self, y):
            return self.w * y

    return Layer(x)(Layer(b)(x))


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k=2.0):
        ctx.save_for_backward(x)
        ctx.k = k
        return x * k

    @staticmethod
    def backward(ctx, g):
        return g * ctx.k, None


doubled = Doubled.apply


def applied(x):
    return doubled(x)


def applied_with_a_factor(x):
    return Doubled.apply(x, 3.0)


def two_largest(x):
    v, i = x.topk(2)
    return v * x[i]


def running_sums(x):
    s = 0.0
    out = []
    for v in x:
        s = s + v
        out.append(s)
    return torch.stack(out) / len(out)


def by_rank(x):
    idx = torch.argsort(x)
    return torch.stack([x[i] * k for k, i in enumerate(idx)])


def chosen(x):
    return x[(x > 1).nonzero().squeeze(-1)] * 2


def float_mask(x):
    m = (x > 1).float()
    return x * m


def accumulated(x):
    total = torch.zeros((), dtype=D)
    for v in x:
        total += v**2
    return total


def as_tensors(x):
    return torch.as_tensor(x) * torch.as_tensor([1.0, 2.0, 3.0], dtype=D)
