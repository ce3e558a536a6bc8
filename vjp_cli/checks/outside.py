"""Of a J that was computed by its pattern: whether torch has numbers outside of the pattern.

The products with J show every number that does not fall on an entry of the pattern. What cancels in
them, or falls on such an entry, changes vᵀJ for another v: so one more VJP, with a random v.
"""

import math

from vjp_cli.checks.context import Context
from vjp_cli.checks.graphs import form_of, graph_of, unchecked, words_of
from vjp_cli.derivatives.compressed import Compressed
from vjp_cli.frames import ENDINGS
from vjp_cli.lazy import numpy, torch
from vjp_cli.report import OUTSIDE as NAME
from vjp_cli.report import CheckResult, Verdict


def applies(context: Context) -> bool:
    """Whether J was computed by a pattern."""
    return context.side.sparse


def check(context: Context) -> CheckResult:
    """Look at the zeros of the products, and compare vᵀJ for a random v."""
    side = context.side
    assert side.jacobian is not None
    generator = torch.Generator().manual_seed(context.seed)
    v = torch.randn(side.output.shape, generator=generator, dtype=torch.float64)
    v = v.to(side.output.dtype)
    try:
        found = graph_of(context).vjp(v.to(context.program.device))
    except (Exception, *ENDINGS) as error:
        return unchecked(NAME, f"the backward raises: {words_of(error)}")
    form = form_of(context)
    weights = v.reshape(-1)
    compared, largest = 0, 0.0
    for name, matrix in side.jacobian.items():
        if not isinstance(matrix, Compressed):
            continue
        assert context.exact.side is not None
        doubtful = [*context.exact.side.doubts[name]]
        expected = matrix.pulled(weights)
        size = matrix.sizes().pulled(weights.abs())
        gap = (found[name].detach().reshape(-1).double().cpu() - expected).abs()
        # at a kink the pattern is that of one branch, and torch may have taken another
        settled = torch.ones(len(gap), dtype=torch.bool)
        settled[doubtful] = False
        settled &= expected.isfinite()
        apart = settled & ~(gap <= math.sqrt(form.unit) * size + form.subnormal)
        stray = numpy.setdiff1d(matrix.stray(), doubtful)
        compared += matrix.compared_zeros + int(settled.sum())
        ratios = (gap / (form.unit * size + form.subnormal))[settled]
        largest = max(largest, float(ratios.max()) if len(ratios) else 0.0)
        if len(stray) or bool(apart.any()):
            column = int(stray[0]) if len(stray) else int(apart.nonzero()[0])
            reason = (
                f"torch's J has a number that is not 0 by element {column} of {name}, for an "
                "output that does not depend on it"
            )
            return CheckResult(NAME, Verdict.WRONG, compared, reason=reason)
    return CheckResult(NAME, Verdict.OK, compared, max_ratio=largest or None)
