"""A bound expression, called with tensors: torch's own results, and errors at their places."""

from typing import Any

import pytest
import torch

from vjp_cli.errors import EvaluationError, LimitError, VjpError
from vjp_cli.expression import parse
from vjp_cli.observer import Observer
from vjp_cli.program import Program

X = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype=torch.float64)
B = torch.tensor([7.0, 8.0, 9.0], dtype=torch.float64)
I = torch.tensor([1, 0])  # noqa: E741
M = X > 2


def run(source: str, dtype: str = "float64", **inputs: Any) -> torch.Tensor:
    expression = parse(source)
    every = {"x": X, "b": B, **inputs}
    names = {name: value for name, value in every.items() if name in expression.names}
    return Program(expression, {"i": I, "m": M}, dtype)(names)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("2*(x+2)**2", 2 * (X + 2) ** 2),
        ("x @ b - 1", X @ B - 1),
        ("-x + +x", X * 0),
        ("x // 2 % 2", X // 2 % 2),
        ("x / 2 - b*x", X / 2 - B * X),
        ("1200 - x - x - x", 1200 - 3 * X),
        ("where((x > 2) & ~(x >= 5) | (x == 1), x, 0)", torch.tensor([[1.0, 0, 3], [4, 0, 0]])),
        ("x[0]", X[0]),
        ("x[..., 1:]", X[..., 1:]),
        ("x[:, None, ::2]", X[:, None, ::2]),
        ("x[[1, 0], [2, 0]]", X[[1, 0], [2, 0]]),
        ("x[i]", X[[1, 0]]),
        ("x[m]", torch.tensor([3.0, 4, 5, 6])),
        ("x.T", X.T),
        ("x.sum(0)", X.sum(0)),
        ("torch.sum(x, dim=1, keepdim=True)", X.sum(1, keepdim=True)),
        ("F.relu(-x) + torch.nn.functional.relu(x)", X),
        ("torch.linalg.norm(b)", torch.linalg.norm(B)),
        ("x.reshape(x.shape[1], x.numel() // 3)", X.reshape(3, 2)),
        ("x.data*2", 2 * X),
        ("x*torch.pi", X * torch.pi),
        ("x.to(torch.float32)", X.float()),
        ("y = x + 2; z = y*y; y = z - 1", (X + 2) ** 2 - 1),
        ("v, k = max(x, 1); v*10 + k", torch.tensor([32.0, 62.0])),
        ("max(x, 1).values", torch.tensor([3.0, 6.0])),
        ("max(x, 1)[0]", torch.tensor([3.0, 6.0])),
        ("v, k = sort(b, descending=True); [v, k]*1", torch.tensor([[9.0, 8, 7], [2, 1, 0]])),
        # lists: a tensor of numbers, or the stacked parts
        ("b*[1, 2, 3]", B * torch.tensor([1, 2, 3])),
        ("[b, 2*b]*1", torch.stack([B, 2 * B])),
        ("[[b, b], [b, 2*b]]", torch.stack([torch.stack([B, B]), torch.stack([B, 2 * B])])),
        ("[b[0], 2, b[2]]", torch.tensor([7.0, 2, 9])),
        ("[b, [1, 2, 3]]*1", torch.tensor([[7.0, 8, 9], [1, 2, 3]])),
        # a list of tensors, for an operation that takes one: what is not a tensor becomes one
        ("cat([b, [1, 2]])", torch.tensor([7.0, 8, 9, 1, 2])),
        ("cat(([[1, 2, 3]], x), 0)", torch.cat([torch.tensor([[1.0, 2, 3]]), X])),
        ("concat([[b, b], x])", torch.cat([torch.stack([B, B]), X])),
        ("hstack([b[0], 2, [3, 4]])", torch.tensor([7.0, 2, 3, 4])),
        ("stack((b, [1, 2, 3]), 1)", torch.tensor([[7.0, 1], [8, 2], [9, 3]])),
        ("cat(split(b, 2))", B),
        ("b*tensor([[b[0], 1, 2], [3, 4, 5]])", B * torch.tensor([[7.0, 1, 2], [3, 4, 5]])),
        ("einsum('ij,j->i', [x, b])", X @ B),
        ("einsum('ij,j->i', [x, [1, 0, 1]])", torch.tensor([4.0, 10])),
        ("linalg.multi_dot([x, x.T, x])", X @ X.T @ X),
        ("2*3 + x*0", X * 0 + 6),
    ],
)
def test_values(source: str, expected: torch.Tensor) -> None:
    found = run(source)
    assert found.shape == expected.shape
    assert torch.equal(found.double(), expected.double())


def test_numbers_in_a_list_of_tensors_have_their_dtype() -> None:
    joined = run("cat([b, [0.1], [2j]])", b=B.float())
    assert joined.dtype == torch.complex64
    assert torch.equal(joined, torch.tensor([7, 8, 9, 0.1, 2j]))


def test_list_literals_have_the_dtype_of_the_problem() -> None:
    single = run("b*[0.1, 0.2, 0.3]", "float32", b=B.float())
    assert single.dtype == torch.float32
    assert torch.equal(single, B.float() * torch.tensor([0.1, 0.2, 0.3]))
    assert run("b*[0.1, 0.2, 0.3]").dtype == torch.float64


def test_the_inputs_are_not_changed_by_assignments() -> None:
    inputs = {"x": X}
    program = Program(parse("y = 2*x; y + x"))
    assert torch.equal(program(inputs), 3 * X)
    assert torch.equal(program(inputs), 3 * X)
    assert list(inputs) == ["x"]


@pytest.mark.parametrize(
    ("source", "place", "words"),
    [
        ("1 + x @ x", "x @ x", "cannot be multiplied"),
        ("2*reshape(x, (5,)) + 1", "reshape(x, (5,))", "invalid for input of size 6"),
        ("y = x*2; y + b[:2]", "y + b[:2]", "must match the size"),
        ("x[7]", "x[7]", "out of bounds"),
        ("softmax(x, 9)", "softmax(x, 9)", "Dimension out of range"),
        ("b.values", "b.values", "no result named 'values'"),
        ("[x, b]*2", "[x, b]", "equal size"),
        ("sum(x, nodim=3)", "sum(x, nodim=3)", "nodim"),
        ("b + x.sum(5)", "x.sum(5)", "Dimension out of range"),
        ("max(x, 1)*2", "max(x, 1)", "a tuple is not an operand"),
        ("a, c = sum(x); a", "a, c", "one value for 2 names"),
        ("a, c = x.numel(); a*x", "a, c", "one value for 2 names"),
        ("x.reshape(5)", "x.reshape(5)", "invalid"),
    ],
)
def test_torchs_errors_have_places(source: str, place: str, words: str) -> None:
    with pytest.raises(EvaluationError, match=words) as caught:
        run(source)
    error = caught.value
    assert error.place is not None
    assert error.place.text == place
    assert "\n" not in error.message
    assert error.exit_code == 3


@pytest.mark.parametrize(
    ("source", "message", "hint"),
    [
        ("max(x, 1)", "the result has 2 parts", "choose one with an index, for example [0]"),
        ("x, b", "the result has 2 parts", "choose one with an index, for example [0]"),
        ("a, c, d = max(x, 1); a", "2 values for 3 names", ""),
        ("x.shape[0]", "the result is 2, which depends on no input", ""),
        ("max(x, 1)*2", "a tuple is not an operand", "take one part, for example [0]"),
    ],
)
def test_what_is_no_tensor(source: str, message: str, hint: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        run(source)
    assert (caught.value.message, caught.value.hint) == (message, hint)
    assert caught.value.place is not None


@pytest.mark.parametrize(
    "source", ["x.numel()**999*x.numel()**999*x.numel()**999 + x", "x**(x.numel()*500)"]
)
def test_arithmetic_of_shapes_is_bounded_like_that_of_literals(source: str) -> None:
    with pytest.raises((LimitError, EvaluationError)) as caught:
        run(source)
    assert isinstance(caught.value, VjpError)
    assert caught.value.place is not None


class Notes(Observer):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.entered: list[str] = []
        self.left: list[str] = []
        self.lifted: list[Any] = []

    def enter(self, place: Any, *rest: Any) -> None:
        self.entered.append(place.text)

    def leave(self, place: Any, *rest: Any) -> None:
        self.left.append(place.text)

    def lift(self, value: Any) -> Any:
        self.lifted.append(value)
        return value


def test_an_observer_sees_every_operation_and_every_factory() -> None:
    notes = Notes()
    Program(parse("y = x*2; sum(y, 0) + ones(3)*[1, 2, 3]"))({"x": X}, notes)
    assert notes.entered == [
        "x*2",
        "sum(y, 0)",
        "ones(3)",
        "ones(3)*[1, 2, 3]",
        "sum(y, 0) + ones(3)*[1, 2, 3]",
    ]
    assert notes.left == notes.entered
    assert [value.tolist() for value in notes.lifted] == [[1, 1, 1], [1, 2, 3]]
