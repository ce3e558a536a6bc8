"""Eigenvalues and eigenvectors of symmetric matrices in certified balls.

Two ways lead to approximate eigenvectors of any precision. torch's doubles, refined by matrix
products (Ogita and Aishima, Iterative refinement for symmetric eigenvalue decomposition, 2018), are
fast while the eigenvalues lie apart. Jacobi's rotations do as well where they are equal (Golub and
Van Loan, Matrix Computations, 4th ed., section 8.5). What the approximation leaves over then bounds
its own error, whichever way it came.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from vjp_cli.lazy import flint, torch
from vjp_cli.numbers.scalar import Number, ball, is_finite, precision, to_float

Row = list["flint.arb"]

_SWEEPS = 60
_REFINEMENTS = 24
_FIRST_BITS = 128
# Bits beyond the precision asked for: rotations and products widen balls by some.
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
    if not n:
        return Eigen([], [])
    with precision(flint.ctx.prec + _GUARD_BITS + 8 * n):
        given = flint.arb_mat(
            [[ball(matrix[max(i, j)][min(i, j)]) for j in range(n)] for i in range(n)]
        )
        axes = _refined(given)
        return _certified(given, _rotated(given) if axes is None else axes)


# -- approximate eigenvectors, as the columns of a matrix of exact numbers ------------------------


def _refined(given: "flint.arb_mat") -> "flint.arb_mat | None":
    """The eigenvectors of torch, their digits doubled again and again; None where that fails."""
    doubles = torch.tensor([[to_float(x) for x in row] for row in given.tolist()]).double()
    if not bool(doubles.isfinite().all()):
        return None
    axes = flint.arb_mat(torch.linalg.eigh(doubles).eigenvectors.tolist())
    bits, full = _FIRST_BITS, flint.ctx.prec
    for _ in range(_REFINEMENTS):
        with precision(min(bits, full)):
            change = _correction(given.mid(), axes)
            if change is None or not _size(change.entries()) < 0.125:
                return None
            axes = (axes + axes * change).mid()
        # each step squares the error
        if bits >= full and _size(change.entries()) < flint.arb(2) ** (-3 * full // 4):
            return axes
        bits *= 2
    return None


def _correction(given: "flint.arb_mat", axes: "flint.arb_mat") -> "flint.arb_mat | None":
    """Ogita and Aishima's E, for which axes·(1 + E) are better; None where two values are equal."""
    n = given.nrows()
    transposed = axes.transpose()
    defect = (_unit(n) - transposed * axes).mid().tolist()
    image = (transposed * (given * axes)).mid().tolist()
    values = [image[k][k] / (1 - defect[k][k]) for k in range(n)]
    rows = [[defect[i][i] / 2 for _ in range(n)] for i in range(n)]
    for i in range(n):
        for j in range(i):
            gap = values[j] - values[i]
            if gap.contains(0):
                return None
            rows[i][j] = (image[i][j] + values[j] * defect[i][j]) / gap
            rows[j][i] = (image[i][j] + values[i] * defect[i][j]) / -gap
    return flint.arb_mat(rows).mid()


def _rotated(given: "flint.arb_mat") -> "flint.arb_mat":
    """The product of the rotations that make the matrix diagonal."""
    n = given.nrows()
    matrix, axes = given.tolist(), _unit(n).tolist()
    for _ in range(_SWEEPS):
        todo = [(p, q) for p in range(n) for q in range(p + 1, n)]
        # a ball over 0 is as small as this precision makes it
        if all(matrix[p][q].contains(0) for p, q in todo):
            break
        for p, q in todo:
            if not matrix[p][q].contains(0):
                _rotate(matrix, axes, p, q)
    return flint.arb_mat(axes).transpose().mid()


def _rotate(a: list[Row], axes: list[Row], p: int, q: int) -> None:
    """Turn the axes p and q so that the entry between them becomes about 0."""
    first, second, beside = a[p][p], a[q][q], a[p][q]
    t = _tangent(first.mid(), second.mid(), beside.mid())
    square = 1 / (1 + t * t)
    cosine = square.sqrt()
    a[p][p] = square * (first - 2 * t * beside + t * t * second)
    a[q][q] = square * (second + 2 * t * beside + t * t * first)
    a[p][q] = a[q][p] = square * ((1 - t * t) * beside + t * (first - second))
    for r in range(len(a)):
        x, y = axes[p][r], axes[q][r]
        axes[p][r], axes[q][r] = cosine * (x - t * y), cosine * (y + t * x)
        if r not in (p, q):
            x, y = a[p][r], a[q][r]
            a[p][r] = a[r][p] = cosine * (x - t * y)
            a[q][r] = a[r][q] = cosine * (y + t * x)


def _tangent(first: "flint.arb", second: "flint.arb", beside: "flint.arb") -> "flint.arb":
    """The tangent of the smaller angle that removes ``beside``, as an exact number."""
    ratio = ((second - first) / (2 * beside)).mid()
    tangent = (1 / (abs(ratio) + (1 + ratio * ratio).sqrt())).mid()
    return tangent if ratio >= 0 else -tangent


# -- certificates -------------------------------------------------------------------------------


def _certified(given: "flint.arb_mat", axes: "flint.arb_mat") -> Eigen:
    n = given.nrows()
    transposed = axes.transpose()
    image = transposed * given * axes
    # Weyl: what lies beside the diagonal moves no eigenvalue by more than its size
    left = _size([image[i, j] for i in range(n) for j in range(n) if i != j])
    # Ostrowski: axes that are not quite orthogonal scale each by at most this
    factor = 1 + flint.arb(0, _size((transposed * axes - _unit(n)).entries()))
    diagonal = [image[k, k] for k in range(n)]
    lows = sorted(value.lower() for value in diagonal)
    highs = sorted(value.upper() for value in diagonal)
    values = [
        (low - left).union(high + left) / factor for low, high in zip(lows, highs, strict=True)
    ]
    order = sorted(range(n), key=lambda k: diagonal[k].mid())
    columns = [[row[k] for row in axes.tolist()] for k in order]
    vectors = [_certified_vector(given, values, k, column) for k, column in enumerate(columns)]
    return Eigen(values, vectors)


def _certified_vector(given: "flint.arb_mat", values: Row, k: int, column: Row) -> Row:
    """The unit vector along ``column`` with a radius that holds the k-th eigenvector.

    Davis and Kahan: the sine of the angle between them is at most the residual over the gap, and
    two unit vectors differ by at most √2 times that.
    """
    point = values[k].mid()
    gaps = [abs(other - point) for j, other in enumerate(values) if j != k]
    if not all(gap > 0 for gap in gaps):
        return [flint.arb("nan")] * len(column)
    vector = flint.arb_mat([[x] for x in column])
    residual = _size((given * vector - point * vector).entries())
    length = sum((x * x for x in column), flint.arb(0)).sqrt()
    gap = min((gap.lower() for gap in gaps), default=flint.arb(1))
    radius = (flint.arb(2).sqrt() * residual / length / gap).upper()
    return [x / length + flint.arb(0, radius) for x in column]


def _unit(n: int) -> "flint.arb_mat":
    return flint.arb_mat([[int(i == j) for j in range(n)] for i in range(n)])


def _size(numbers: Sequence["flint.arb"]) -> "flint.arb":
    """An upper bound of the Euclidean norm (of a matrix: of its spectral norm)."""
    with precision(64):
        squares = (x.abs_upper() ** 2 for x in numbers)
        return sum(squares, flint.arb(0)).sqrt().upper()
