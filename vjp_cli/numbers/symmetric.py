"""Eigenvalues and eigenvectors of symmetric matrices in certified balls.

Jacobi's rotations: the tangent of each is chosen from midpoints and then taken as exact, so the
rotated balls hold a matrix that is exactly similar to the given one. What is left beside the
diagonal bounds the eigenvalues (Weyl) and, over the gaps, the eigenvectors (Davis and Kahan).
Equal eigenvalues need no care: each sweep squares what is left, whatever the gaps (Golub and Van
Loan, Matrix Computations, 4th ed., section 8.5).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from vjp_cli.lazy import flint
from vjp_cli.numbers.scalar import Number, ball, is_finite, precision

Row = list["flint.arb"]

_SWEEPS = 60
# Rotations widen balls by some bits in the few sweeps before convergence, more for more rows.
_GUARD_BITS = 64


@dataclass(frozen=True)
class Eigen:
    """Eigenvalues, ascending, and for each its unit eigenvector of either sign.

    An eigenvector whose eigenvalue is not proved to be simple is NaN: it is not unique.
    """

    values: Row
    vectors: list[Row]


def eigen(matrix: Sequence[Sequence[Number]]) -> Eigen:
    """The spectrum of an n x n matrix, of which the lower triangle is read.

    The balls are about as narrow as the present precision allows. Entries that are no real numbers
    make everything NaN.
    """
    n = len(matrix)
    if not all(is_finite(matrix[i][j]) for i in range(n) for j in range(i + 1)):
        nothing = [flint.arb("nan")] * n
        return Eigen(nothing, [nothing] * n)
    with precision(flint.ctx.prec + _GUARD_BITS + 8 * n):
        given = [[ball(matrix[max(i, j)][min(i, j)]) for j in range(n)] for i in range(n)]
        return _Rotated(given).eigen()


class _Rotated:
    """A symmetric matrix on its way to a diagonal one, and the rotations so far."""

    def __init__(self, matrix: list[Row]) -> None:
        self.size = len(matrix)
        self.matrix = matrix
        # row k: the direction that has become the k-th axis
        self.axes = [[flint.arb(int(i == j)) for j in range(self.size)] for i in range(self.size)]

    def eigen(self) -> Eigen:
        for _ in range(_SWEEPS):
            if not self.sweep():
                break
        left = self.left_over()
        diagonal = [self.matrix[k][k] for k in range(self.size)]
        lows = sorted(value.lower() for value in diagonal)
        highs = sorted(value.upper() for value in diagonal)
        values = [(low - left).union(high + left) for low, high in zip(lows, highs, strict=True)]
        order = sorted(range(self.size), key=lambda k: diagonal[k].mid())
        return Eigen(values, [self.vector(k, diagonal, left) for k in order])

    def sweep(self) -> bool:
        """Rotate every entry beside the diagonal away; whether any was proved not to be 0."""
        found = False
        for p in range(self.size):
            for q in range(p + 1, self.size):
                if not self.matrix[p][q].contains(0):
                    self.rotate(p, q)
                    found = True
        return found

    def rotate(self, p: int, q: int) -> None:
        a = self.matrix
        t = _tangent(a[p][p].mid(), a[q][q].mid(), a[p][q].mid())
        square = 1 / (1 + t * t)
        cosine = square.sqrt()
        first, second, beside = a[p][p], a[q][q], a[p][q]
        a[p][p] = square * (first - 2 * t * beside + t * t * second)
        a[q][q] = square * (second + 2 * t * beside + t * t * first)
        a[p][q] = a[q][p] = square * ((1 - t * t) * beside + t * (first - second))
        for r in range(self.size):
            if r not in (p, q):
                a[r][p], a[r][q] = (
                    cosine * (a[r][p] - t * a[r][q]),
                    cosine * (a[r][q] + t * a[r][p]),
                )
                a[p][r], a[q][r] = a[r][p], a[r][q]
        u, w = self.axes[p], self.axes[q]
        self.axes[p] = [cosine * (x - t * y) for x, y in zip(u, w, strict=True)]
        self.axes[q] = [cosine * (y + t * x) for x, y in zip(u, w, strict=True)]

    def left_over(self) -> "flint.arb":
        """A bound of the spectral norm of what lies beside the diagonal."""
        beside = [self.matrix[p][q].abs_upper() for p in range(self.size) for q in range(p)]
        return (2 * sum((x * x for x in beside), flint.arb(0))).sqrt().upper()

    def vector(self, k: int, diagonal: Row, left: "flint.arb") -> Row:
        """The k-th axis with the radius that what is left allows; NaN where no gap is proved."""
        gaps = [abs(diagonal[k] - other) for j, other in enumerate(diagonal) if j != k]
        if not left and all(gap > 0 for gap in gaps):
            return self.axes[k]
        if not all(gap > 4 * left for gap in gaps):
            return [flint.arb("nan")] * self.size
        smallest = min((gap.lower() for gap in gaps), default=flint.arb(1))
        # sin(angle) ≤ left / (gap - 2·left), and two unit vectors differ by at most √2 sin(angle)
        radius = (flint.arb(2).sqrt() * left / (smallest - 2 * left)).upper()
        return [x + flint.arb(0, radius) for x in self.axes[k]]


def _tangent(first: "flint.arb", second: "flint.arb", beside: "flint.arb") -> "flint.arb":
    """The exact number closest to the tangent of the smaller angle that removes ``beside``."""
    ratio = ((second - first) / (2 * beside)).mid()
    tangent = (1 / (abs(ratio) + (1 + ratio * ratio).sqrt())).mid()
    return tangent if ratio >= 0 else -tangent
