"""The line of a backward to look at is read from its source, which is never run."""

from pathlib import Path

import pytest

from vjp_cli.checks.blame import Line, likely_line, where_to_look
from vjp_cli.derivatives.python_backward import PythonBackward

SOURCE = """
raise SystemExit("never run")

class Whole:
    @staticmethod
    def backward(ctx, g):
        s, y = ctx.saved_tensors
        return g * (s + y)

class Parts:
    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        def inner(z):
            return z, z
        k, x = ctx.saved_tensors
        return (
            torch.outer(g, x),
            None,
            k @ g,
        )

class Variable:
    @staticmethod
    def backward(ctx, g):
        grad, other = g * 2, g
        if ctx.flag:
            return None
        grad[0] = grad.sum()
        ctx.grad = grad[other]
        return grad

class Nothing:
    @staticmethod
    def backward(ctx, g):
        raise ValueError
"""


def line_of(text: str) -> int:
    return SOURCE.splitlines().index(text) + 1


def backward(tmp_path: Path, name: str, **arguments: tuple[int, ...]) -> PythonBackward:
    file = tmp_path / "ops.py"
    file.write_text(SOURCE)
    # a code object begins with its first decorator, below the class
    return PythonBackward(type(name, (), {}), str(file), line_of(f"class {name}:") + 1, arguments)


@pytest.mark.parametrize(
    ("name", "arguments", "line"),
    [
        ("Whole", {"x": (0,)}, ("        return g * (s + y)", "return g * (s + y)")),
        ("Parts", {"x": (2,)}, ("            k @ g,", "k @ g")),
        ("Parts", {"x": (0,)}, ("            torch.outer(g, x),", "torch.outer(g, x)")),
        # through two arguments, or none known: the whole statement
        ("Parts", {"x": (0, 2)}, ("        return (", "return (torch.outer(g, x), None, k @ g)")),
        ("Parts", {}, ("        return (", "return (torch.outer(g, x), None, k @ g)")),
        ("Variable", {"x": (0,)}, ("        grad[0] = grad.sum()", "grad[0] = grad.sum()")),
    ],
)
def test_the_line_to_look_at(tmp_path, name, arguments, line) -> None:
    found = likely_line(backward(tmp_path, name, **arguments), "x")
    assert found == Line(line_of(line[0]), line[1])


def test_a_source_that_does_not_show_it(tmp_path: Path) -> None:
    assert likely_line(backward(tmp_path, "Nothing"), "x") is None
    assert likely_line(PythonBackward(type("F", (), {})), "x") is None
    assert likely_line(PythonBackward(type("F", (), {}), "<stdin>", 3), "x") is None
    assert likely_line(PythonBackward(type("F", (), {}), str(tmp_path), 3), "x") is None
    broken = tmp_path / "broken.py"
    broken.write_text("def f(:")
    assert likely_line(PythonBackward(type("F", (), {}), str(broken), 1), "x") is None


def test_the_file_is_shown_as_the_user_wrote_it(tmp_path, monkeypatch) -> None:
    whole = backward(tmp_path, "Whole")
    words = "line 8: return g * (s + y)"
    assert where_to_look((whole,), "x", None) == f"look at ops.py {words}"
    assert where_to_look((whole,), "x", tmp_path / "ops.py") == f"look at ops.py {words}"
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    given = Path("../ops.py")
    assert where_to_look((whole,), "x", given) == f"look at ../ops.py {words}"
    monkeypatch.chdir(tmp_path.parent)
    assert where_to_look((whole,), "x", None) == f"look at {tmp_path.name}/ops.py {words}"


def test_without_a_source_or_with_several_functions() -> None:
    one, other = PythonBackward(type("F", (), {})), PythonBackward(type("G", (), {}))
    assert where_to_look((one,), "x", None) == "look at the backward of F"
    assert where_to_look((one, other), "x", None) == ("the custom Functions on the way are F, G")
