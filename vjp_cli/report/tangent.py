"""Ju: how y moves when the inputs move along u."""

from collections.abc import Mapping
from dataclasses import dataclass

from vjp_cli.report.parts import Judged
from vjp_cli.report.values import Array, Number


@dataclass(frozen=True)
class Tangent:
    """A tangent and its JVP.

    Attributes:
        u: for each input of ``wrt`` an array of its shape.
        jvp: Ju in the shape of y; an entry is None where torch gives no number.
        symbolic: the exact Ju as floats, None where it is not known.
        judged: the verdict and the truth of Ju, under the name of the output.
        method: how torch computed it: ``forward mode`` or ``double backward``.
        products: ⟨v, Ju⟩ and ⟨Jᵀv, u⟩, which are equal; None without v.
    """

    u: Mapping[str, Array[Number]]
    jvp: Array[Number | None]
    symbolic: Array[Number | None]
    judged: Judged
    method: str
    products: tuple[float, float] | None
