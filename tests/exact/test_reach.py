"""Which inputs lie behind elements of the tape, and which outputs before an input."""

from collections.abc import Callable
from typing import Any

import numpy
import pytest
import torch

from tests.tracing.helpers import leaf
from vjp_cli.exact.reach import depending_on, inputs_behind
from vjp_cli.tracing.tape import Tape

MATRIX = torch.tensor([[1.0, 2, 3], [4, 5, 6]], dtype=torch.float64)
PROGRAMS: list[tuple[Callable[[Any], Any], list[set[int]]]] = [
    (lambda x: 2 * x + 1, [{0}, {1}, {2}]),
    (lambda x: torch.flip(x, [0])[:2], [{2}, {1}]),
    (lambda x: torch.cumsum(x, 0), [{0}, {0, 1}, {0, 1, 2}]),
    (lambda x: torch.sum(x[1:]), [{1, 2}]),
    (lambda x: MATRIX @ x, [{0, 1, 2}, {0, 1, 2}]),
    (lambda x: x[:, None] * x[None, :2], [{0}, {0, 1}, {1, 0}, {1}, {2, 0}, {2, 1}]),
    (lambda x: torch.cat([x[2:], torch.zeros(1), x[:1]]), [{2}, set(), {0}]),
    (lambda x: torch.where(torch.tensor([True, False, True]), x, 5.0), [{0}, set(), {2}]),
]


@pytest.mark.parametrize(("make", "behind"), PROGRAMS)
def test_inputs_behind_each_output(make: Callable[[Any], Any], behind: list[set[int]]) -> None:
    tape = Tape(100)
    x = leaf(tape, "x", [1, 2, 3])
    output = make(x).node
    for k, expected in enumerate(behind):
        found = inputs_behind([(output, numpy.array([k]))])
        assert set(found.get(x.node, numpy.array([])).tolist()) == expected
    everything = inputs_behind([(output, numpy.arange(output.size))])
    assert everything[x.node].tolist() == sorted(set().union(*behind))


@pytest.mark.parametrize(("make", "behind"), PROGRAMS)
def test_outputs_that_depend_on_one_element(
    make: Callable[[Any], Any], behind: list[set[int]]
) -> None:
    tape = Tape(100)
    x = leaf(tape, "x", [1, 2, 3])
    output = make(x).node
    for position in range(3):
        expected = [position in sources for sources in behind]
        assert depending_on(output, x.node, position).tolist() == expected


def test_several_starts_and_inputs() -> None:
    tape = Tape(100)
    x, y = leaf(tape, "x", [1, 2, 3]), leaf(tape, "y", [4, 5])
    middle = torch.sin(x)
    output = middle[:2] * y
    found = inputs_behind([(output.node, numpy.array([1])), (middle.node, numpy.array([2]))])
    assert found[x.node].tolist() == [1, 2]
    assert found[y.node].tolist() == [1]


def test_nothing_lies_behind_constants() -> None:
    tape = Tape(100)
    inert = leaf(tape, "x", [1, 2])
    inert.node.active = False
    assert inputs_behind([((inert * 2).node, numpy.array([0, 1]))]) == {}
    assert inputs_behind([]) == {}
