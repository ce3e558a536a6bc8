"""What holds for every test: one thread, and a ball precision that nobody leaves changed."""

import os
from collections.abc import Iterator

import flint
import pytest

# before torch is imported, or it is read too late
os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture(autouse=True)
def _precision_is_restored() -> Iterator[None]:
    before = flint.ctx.prec
    yield
    after, flint.ctx.prec = flint.ctx.prec, before
    assert after == before
