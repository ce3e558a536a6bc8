"""Functions that go one way or another because of a number of the inputs."""

import torch


def if_(x):
    if x.sum() > 0:  # here
        return x * 2
    return x


def while_(x):
    error = torch.ones(())
    y = torch.ones_like(x)
    while error > 1e-14:  # here
        new = (y + x / y) / 2
        error = (new - y).abs().max()
        y = new
    return y


def close(x):
    y = x.clone()
    for _ in range(40):
        new = (y + x / y) / 2
        if torch.allclose(new, y, rtol=1e-13):  # here
            break
        y = new
    return new


def any_(x):
    return x * 3 if (x > 2).any() else x  # here


def item_of_mask(x):
    return x * 3 if (x > 2.5).sum().item() == 1 else x  # here


def largest(x):
    return x * x[x.argmax().item()]  # here


def python_max(x):
    return max(x[0], x[1]) * x  # here


def whole(x):
    y = x
    for _ in range(int(x.sum())):  # here
        y = y * 2
    return y


def many(x):
    y = x
    for k in range(2):
        if x[k] > 0:
            y = y * 2
    if x.sum() > 0:
        y = y + 1
    if x.prod() > 0:
        y = y - 1
    if x.max() > 2:
        y = y * 3
    if x.min() > 1:
        y = y * 0
    return y


def no_branch(x):
    if len(x) > 2 and x.shape[0] == 3 and not torch.isnan(x).any() and x.numel():
        return torch.where(x > 2.5, x * 2, x)
    return x


def of_constants(x):
    table = torch.arange(3)
    if table.sum() > 2:
        return x * 2
    return x


def tied(x):
    if x[0] > 1:
        return x * 2
    return x * 3


# -- what lies beside the point cannot be followed -------------------------------------------------


def another_shape_beside(x):
    return x[x > 1]


def untraceable_beside(x):
    if x[0] > 1:
        return torch.frexp(x)[0] + x  # here
    return x * 3


def raising_beside(x):
    if x[0] > 1:
        raise ValueError("too large")
    return x * 3
