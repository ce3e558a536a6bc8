"""What a batch computes once: equal requests, and formulas; and what it must not."""

import json
import random
from io import BytesIO
from typing import Any

import pytest

from tests.batches import GOOD, batched, lines
from tests.helpers import Asked, ask
from vjp_cli.batches import answering
from vjp_cli.batches.lines import lines_of
from vjp_cli.exact import description
from vjp_cli.kept import Kept
from vjp_cli.settings import Settings

# literals that round to other numbers, branches, masks, shapes, constants, an intermediate name,
# a place in the text, a detached part, a tie
EXPRESSIONS = (
    "0.1*x",
    "0.2*x",
    "0.1*x*3 - 0.3*x",
    "relu(x)*x",
    "abs(x)",
    "where(x > 0.5, x**2, 3*x)",
    "x.max()*x",
    "sort(x)[0]*2.0",
    "torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0])[:3].sum()*x",
    "softmax(x, 0)",
    "softmax(2*x, 0)",
    "x.cumsum(0)",
    "x[1:] - x[:-1]",
    "x.detach()*x",
    "clamp(x, 0.0, 1.0)",
    "prod(x)",
    "x @ x",
)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    return ask(monkeypatch)


def requests() -> list[dict[str, Any]]:
    numbers = random.Random(6)
    points = [[round(numbers.uniform(-2, 2), 3) for _ in range(size)] for size in (1, 3, 3)]
    points += [[0.0, 0.0, 0.5], [1.0, 1.0, -1.0], []]
    return [
        {"expression": expression, "inputs": {"x": point}, "dtype": dtype}
        for point in points
        for dtype in ("float64", "float32")[: len(point)]
        for expression in EXPRESSIONS
    ]


def texts(found: list[dict[str, Any]]) -> list[str]:
    answer = answering.Answerer(Settings(remedies=False))
    return [answer(line).text for line in lines_of(BytesIO(lines(*found).encode()))]


def test_what_is_kept_changes_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    found = requests()
    with monkeypatch.context() as patch:
        patch.setattr(description, "_WRITTEN", Kept(0))
        alone = texts(found)
    together = texts(found)
    assert together == alone
    # the requests do reach what they are to test
    verdicts = {json.loads(text).get("verdict") for text in alone}
    assert {"ok", "kink", "by-design"} <= verdicts


def test_formulas_are_kept() -> None:
    kept: Kept[Any] = Kept(512)
    made: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(description, "_WRITTEN", kept)
        own = description._written
        patch.setattr(description, "_written", lambda *a: made.append(1) or own(*a))
        point = {"expression": "x**2*3", "inputs": {"x": [1, 2]}}
        other = {"expression": "x**2*3", "inputs": {"x": [0.3, -5]}}
        answers = [json.loads(text) for text in texts([point, other])]
    assert len(made) == 1
    assert [each["symbolic"]["jacobian"]["x"][0]["formula"] for each in answers] == ["6*x[i]"] * 2


def test_equal_requests_are_answered_once(asked: Asked) -> None:
    first = GOOD | {"id": "a"}
    swapped = {"inputs": {"x": 1}, "id": "c", "expression": "x"}
    other = first | {"dtype": "float32"}
    answers, code = batched(lines(first, first | {"id": "b"}, swapped, other, first | {"id": [1]}))
    assert [(each["id"], each["line"], each["ok"]) for each in answers] == [
        ("a", 1, True),
        ("b", 2, True),
        ("c", 3, True),
        ("a", 4, True),
        (None, 5, False),
    ]
    assert [settings.dtype for _, settings in asked] == ["float64", "float32"]
    assert code == 2


def test_a_hurried_answer_is_not_kept(asked: Asked) -> None:
    batched(lines(GOOD, GOOD), "--timeout", "0")
    assert len(asked) == 2


def test_errors_are_not_kept(asked: Asked) -> None:
    answers, _ = batched(lines({"expression": "x +"}, {"expression": "x +"}))
    assert [each["error"]["kind"] for each in answers] == ["expression"] * 2


def test_the_oldest_makes_room() -> None:
    kept: Kept[int] = Kept(2)
    made: list[str] = []

    def asks(key: str) -> None:
        kept.get(key, lambda: made.append(key) or len(made))

    for key in "abacab":
        asks(key)
    # c took the place of b, which then took that of c
    assert made == ["a", "b", "c", "b"]
