"""What the evaluator is told of calls, attributes and chains."""

import ast

import pytest

from vjp_cli.language.meaning import (
    Attribute,
    AttributeKind,
    Callee,
    attribute,
    callee,
    flatten,
)
from vjp_cli.ops import catalog
from vjp_cli.ops.table import Kind, Op

NORM = Op("norm", "norm", Kind.COMPOSITE)
LINALG_NORM = Op("linalg.norm", "linalg.norm", Kind.COMPOSITE)


@pytest.fixture(autouse=True)
def _rows(monkeypatch):
    monkeypatch.setattr(catalog, "_BY_NAME", {"norm": NORM, "linalg.norm": LINALG_NORM})


def _node(source):
    return ast.parse(source, mode="eval").body


@pytest.mark.parametrize(
    ("source", "op"),
    [
        ("norm(x)", NORM),
        ("torch.norm(x)", NORM),
        ("torch.linalg.norm(x)", LINALG_NORM),
        ("linalg.norm(x)", LINALG_NORM),
    ],
)
def test_a_function_names_a_row_and_has_no_receiver(source, op):
    assert callee(_node(source)) == Callee(op)


@pytest.mark.parametrize("source", ["x.norm(1)", "(2*x).norm()", "x.T.norm()", "x.norm().norm()"])
def test_a_method_names_a_row_with_its_receiver(source):
    node = _node(source)
    assert callee(node) == Callee(NORM, node.func.value)


def test_a_query_names_what_is_asked_of_the_receiver():
    node = _node("(2*x).size(-1)")
    assert callee(node) == Callee(receiver=node.func.value, query="size")


def test_float_of_a_word_is_a_number():
    assert callee(_node("float('-inf')")) == Callee(number=float("-inf"))


@pytest.mark.parametrize(
    "source",
    [
        "torch.os.norm(1)",
        "print(x)",
        "x.numpy()",
        "norm(x)(x)",
        "float(1)",
        "np.norm(x)",
        "x[0](1)",
    ],
)
def test_what_no_row_has_means_nothing(source):
    assert callee(_node(source)) is None


@pytest.mark.parametrize(
    ("source", "kind", "name", "number"),
    [
        ("torch.pi", AttributeKind.NUMBER, "pi", 3.141592653589793),
        ("torch.int64", AttributeKind.DTYPE, "int64", None),
        ("f(x).values", AttributeKind.FIELD, "values", None),
        ("x.mT", AttributeKind.PROPERTY, "mT", None),
        ("x.T.shape", AttributeKind.PROPERTY, "shape", None),
    ],
)
def test_an_attribute_has_a_kind_and_a_bare_name(source, kind, name, number):
    assert attribute(_node(source)) == Attribute(kind, name, number)


@pytest.mark.parametrize(
    "source", ["torch.os", "torch.linalg.pi", "x.pi", "x.int64", "x.grad", "F.T", "x.__dict__"]
)
def test_any_other_attribute_means_nothing(source):
    assert attribute(_node(source)) is None


@pytest.mark.parametrize(
    ("source", "first", "operands"),
    [
        ("a + b", "a", ["b"]),
        ("a - b*c + d", "a", ["b * c", "d"]),
        ("a/b*(c/d)", "a", ["b", "c / d"]),
        ("(a + b)*c", "a + b", ["c"]),
        ("a + (b + c)", "a", ["b + c"]),
        ("a**b", "a", ["b"]),
        ("(a**b)**c", "a ** b", ["c"]),
        ("a & b & c", "a", ["b", "c"]),
    ],
)
def test_a_chain_of_one_rank_is_flattened_from_left_to_right(source, first, operands):
    start, steps = flatten(_node(source))
    assert ast.unparse(start) == first
    assert [ast.unparse(operand) for _, operand in steps] == operands


def test_each_step_of_a_chain_has_its_own_operator():
    _, steps = flatten(_node("a + b - c"))
    assert [type(step.op) for step, _ in steps] == [ast.Add, ast.Sub]
