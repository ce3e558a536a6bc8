"""Losses, layers and gradients inside, as people write them."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import grad, jacrev, vmap

torch.manual_seed(0)
W = torch.randn(3, 3, dtype=torch.float64)
b = torch.randn(3, dtype=torch.float64)
D = torch.float64


def losses(x):
    return F.mse_loss(x, b) + F.smooth_l1_loss(x, b) + F.huber_loss(x, 2 * b)


def classes(x):
    return F.cross_entropy(x.unsqueeze(0), torch.tensor([1]))


def energy(x):
    return (x**4).sum() + x.prod()


def force(x):
    return -torch.autograd.grad(energy(x), x, create_graph=True)[0]


def gradient_penalty(x):
    y = torch.tanh(W @ x).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    return (g.norm(2) - 1) ** 2


def hessian_vector(x):
    g = torch.autograd.grad(energy(x), x, create_graph=True)[0]
    return torch.autograd.grad(g, x, grad_outputs=b, create_graph=True)[0]


def per_sample_gradients(x):

    def loss(w, s, t):
        return ((w * s).sum() - t) ** 2

    return vmap(grad(loss), in_dims=(None, 0, 0))(x, W, b)


linear = nn.Linear(3, 2).double()


def through_linear(x):
    return torch.relu(linear(x))


heads = nn.MultiheadAttention(3, 1, batch_first=True).double().eval()


def through_attention(x):
    t = torch.stack([x, 2 * x])[None]
    return heads(t, t, t, need_weights=False)[0]


def functional_call(x):
    return torch.func.functional_call(linear, {"weight": torch.stack([x, x * 2])}, (x,))


def divergence(x):
    p = F.log_softmax(x, 0)
    return F.kl_div(p, F.softmax(b, 0), reduction="sum")


def nested_vmap(x):
    return vmap(vmap(lambda a, c: a * c, in_dims=(None, 0)), in_dims=(0, None))(x, x * 2)


layers = (
    nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.ReLU(), nn.Dropout(0.5), nn.Linear(4, 2))
    .double()
    .eval()
)


def through_layers(x):
    return layers(x)


encoder = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True, dropout=0.0).double()


def through_encoder(x):
    t = torch.stack([x, 2 * x, x * x])
    t = torch.cat([t, x[:, None]], 1)
    return encoder(t[None])


convolution = nn.Sequential(nn.Conv1d(1, 2, 2), nn.BatchNorm1d(2), nn.MaxPool1d(2)).double().eval()


def through_convolution(x):
    return convolution(x.view(1, 1, 3))


norm = nn.BatchNorm1d(2).double().train()


def through_batch_norm(x):
    return norm(torch.outer(x, x)[:, :2])


table = nn.Embedding(4, 3).double()


def embedded(x):
    return table(torch.tensor([1, 3])) @ x


def in_float32(x):
    return torch.func.hessian(lambda z: (z**3 * 0.1).sum())(x.float())


def checkpointed_layers(x):
    return torch.utils.checkpoint.checkpoint_sequential(layers, 2, x, use_reentrant=False)


def maml(x):
    w = x
    for _ in range(2):
        loss = ((w * torch.tensor([1.0, 2.0, 3.0], dtype=D) - 1) ** 2).mean()
        w = w - 0.1 * torch.autograd.grad(loss, w, create_graph=True)[0]
    return w


def pinn(x):
    x = x.requires_grad_(True)
    u = torch.sin(x) * x
    ux = torch.autograd.grad(u, x, torch.ones_like(u), create_graph=True)[0]
    uxx = torch.autograd.grad(ux, x, torch.ones_like(ux), create_graph=True)[0]
    return uxx + u * ux


def hamilton(x):
    q, p = x[0], x[1]

    def energy_of(q, p):
        return p**2 / 2 + (1 - torch.cos(q))

    for _ in range(3):
        p = p - 0.1 * grad(energy_of, argnums=0)(q, p)
        q = q + 0.1 * grad(energy_of, argnums=1)(q, p)
    return torch.stack([q, p])


def laplacian(x):
    return torch.func.hessian(lambda z: torch.exp(-z @ z))(x).diagonal().sum()


def ntk(x):
    def f(w, s):
        return torch.tanh(w @ s)

    j = vmap(jacrev(f), in_dims=(None, 0))(x, torch.eye(3, dtype=D))
    return j @ j.T


def layer_norm_by_hand(x, eps=1e-05):
    mu = x.mean(-1, keepdim=True)
    var = ((x - mu) ** 2).mean(-1, keepdim=True)
    return (x - mu) / torch.sqrt(var + eps)


def attention(x):
    q, k, v = (x.unsqueeze(-1) @ row for row in W.split(1))
    s = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    mask = torch.triu(torch.ones(3, 3, dtype=torch.bool), diagonal=1)
    s = s.masked_fill(mask, float("-inf"))
    return torch.softmax(s, dim=-1) @ v


def gru(x):
    h = torch.zeros_like(x)
    for _ in range(3):
        z = torch.sigmoid(W @ x + h)
        r = torch.sigmoid(W.T @ x - h)
        n = torch.tanh(W @ (r * h) + x)
        h = (1 - z) * n + z * h
    return h
