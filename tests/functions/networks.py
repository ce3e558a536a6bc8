"""Small networks as functions of their inputs and parameters, written out as users do."""

import torch
import torch.nn.functional as F


def mlp(x, w1, b1, w2, b2):
    """Two layers with a layer norm between."""
    h = F.gelu(F.linear(x, w1, b1))
    h = F.layer_norm(h, (h.shape[-1],))
    return F.linear(h, w2, b2)


def attention(x, wq, wk, wv, wo, heads=2):
    """Multi-head attention."""
    batch, length, width = x.shape

    def split(t):
        return t.view(batch, length, heads, width // heads).transpose(1, 2)

    q, k, v = split(x @ wq), split(x @ wk), split(x @ wv)
    weights = torch.softmax(q @ k.transpose(-2, -1) / (width // heads) ** 0.5, -1)
    return (weights @ v).transpose(1, 2).reshape(batch, length, width) @ wo


def lstm(x, h, c, w, u, b):
    """One step of an LSTM cell."""
    i, f, o, n = (x @ w + h @ u + b).chunk(4, -1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(n)
    return torch.sigmoid(o) * torch.tanh(c)


def convolution(x, w, g, b):
    """Convolution, batch norm (eval), relu and pooling."""
    y = F.conv2d(x, w, padding=1)
    mean = torch.zeros(w.shape[0], dtype=x.dtype)
    y = F.batch_norm(y, mean, torch.ones_like(mean), g, b, training=False)
    return F.max_pool2d(F.relu(y), 2).flatten(1)
