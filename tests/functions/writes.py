"""Functions that write in place, as users write them."""

import torch
import torch.nn.functional as F


def items(x):
    out = torch.zeros(3, dtype=x.dtype)
    out[0] = x[0] * x[1]
    out[1:] = 2.0 * x[:2]
    return out


def empty(x):
    out = torch.empty(2, 3, dtype=x.dtype)
    out[0] = x
    out[1] = x * x
    return out


def augmented(x):
    y = x.clone()
    y += 1
    y *= x
    y -= 2
    y /= 2
    y **= 2
    return y


def augmented_columns(x):
    out = torch.outer(x, x)
    out[:, 1] *= 2
    out[0] += x
    return out


def recurrence(x):
    """(1, x0, x0·x1) times x2, through items that are read and written."""
    table = torch.ones(3, dtype=x.dtype)
    for i in range(1, 3):
        table[i] = table[i - 1].clone() * x[i - 1]
    return table * x[2]


def masked(x):
    y = x.clone()
    y[y > 1.5] = 0.0
    return x * y


def masked_values(x):
    out = torch.zeros_like(x)
    mask = x > 1.5
    out[mask] = x[mask] ** 2
    return out


def mask_filled(x):
    y = x.clone()
    y.masked_fill_(x > 1.5, 7.0)
    return x * y


def added_by_index(x):
    out = torch.zeros(2, dtype=x.dtype)
    out.index_add_(0, torch.tensor([1, 0, 1]), x * x)
    return out


def scattered(x):
    out = torch.zeros(4, dtype=x.dtype)
    out.scatter_(0, torch.tensor([3, 0, 2]), x**3)
    out.scatter_add_(0, torch.tensor([3, 3, 3]), x)
    return out


def copied(x):
    """2x·x, then x·(3x), then 0."""
    a = torch.empty(3, dtype=x.dtype)
    a.copy_(2 * x)
    b = torch.empty_like(x)
    b.fill_(3.0)
    b.mul_(x)
    c = x.clone()
    c.zero_()
    return torch.stack([a * x, b * x, c])


def diagonal(x):
    square = torch.outer(x, x)
    square.fill_diagonal_(1.0)
    return square


def other_shape(x):
    y = x * x
    y.unsqueeze_(0)
    return y


def bounded(x):
    y = 2 * x
    y.clamp_(min=3.0)
    y.add_(x, alpha=2)
    return y


def swapped(x):
    y = x.clone()
    y[0], y[1] = y[1].clone(), y[0].clone()
    return y * x


def view_of_nothing_else(x):
    out = torch.zeros(6, dtype=x.dtype).view(2, 3)
    out[1] = x * x
    return out


def into_a_copy(x):
    table = CONSTANT.clone()
    table[0] = x
    return table * table


CONSTANT = torch.tensor([[9.0, 9.0, 9.0], [1.0, 2.0, 3.0]], dtype=torch.float64)


def half_a_cast(x):
    """What is written takes the dtype of what it is written to."""
    out = torch.zeros(3, dtype=torch.float32)
    out[:] = x
    return out.double() * 2


def relu_in_place(x):
    return F.relu(x - 1.5, inplace=True) * x


# -- refused ------------------------------------------------------------------------------------


def view(x):
    y = x * 2
    part = y[:2]
    part[0] = 0.0  # refused
    return y * y


def base(x):
    y = x * 2
    part = y.reshape(-1)
    y += 1  # refused
    return part * part


def item_of(x):
    y = x * 2
    y[0].add_(1.0)  # refused
    return y * y


def detached_alias(x):
    y = x * 2
    y.detach().mul_(3)  # refused
    return y


def item_elsewhere(x):
    """torch has written both places; the tracer would have written one."""
    y = x * 2
    part = y[:1]
    part += 1  # refused
    y[1:2] = part
    return y * y


def real_target(x):
    CONSTANT[0] = x.detach()  # refused
    return CONSTANT * x


def without_grad(x):
    y = x * 2
    with torch.no_grad():
        y += 1  # refused
    return y
