"""Small networks are judged ok in full, by all their inputs and parameters."""

from pathlib import Path

import pytest

from vjp_cli.functions.source import find
from vjp_cli.inspection import inspect
from vjp_cli.report import Verdict
from vjp_cli.request import Request
from vjp_cli.settings import Settings
from vjp_cli.values import Generated

FILE = Path(__file__).parent / "networks.py"

NETWORKS = {
    "mlp": {"x": (2, 4), "w1": (5, 4), "b1": (5,), "w2": (3, 5), "b2": (3,)},
    "attention": {"x": (1, 3, 4), "wq": (4, 4), "wk": (4, 4), "wv": (4, 4), "wo": (4, 4)},
    "lstm": {"x": (2, 3), "h": (2, 2), "c": (2, 2), "w": (3, 8), "u": (2, 8), "b": (8,)},
    "convolution": {"x": (1, 2, 4, 4), "w": (3, 2, 3, 3), "g": (3,), "b": (3,)},
}


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_is_ok_in_full(name: str) -> None:
    inputs = {key: Generated("randn", shape) for key, shape in NETWORKS[name].items()}
    request = Request(find(f"{FILE}:{name}"), inputs, Generated("randn"))
    report = inspect(request, Settings(timeout=60))
    assert report.verdict is Verdict.OK, report.findings[:2]
    assert report.notes == ()
    assert set(report.structure) == set(NETWORKS[name])
