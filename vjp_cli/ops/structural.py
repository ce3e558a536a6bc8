"""What a tensor is without its numbers changing: elements picked out, the graph cut, casts."""

from vjp_cli.ops.table import Kind, Op


def _cast(name: str, *aliases: str) -> Op:
    return Op(
        name,
        f"Tensor.{name}",
        Kind.MOVE,
        samples=(f"x.{name}()",),
        aliases=aliases,
        note="A cast rounds; its derivative is 1.",
    )


def _whole(name: str) -> Op:
    return Op(
        name,
        f"Tensor.{name}",
        Kind.STEP,
        samples=(f"x.{name}()*x",),
        kinks="jumps at the integers",
        note="Rounds towards 0 and carries no derivative: torch cuts the graph here.",
    )


ROWS = (
    Op(
        "getitem",
        "Tensor.__getitem__",
        Kind.MOVE,
        samples=("x[0]", "x[:, 1:]", "x[..., None]", "x[[0, 1], [2, 0]]", "x[m]"),
        note="Written x[...].",
    ),
    Op(
        "detach",
        "Tensor.detach",
        Kind.MOVE,
        samples=("x*x.detach()",),
        note="The mathematics goes on where the program stops: by design.",
    ),
    _cast("double"),
    _cast("float"),
    _cast("half"),
    _cast("bfloat16"),
    Op("to", "Tensor.to", Kind.MOVE, samples=("x.to(torch.float64)",), aliases=("type",)),
    _whole("long"),
    _whole("int"),
)
