"""Modules as users write them: classes, instances, factories."""

import torch
import torch.nn.functional as F
from torch import nn


class MLP(nn.Module):
    """Two layers with a layer norm between."""

    def __init__(self, width=4):
        super().__init__()
        self.fc1 = nn.Linear(3, width)
        self.norm = nn.LayerNorm(width)
        self.fc2 = nn.Linear(width, 2)

    def forward(self, x):
        return self.fc2(F.gelu(self.norm(self.fc1(x))))


class Attention(nn.Module):
    """Multi-head attention with torch's own module, which looks ahead at nothing."""

    def __init__(self):
        super().__init__()
        self.attend = nn.MultiheadAttention(4, 2, batch_first=True)

    def forward(self, x):
        hidden = torch.triu(torch.ones(x.shape[1], x.shape[1], dtype=torch.bool), 1)
        return self.attend(x, x, x, attn_mask=hidden)[0]


class Cell(nn.Module):
    """An LSTM cell written out; its outputs are h and c."""

    def __init__(self):
        super().__init__()
        self.w = nn.Linear(3, 8)
        self.u = nn.Linear(2, 8, bias=False)

    def forward(self, x, h, c):
        i, f, o, g = (self.w(x) + self.u(h)).chunk(4, -1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh(), c


block = nn.Sequential(
    nn.Conv2d(1, 2, 3, padding=1), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2)
).eval()
linear: nn.Module = nn.Linear(3, 2)
dropping = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))
normed = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Tanh())
embedding = nn.Embedding(4, 3)
lstm = nn.LSTM(3, 2, num_layers=2, bidirectional=True)
gru = nn.GRU(3, 2, batch_first=True)
elman = nn.RNN(3, 2)
encoder = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)


def make():
    """A factory: the module is changed before it is used."""
    made = Scaled()
    made.weight.data.fill_(3.0)
    return made.eval()


def make_wide(width):
    """A factory that cannot be called without a value."""
    return MLP(width)


class Scaled(nn.Module):
    """y = weight·x·scale + frozen, where scale is a buffer and frozen takes no gradient."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([2.0, 5.0]))
        self.frozen = nn.Parameter(torch.tensor([1.0, 1.0]), requires_grad=False)
        self.register_buffer("scale", torch.tensor([10.0, 100.0]))

    def forward(self, x):
        return self.weight * x * self.scale + self.frozen


class Tied(nn.Module):
    """y = (weight·x)², with one parameter in two places."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(1, 1, bias=False)
        self.second = nn.Linear(1, 1, bias=False)
        self.second.weight = self.first.weight

    def forward(self, x):
        return self.first(x) * self.second(x)


class Clash(nn.Module):
    """A parameter that is called as the input is."""

    def __init__(self):
        super().__init__()
        self.x = nn.Parameter(torch.tensor([7.0]))

    def forward(self, x):
        return self.x * x


class Derived(Scaled):
    """A module with the forward of its base."""


class Wrong(torch.autograd.Function):
    """y = x², and a backward without the 2."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x


class Late(torch.autograd.Function):
    """y = k·x with a constant k, in the other style."""

    @staticmethod
    def forward(x, k):
        return x * k

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.k = inputs[1]

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.k, None


def powers(x, k: int, *, twice=False, mode="all", scale: float | None = None):
    """Plain Python values: an annotated count, a flag, a text, a number."""
    y = x**k
    if scale is not None:
        y = y * scale
    if twice:
        y = y + y
    return y if mode == "all" else y[:1]


def several(x):
    """Outputs in containers."""
    return {"double": x * 2, "rest": (x * 3, [x * 4])}


alias = several
quick = lambda x: x * 6  # noqa: E731
number = 3
unknown = [make][0]()
