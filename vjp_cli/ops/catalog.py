"""All rows of the operation table, and the look-up of a row by the name in an expression."""

import difflib

from vjp_cli.ops import (
    activations,
    arithmetic,
    attention,
    class_losses,
    comparisons,
    complex_parts,
    contractions,
    convolutions,
    eigenvalues,
    einsum,
    elementary,
    embeddings,
    factories,
    factorisations,
    fourier,
    indexing,
    likelihood_losses,
    linalg,
    losses,
    margin_losses,
    movement,
    normalisation,
    norms,
    ordering,
    pooling,
    quantiles,
    random_layers,
    recurrent,
    reductions,
    resizing,
    rounding,
    sampling,
    scans,
    scatter,
    selection,
    sequence_losses,
    softmaxes,
    special,
    spectral,
    statistics,
    structural,
    transforms,
)
from vjp_cli.ops.table import Op

ROWS: tuple[Op, ...] = (
    *arithmetic.ROWS,
    *elementary.ROWS,
    *special.ROWS,
    *activations.ROWS,
    *rounding.ROWS,
    *comparisons.ROWS,
    *movement.ROWS,
    *indexing.ROWS,
    *selection.ROWS,
    *structural.ROWS,
    *complex_parts.ROWS,
    *factories.ROWS,
    *reductions.ROWS,
    *scans.ROWS,
    *norms.ROWS,
    *softmaxes.ROWS,
    *ordering.ROWS,
    *quantiles.ROWS,
    *statistics.ROWS,
    *contractions.ROWS,
    *normalisation.ROWS,
    *losses.ROWS,
    *class_losses.ROWS,
    *einsum.ROWS,
    *convolutions.ROWS,
    *pooling.ROWS,
    *resizing.ROWS,
    *sampling.ROWS,
    *embeddings.ROWS,
    *attention.ROWS,
    *scatter.ROWS,
    *random_layers.ROWS,
    *recurrent.ROWS,
    *transforms.ROWS,
    *fourier.ROWS,
    *margin_losses.ROWS,
    *likelihood_losses.ROWS,
    *sequence_losses.ROWS,
    *linalg.ROWS,
    *factorisations.ROWS,
    *spectral.ROWS,
    *eigenvalues.ROWS,
)

# The prefixes under which people write torch's functions; a row is found with or without them.
PREFIXES = (
    "torch.nn.functional.",
    "torch.linalg.",
    "torch.special.",
    "torch.fft.",
    "torch.",
    "nn.functional.",
    "linalg.",
    "F.",
)

_BY_NAME: dict[str, Op] = {name: op for op in ROWS for name in op.names}


def find(name: str) -> Op | None:
    """The row that ``name`` stands for, written with or without torch's prefixes.

    ``torch.linalg.norm`` finds the row ``linalg.norm`` before the row ``norm``: the two differ.
    """
    for prefix in PREFIXES:
        if name.startswith(prefix):
            rest = name.removeprefix(prefix)
            family = prefix.removeprefix("torch.").rpartition(".")[0]
            qualified = f"{family.rpartition('.')[2]}.{rest}"
            return _BY_NAME.get(qualified) or _BY_NAME.get(rest)
    return _BY_NAME.get(name)


def suggest(name: str) -> str | None:
    """The known name closest to an unknown one, or None when nothing is close."""
    matches = difflib.get_close_matches(name.rpartition(".")[2], _BY_NAME, n=1)
    return matches[0] if matches else None
