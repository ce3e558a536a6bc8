"""Functions that differentiate inside, as users write them."""

import torch
from torch.autograd.functional import hvp
from torch.func import grad_and_value, vjp, vmap
from torch.utils.checkpoint import checkpoint

A = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype=torch.float64)
U = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)


def cubes(z):
    return (z**3).sum()


def pulled(x):
    y, pull = vjp(lambda z: z**3, x)
    return pull(U)[0] + 0 * y


def pulled_many(x):
    """gp = x² + 2, gq = x."""
    out, pull, aux = torch.func.vjp(lambda p, q: ((p * q, p.sum()), p + q), x, x * x, has_aux=True)
    gp, gq = pull((torch.ones_like(x), torch.tensor(2.0, dtype=x.dtype)))
    return gp * gq + 0 * aux + 0 * out[1]


def pushed(x):
    return torch.func.jvp(lambda z: z**3, (x,), (U,))[1]


def pushed_along_x(x):
    """d(p·q) along (x, 2) is x·q + 2·p = 3·x² at p = x, q = 1·x."""
    _, along, aux = torch.func.jvp(lambda p, q: (p * q, p), (x, x), (x, 2 * x), has_aux=True)
    return along + 0 * aux


def jacobian_reverse(x):
    return torch.func.jacrev(lambda z: A @ z**2)(x)


def jacobian_chunked(x):
    return torch.func.jacrev(lambda z: A @ z**2, chunk_size=1)(x)


def jacobian_forward(x):
    return torch.func.jacfwd(lambda z: A @ z**2)(x)


def jacobian_of_two(x):
    """∂(p·Σq)/∂p = Σq·I, by q: p at every column; times x: x·Σq + p·Σx = 2·x·Σx at p = q = x."""
    by_p, by_q = torch.func.jacrev(lambda p, q: p * q.sum(), argnums=(0, 1))(x, x)
    return by_p @ x + by_q @ x


def columns_of_hessian(x):
    """x0²·x1 + x2³: the columns add up to (2·x1 + 2·x0, 2·x0, 6·x2)."""
    return torch.func.hessian(lambda z: z[0] ** 2 * z[1] + z[2] ** 3)(x).sum(0)


def columns_of_hessian_reverse(x):
    hessian = torch.func.jacrev(torch.func.jacrev(lambda z: z[0] ** 2 * z[1] + z[2] ** 3))
    return hessian(x).sum(0)


def gradient_and_value(x):
    g, value = grad_and_value(lambda z: (z * z).sum())(x)
    return g * value


def two_gradients(x):
    gp, gq = torch.func.grad(lambda p, q: (p * q * q).sum(), argnums=(0, 1))(x, x)
    return gp + gq


def gradient_with_aux(x):
    g, aux = torch.func.grad(lambda p: (p.prod(), 2 * p), has_aux=True)(x)
    return g * aux


def mapped_columns(x):
    return vmap(lambda column: column.sum() * column[0], in_dims=1)(torch.stack([x, x * x]))


def mapped_to_columns(x):
    """Column k is x_k·(1, 2)."""
    return vmap(lambda z, w: z * w, in_dims=(0, None), out_dims=1)(x, U[:2])


def mapped_gradients(x):
    """Row i is 2·A_i·(A_i·x)."""
    return vmap(torch.func.grad(lambda w, row: (w @ row) ** 2), in_dims=(None, 0))(x, A)


decorated = torch.func.vmap(torch.func.grad(lambda z: z**3))


def decorated_before(x):
    return decorated(x)


def functional_vjp(x):
    return torch.autograd.functional.vjp(lambda z: z**3, x, U, create_graph=True)[1]


def functional_jvp(x):
    return torch.autograd.functional.jvp(lambda z: z**3, x, U, create_graph=True)[1]


def functional_jacobian(x):
    return torch.autograd.functional.jacobian(lambda z: z**3, x, create_graph=True).sum(0)


def functional_jacobian_vectorised(x):
    options = {"create_graph": True, "vectorize": True}
    return torch.autograd.functional.jacobian(lambda z: z**3, x, **options).sum(0)


def functional_hessian(x):
    return torch.autograd.functional.hessian(lambda z: (z**4).sum(), x, create_graph=True).sum(0)


def functional_hvp(x):
    return hvp(cubes, x, U, create_graph=True)[1]


def functional_vhp(x):
    return torch.autograd.functional.vhp(cubes, x, U, create_graph=True)[1]


def unused(x):
    z = x * 2
    used, none = torch.autograd.grad(cubes(x), [x, z], create_graph=True, allow_unused=True)
    assert none is None
    return used


def zeros_for_unused(x):
    z = x * 2
    both = torch.autograd.grad(cubes(x), [x, z], create_graph=True, materialize_grads=True)
    return both[0] + both[1]


def batched(x):
    """The rows of diag(3·x²), added up."""
    rows = torch.eye(3, dtype=x.dtype)
    [found] = torch.autograd.grad(x**3, x, rows, create_graph=True, is_grads_batched=True)
    return found.sum(0)


def hessian_vector(x):
    [first] = torch.autograd.grad(cubes(x), x, create_graph=True)
    return torch.autograd.grad(first, x, U, create_graph=True)[0]


def penalty(x):
    """(‖x‖ - 1)²."""
    [first] = torch.autograd.grad((x * x).sum() / 2, x, create_graph=True)
    return (first.norm() - 1) ** 2


def retained(x):
    z = x * 1
    z.retain_grad()
    cubes(z).backward(create_graph=True)
    return z.grad * x


def detached_gradient(x):
    return x * torch.autograd.grad(cubes(x), x)[0]


def inner_backward(x):
    z = x.detach().clone().requires_grad_()
    cubes(z).backward()
    assert z.is_leaf
    assert x.grad is None
    return x * z.grad


def two_backwards(x):
    z = x.detach().requires_grad_(True)
    cubes(z).backward()
    cubes(z).backward()
    return x * z.grad


def descent(x):
    """w ← w - 0.25·2·(w - x): from 0 to ½x to ¾x."""
    w = torch.zeros(3, dtype=x.dtype, requires_grad=True)
    for _ in range(2):
        [g] = torch.autograd.grad(((w - x) ** 2).sum(), w, create_graph=True)
        w = w - 0.25 * g
    return w


def descent_in_place(x):
    w = torch.zeros(3, dtype=x.dtype, requires_grad=True)
    for _ in range(2):
        ((w - x) ** 2).sum().backward()
        with torch.no_grad():
            w -= 0.25 * w.grad
        w.grad.zero_()
    return w * x


def through_a_cut(x):
    """The program's gradient of z·z.detach() is z, not 2z."""
    z = 3 * x
    return torch.autograd.grad((z * z.detach()).sum(), z, create_graph=True)[0]


def checkpointed(x):
    return checkpoint(lambda z: z**3, x, use_reentrant=False)


class Cube(torch.autograd.Function):
    """Its backward can be differentiated again."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x * x * g


cube = Cube.apply


def gradient_of_custom(x):
    return torch.autograd.grad(cube(x).sum(), x, create_graph=True)[0]


def tied(x):
    """relu(x - 2)³ has the Hessian 6·relu(x - 2), whose slopes at 2 are 0 and 6."""
    hessian = torch.func.hessian(lambda z: (torch.relu(z - 2) ** 3).sum())
    return hessian(x).sum(0)


def by_the_other(x, k):
    """2·k·x, by a gradient by k, while x is what moves."""
    return torch.relu(torch.autograd.grad((x * k * k).sum(), k, create_graph=True)[0] - 4)


def of_complex(x):
    return torch.func.grad(lambda z: torch.fft.fft(z).abs().pow(2).sum())(x)
