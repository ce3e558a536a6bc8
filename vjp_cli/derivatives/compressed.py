"""The sparse Jacobian by a few products: rows (or columns) that do not mix are found together.

The products have numbers outside of the pattern too, which must all be 0: that is looked at, and
kept, since a wrong backward may well fill a structural zero.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from vjp_cli.derivatives.colouring import Colouring, colouring, joint_colouring
from vjp_cli.derivatives.matrices import Sparse
from vjp_cli.derivatives.seeding import gradients
from vjp_cli.lazy import numpy, torch
from vjp_cli.progress import stage

Pattern = tuple[Any, Any]


@dataclass(frozen=True)
class Compressed(Sparse):
    """J from a few products, and those products.

    Attributes:
        plan: which product has which row or column.
        row_sums: a row for each group of rows of J: their sum.
        column_sums: a row for each group of columns of J: their sum.
    """

    plan: Colouring
    row_sums: "torch.Tensor"
    column_sums: "torch.Tensor"

    def at(self, rows: Any, columns: Any) -> "torch.Tensor":
        """The numbers at these places; outside of the pattern what their product has there.

        That product may have it from another row of the group: all that is known is their sum.
        """
        found = super().at(rows, columns)
        if self.is_pattern(rows, columns):
            return found
        outside = numpy.flatnonzero(~self.has(rows, columns))
        group = self.plan.rows[rows[outside]]
        free = (group >= 0) & ~self._owned[group, columns[outside]]
        inside = outside[free]
        found[_index(inside)] = self.row_sums[_index(group[free]), _index(columns[inside])]
        return found

    @property
    def compared_zeros(self) -> int:
        """How many numbers of the products lie outside of the pattern."""
        return int(self.row_sums.numel() + self.column_sums.numel()) - len(self.rows)

    def stray(self) -> Any:
        """The columns of J in which a product has a number outside of the pattern."""
        _, columns = numpy.nonzero((self.row_sums != 0).numpy() & ~self._owned)
        owned = _cells(self.plan.columns[self.columns], self.rows, self.column_sums.shape)
        groups, _ = numpy.nonzero((self.column_sums != 0).numpy() & ~owned)
        among = numpy.flatnonzero(numpy.isin(self.plan.columns, numpy.unique(groups)))
        return numpy.unique(numpy.concatenate([columns, among]))

    @property
    def _owned(self) -> Any:
        """The places in ``row_sums`` that belong to an entry of the pattern."""
        return _cells(self.plan.rows[self.rows], self.columns, self.row_sums.shape)


def _cells(groups: Any, places: Any, shape: tuple[int, ...]) -> Any:
    owned = numpy.zeros(shape, dtype=bool)
    owned[groups[groups >= 0], places[groups >= 0]] = True
    return owned


def _index(places: Any) -> "torch.Tensor":
    return torch.from_numpy(numpy.ascontiguousarray(places))


def compressed_jacobians(
    output: "torch.Tensor",
    inputs: "list[torch.Tensor]",
    patterns: Sequence[Pattern],
    *,
    forward: bool = True,
) -> tuple[list[Compressed | None], int]:
    """J for each input on the CPU, from as many products as the patterns have colours.

    A cotangent serves all inputs at once where that takes fewer products than one input after
    another.

    Args:
        output: y.
        inputs: tensors that y may depend on.
        patterns: for each the rows and the columns of all entries that can be other than 0, each
            once.
        forward: whether double backwards may be used, where they save work.

    Returns:
        J for each input, or None where no path leads to it; and how many products were made.

    Raises:
        RuntimeError: as torch does, when a derivative is missing or a backward fails.
    """
    shapes = [(output.numel(), input.numel()) for input in inputs]
    plans = [
        colouring(shape, *pattern, forward=forward)
        for shape, pattern in zip(shapes, patterns, strict=True)
    ]
    if len(inputs) > 1:
        groups = joint_colouring(shapes, patterns)
        # without a colour one product looks whether everything is 0 indeed
        if max(int(groups.max(initial=-1)) + 1, 1) < sum(max(plan.cost, 1) for plan in plans):
            return _together(output, inputs, patterns, groups)
    found, made = [], 0
    for input, pattern, plan in zip(inputs, patterns, plans, strict=True):
        matrix, products = _alone(output, input, pattern, plan)
        found.append(matrix)
        made += products
    return found, made


def _together(
    output: "torch.Tensor", inputs: "list[torch.Tensor]", patterns: Sequence[Pattern], groups: Any
) -> tuple[list[Compressed | None], int]:
    """J for all inputs from the same cotangents."""
    count = int(groups.max(initial=-1)) + 1
    sums, made = _pulled(output, inputs, groups, max(count, int(output.numel() > 0)))
    found: list[Compressed | None] = []
    for input, (rows, columns), by_row in zip(inputs, patterns, sums, strict=True):
        if by_row is None:
            found.append(None)
            continue
        plan = Colouring(groups, numpy.full(input.numel(), -1), numpy.ones(len(rows), dtype=bool))
        none = by_row.new_zeros((0, output.numel()))
        found.append(_matrix((output.numel(), input.numel()), (rows, columns), plan, by_row, none))
    return found, made


def _alone(
    output: "torch.Tensor", input: "torch.Tensor", pattern: Pattern, plan: Colouring
) -> tuple[Compressed | None, int]:
    """J for one input, from cotangents and tangents of its own."""
    stage(f"torch's J by its pattern, {len(pattern[0]):,} entries by {plan.colours} products")
    cotangents = plan.cotangents or int(not plan.tangents and output.numel() > 0)
    [by_row], pulls = _pulled(output, [input], plan.rows, cotangents)
    if by_row is None:
        return None, pulls
    by_column, pushes = _pushed(output, input, plan.columns, plan.tangents)
    shape = (output.numel(), input.numel())
    return _matrix(shape, pattern, plan, by_row, by_column), pulls + pushes


def _matrix(
    shape: tuple[int, int],
    pattern: Pattern,
    plan: Colouring,
    by_row: "torch.Tensor",
    by_column: "torch.Tensor",
) -> Compressed:
    """Each entry from the sum in which it is alone."""
    rows, columns = pattern
    if plan.by_row.all():
        values = _taken(by_row, plan.rows[rows], columns)
    else:
        own, others = numpy.flatnonzero(plan.by_row), numpy.flatnonzero(~plan.by_row)
        values = by_row.new_zeros(len(rows))
        values[_index(own)] = _taken(by_row, plan.rows[rows[own]], columns[own])
        values[_index(others)] = _taken(by_column, plan.columns[columns[others]], rows[others])
    return Compressed(shape, rows, columns, values, plan, by_row, by_column)


def _taken(sums: "torch.Tensor", groups: Any, places: Any) -> "torch.Tensor":
    return sums.take(_index(groups * sums.shape[1] + places))


def _pulled(
    output: "torch.Tensor", inputs: "list[torch.Tensor]", groups: Any, count: int
) -> "tuple[list[torch.Tensor | None], int]":
    """For each input the sum of the rows of J in each group, of shape (count, x.numel()).

    None without a path; and how many products were made.
    """
    cells = [input.detach().new_zeros((count, input.numel())) for input in inputs]
    reached, made = [count == 0] * len(inputs), 0
    places = _index(groups).to(output.device)
    names = range(count) if (groups >= 0).any() else [-1] * count
    for group, name in enumerate(names):
        v = (places == name).to(output.dtype)
        found = gradients(output, inputs, v.reshape(output.shape))
        made += 1
        for k, gradient in enumerate(found):
            if gradient is not None:
                cells[k][group] = gradient.reshape(-1)
                reached[k] = True
    return [part.cpu() if has else None for part, has in zip(cells, reached, strict=True)], made


def _pushed(
    output: "torch.Tensor", input: "torch.Tensor", groups: Any, count: int
) -> "tuple[torch.Tensor, int]":
    """The sum of the columns of J in each group, of shape (count, y.numel()), and their number.

    vᵀJ is linear in v, so that its own gradient along u is Ju: a double backward.
    """
    cells = output.detach().new_zeros((count, output.numel()))
    if not count:
        return cells.cpu(), 0
    v = torch.zeros_like(output).requires_grad_()
    (product,) = gradients(output, [input], v, differentiable=True)
    places = _index(groups).to(output.device)
    if product is None or not product.requires_grad:
        return cells.cpu(), 0
    made = 0
    for group in range(count):
        u = (places == group).to(input.dtype).reshape(input.shape)
        [found] = gradients(product, [v], u)
        made += 1
        if found is not None:
            cells[group] = found.reshape(-1)
    return cells.cpu(), made
