"""A few hundred inputs of every kind; ``python -m tests.bench.fuzz`` tries as many as asked."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz import inputs, trials
from tests.fuzz.trials import fault_of, fault_of_valid
from vjp_cli.errors import InputError

CHANCE = st.randoms(use_true_random=False)
FEW = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)


@pytest.fixture(autouse=True, scope="module")
def _empty_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """No name in an input is a file."""
    folder = tmp_path_factory.mktemp("empty")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield folder
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("kind", trials.TRIALS)
def test_only_our_own_errors_come_out_in_time(kind: str) -> None:
    @FEW
    @given(CHANCE)
    def every(chance: random.Random) -> None:
        assert fault_of(kind, inputs.MAKERS[kind](chance)) == ""

    every()


@FEW
@given(CHANCE)
def test_what_is_in_the_language_is_accepted(chance: random.Random) -> None:
    assert fault_of_valid(chance) == ""


@pytest.mark.parametrize("kind", trials.TRIALS)
def test_all_kinds_of_inputs_are_both_taken_and_refused(kind: str) -> None:
    refused = 0
    for seed in range(60):
        try:
            trials.TRIALS[kind](inputs.MAKERS[kind](random.Random(seed)))
        except Exception:
            refused += 1
    assert refused < 60
    assert kind == "options" or refused > 10


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (ValueError("no"), "ValueError: no"),
        (InputError("red \x1b[31m"), "the message"),
        (InputError(""), "the message"),
        (InputError("fine", "clear \x1b[2J"), "the hint"),
        (InputError("fine"), ""),
    ],
)
def test_a_fault_is_told(error: Exception, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(text: str) -> None:
        raise error

    monkeypatch.setitem(trials.TRIALS, "value", refuse)
    found = fault_of("value", "1")
    assert fault in found
    assert bool(found) == bool(fault)


def test_a_slow_input_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(trials.TRIALS, "value", lambda text: sum(range(200_000)))
    assert fault_of("value", "1", seconds=1e-4).endswith(" ms")
    assert fault_of("value", "1", seconds=60) == ""
