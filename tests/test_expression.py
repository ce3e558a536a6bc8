"""What the language accepts, the inputs and the output that it finds, and what it never does."""

import ast
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vjp_cli.errors import VjpError
from vjp_cli.expression import Expression, parse, place
from vjp_cli.ops import catalog
from vjp_cli.ops.table import Kind, Op


@pytest.fixture(scope="module", autouse=True)
def _rows():
    names = ("sin", "sum", "where", "max", "linalg.svd", "reshape", "tensor", "pow", "to", "einsum")
    rows = {name: Op(name, name, Kind.MOVE) for name in names}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalog, "_BY_NAME", rows)
        yield


ACCEPTED = [
    ("2*(x+2)**2", ("x",)),
    ("-x + +y - ~m", ("x", "y", "m")),
    ("a @ b // c % d / e", ("a", "b", "c", "d", "e")),
    ("(x < 1) & (x >= y) | (x != 0)", ("x", "y")),
    ("x[0] + x[1:, None] + x[..., ::2] + x[[0, 1]] + x[m > 0] + x[(0, 1), -1]", ("x", "m")),
    ("x[:x.shape[0]//2]", ("x",)),
    ("[x, 2*x, [1, 2]]", ("x",)),
    ("x, 2*x", ("x",)),
    (
        "torch.sin(x) + F.sin(x) + torch.nn.functional.sin(x) + torch.special.sin(x) + sin(x)",
        ("x",),
    ),
    ("F*x", ("F", "x")),
    ("x.sum(0).sin().T + x.mT", ("x",)),
    ("x.max(0).values + x.max(0).indices", ("x",)),
    ("U, S, _ = torch.linalg.svd(x); U*S", ("x",)),
    ("z.real + z.imag + x.data", ("z", "x")),
    ("x.reshape(x.shape[0], x.numel(), x.size(0), x.dim(), x.ndim)", ("x",)),
    ("x.reshape(())", ("x",)),
    ("x.to(y.dtype) + x.to(torch.int64) + x.to(dtype=torch.bfloat16)", ("x", "y")),
    ("x.sum(dim=(0, 1), keepdim=True)", ("x",)),
    ("einsum('ij,jk->ik', a, b)", ("a", "b")),
    ("sin(x, inplace=False)", ("x",)),
    ("x*float('inf') - float(' -Inf ') + float('nan')", ("x",)),
    ("x*torch.pi + torch.e - torch.inf", ("x",)),
    ("torch.tensor([[0, True], [None, 1j]], dtype=torch.float32)*x", ("x",)),
    ("1.e24*x + .5 + 4.0e-9*1E+5 - 1_000 + 0x10 + 1.5j", ("x",)),
    ("True*x", ("x",)),
    ("2+3", ()),
    ("_x + x_1 + Größe", ("_x", "x_1", "Größe")),
    ("x # twice x", ("x",)),
    ("\ufeffx**2\r\n", ("x",)),
    ("  y = 2*x\n    z = y + k;\n  z", ("x", "k")),
    ("(x\n  + y)", ("x", "y")),
    ("where(µ > 0, ﬁ, 0)", ("μ", "fi")),
    ("x**1000 + x**-1000 + x**float('inf')", ("x",)),
    ("2**1000*x", ("x",)),
    ("x/0", ("x",)),
    ("(1j)**0.5*x", ("x",)),
]


@pytest.mark.parametrize(("source", "names"), ACCEPTED)
def test_the_inputs_are_found_in_order_of_first_use(source, names):
    assert parse(source).names == names


@pytest.mark.parametrize(
    ("source", "output"),
    [
        ("2*x", "y"),
        ("x + y", "z"),
        ("x + y + z + w", "y1"),
        ("y = x + 2; z = y*y*2", "z"),
        ("y = x + 2; y*y*2", "z"),
        ("h = x + 2; h", "h"),
        ("x = 2*x", "y"),
        ("x", "y"),
        ("U, S, V = torch.linalg.svd(x)", "y"),
    ],
)
def test_the_output_is_the_last_target_or_a_free_name(source, output):
    assert parse(source).output == output


def test_a_name_is_an_input_when_it_is_used_before_it_is_assigned():
    expression = parse("a = a + b; b = a")
    assert expression.names == ("a", "b")
    assert [type(statement) for statement in expression.statements] == [ast.Assign, ast.Assign]


def test_a_place_counts_characters_from_the_start_of_the_text():
    expression = parse("größe = x*ß\n(µ +\n größe)")
    statement = expression.statements[1]
    assert isinstance(statement, ast.Expr)
    assert isinstance(statement.value, ast.BinOp)
    right = place(expression, statement.value.right)
    assert (right.text, right.start, right.end) == ("größe", 17, 22)
    assert place(expression, statement.value).caret() == "  (µ +\n   ^^^"


@pytest.mark.parametrize("joint", ["+", "-", "*", "/", "@", "&", "|", "+1-"])
def test_a_chain_of_1200_terms_is_one_level(joint):
    terms = 1200 if len(joint) == 1 else 600
    assert parse(joint.join(["x"] * terms)).names == ("x",)


def test_100_levels_are_accepted():
    assert parse("-" * 99 + "x").names == ("x",)
    assert parse("(" * 149 + "x" + ")" * 149).names == ("x",)


FRAGMENTS = (
    *("x", "y", "F", "__x", "_", "torch", "torch.", ".", ".T", ".values", ".shape", "torch.pi"),
    *("(", ")", "[", "]", "[0]", ",", ";", ":", "=", "{", "}", "#", "\\", "\n", "...", "'a'"),
    *("==", "<", "&", "|", "~", "**", "*", "//", "@", "-", "+", "^", "²", "−", "\x1b", "\u202e"),
    *("1", "2.", "9**9", "1e308", "1e999", "1j", "float('inf')", "torch.int64", "None", "True"),
    *("sin(", "sum(", "lambda", "for", "if", "else", "in", "is", "not", "and", "or"),
)


def _ends_quickly(source: str) -> None:
    begin = time.perf_counter()
    outcome = _outcome(source)
    assert time.perf_counter() - begin < 1
    if isinstance(outcome, Expression):
        assert outcome.output not in outcome.names
        return
    assert outcome.message
    assert outcome.hint
    if outcome.place:
        assert 0 <= outcome.place.start <= outcome.place.end <= len(outcome.place.source)
        assert "^" in outcome.place.caret()


def _outcome(source: str) -> Expression | VjpError:
    try:
        return parse(source)
    except VjpError as error:
        return error


@pytest.mark.parametrize(
    "source",
    [
        *("9" * 9990 + "²", "x" * 9990 + "²", "(" * 90 + "x1 " * 3000 + "²", "x²" * 4990),
        *("<".join(["x"] * 2400), " and ".join(["x"] * 1600), "(x)(" + "x," * 2400 + ")"),
    ],
)
def test_a_hint_takes_no_longer_for_a_long_text(source):
    with pytest.raises(VjpError):
        parse(source)
    begin = time.process_time()
    with pytest.raises(VjpError):
        parse(source)
    assert time.process_time() - begin < 0.05


@given(st.text(max_size=200))
@settings(max_examples=300, deadline=None)
def test_any_text_is_parsed_or_refused_with_a_hint(source):
    _ends_quickly(source)


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=40), st.sampled_from(["", " "]))
@settings(max_examples=600, deadline=None)
def test_any_joined_fragments_are_parsed_or_refused_with_a_hint(fragments, joint):
    _ends_quickly(joint.join(fragments))


@given(st.sampled_from(FRAGMENTS), st.sampled_from(FRAGMENTS), st.integers(1, 4000), st.booleans())
@settings(max_examples=100, deadline=None)
def test_repeated_fragments_are_parsed_or_refused_with_a_hint(first, second, count, symmetric):
    _ends_quickly(first * count + "x" + second * count if symmetric else (first + second) * count)


VALUES = st.recursive(
    st.sampled_from(["x", "y", "2", "0.5", "_k", "torch.pi", "float('inf')", "x.shape[0]"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "@", "&", "|", "<=", "=="]), inner).map(
            lambda parts: f"({parts[0]}*x {parts[1]} {parts[2]}*x)"
        ),
        inner.map(lambda value: f"torch.sin({value})"),
        inner.map(lambda value: f"({value}*x).sum(0, keepdim=True).T"),
        inner.map(lambda value: f"(x*{value})[..., 1:, None]"),
        inner.map(lambda value: f"-({value})"),
        st.tuples(inner, inner).map(lambda parts: f"where(m, {parts[0]}, [{parts[1]}, 1])"),
        inner.map(lambda value: f"(x + {value})**2"),
    ),
    max_leaves=12,
)


@given(st.lists(VALUES, min_size=1, max_size=3))
@settings(max_examples=200, deadline=None)
def test_any_expression_of_the_language_is_accepted(values):
    source = "; ".join(f"a{number} = {value}" for number, value in enumerate(values))
    expression = parse(source)
    assert len(expression.statements) == len(values)
    assert set(expression.names) <= {"x", "y", "m", "_k"}
    assert expression.output == f"a{len(values) - 1}"
