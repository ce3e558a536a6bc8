"""The nodes of a tape once more, in balls of each dtype's own precision.

Their radii bound the rounding error of the program (Higham, Accuracy and Stability of Numerical
Algorithms, section 3.3: running error analysis). What comparisons decided stays as it was.
"""

from vjp_cli.numbers.dtypes import format_of, is_complex_dtype
from vjp_cli.numbers.scalar import Number, ball, paired, precision
from vjp_cli.numbers.sharing import each_once
from vjp_cli.tracing.evaluation import array, values_at, values_of
from vjp_cli.tracing.node import Index, Node, NodeKind, Values

# enough for every number of every dtype: the inputs carry no rounding error
_INPUT_BITS = 4096


class Rounded:
    """Computes the numbers of nodes as their dtypes round them, and holds them. See ``Way``."""

    def __init__(self) -> None:
        self._known: dict[Node, Values] = {}

    def values(self, node: Node) -> Values:
        """All numbers of the node.

        Raises:
            OutOfTime: the deadline of the tape is over.
        """
        self._look_at_the_clock(node)
        return values_of(node, self)

    def at(self, node: Node, positions: Index) -> dict[int, Number]:
        """The numbers at these positions; of a node that waits, computed for them alone.

        Raises:
            OutOfTime: the deadline of the tape is over.
        """
        if not node.waits:
            values = self.values(node)
            return {k: values[k] for k in positions.tolist()}
        self._look_at_the_clock(node)
        return values_at(node, positions, self)

    def held(self, node: Node) -> Values | None:
        """See ``Way``."""
        return self._known.get(node)

    def hold(self, node: Node, values: Values) -> None:
        """See ``Way``."""
        self._known[node] = values

    def bits_of(self, node: Node) -> int:
        """See ``Way``."""
        if not node.parents:
            return _INPUT_BITS
        # a matrix algorithm needs more than a short format has
        dtype = "float64" if node.kind is NodeKind.OPAQUE else node.dtype
        return format_of(dtype).bits

    def form(self, node: Node, values: Values) -> Values:
        """See ``Way``: no rationals, which would carry no rounding."""
        if not node.parents:
            with precision(_INPUT_BITS):
                values = array(each_once(ball, values.tolist()))
        if is_complex_dtype(node.dtype):
            with precision(self.bits_of(node)):
                values = array([paired(value) for value in values.tolist()])
        return values

    def _look_at_the_clock(self, node: Node) -> None:
        if node.numbers is not None:
            node.numbers.look_at_the_clock()
