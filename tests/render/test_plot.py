"""The picture of J: what its colours, marks and bars stand for."""

from dataclasses import replace
from math import nan
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import Asked, ask, refused, run
from tests.render import reports
from tests.render.snapshot_report import snapshot
from tests.render.test_page import large
from vjp_cli import choices
from vjp_cli.errors import shorten
from vjp_cli.render.plot import bars, jacobian
from vjp_cli.render.plot.figure import render_plot
from vjp_cli.report import Array, Contribution, Contributions, Report
from vjp_cli.settings import Picture

pytest.importorskip(
    "matplotlib", reason="matplotlib, of the extras plot and test, is not installed"
)
from matplotlib.figure import Figure

STARTS = {Picture.PNG: b"\x89PNG", Picture.SVG: b"<?xml", Picture.PDF: b"%PDF"}


def drawn(report: Report, name: str = "x") -> Any:
    figure = Figure()
    axes = figure.subplots()
    jacobian.draw_jacobian(figure, axes, report, name)
    return axes


def contributing(values: tuple[float, ...]) -> Report:
    """Contributions of 2 outputs to 3 elements."""
    part = Contribution(
        reports.matrix(2, 3, *values),
        reports.matrix(2, 3, *[None] * 6),
        reports.matrix(2, 3, *[False] * 6),
        reports.vector(False, False, False),
    )
    report = replace(
        reports.example(),
        output=replace(reports.example().output, value=reports.vector(1.0, 2.0)),
    )
    return replace(report, contributions=Contributions(reports.vector(1.0, 1.0), {"x": part}))


@pytest.mark.parametrize("picture", Picture)
@pytest.mark.parametrize("name", [*reports.REPORTS, "snapshot"])
def test_every_report_makes_a_picture(name: str, picture: Picture) -> None:
    report = {**reports.REPORTS, "snapshot": snapshot}[name]()
    assert render_plot(report, picture).startswith(STARTS[picture])


@pytest.mark.parametrize("picture", Picture)
def test_the_same_report_makes_the_same_file(picture: Picture) -> None:
    assert render_plot(snapshot(), picture) == render_plot(snapshot(), picture)


def test_a_dollar_sign_is_no_formula() -> None:
    report = reports.example()
    report = replace(report, problem=replace(report.problem, expression=r"$\frac{$ \x1b[31m 中"))
    assert render_plot(report, Picture.PNG).startswith(STARTS[Picture.PNG])


def test_the_colours_are_the_entries_of_j() -> None:
    axes = drawn(reports.example())
    [image] = axes.images
    # relative to the largest
    assert image.get_array().tolist() == [[0.6, 0, 0], [0, 0.8, 0], [0, 0, 1]]
    # the scale is the same to both sides, and 0 is in its middle
    assert (image.norm.vmin, image.norm.vmax) == (-1, 1)
    assert image.norm(0) == pytest.approx(0.5)
    # logarithmic: a tenth of the largest is far more than a tenth of the way
    assert image.norm(0.1) > 0.8
    scale = axes.figure.axes[1]
    labels = [label.get_text() for label in scale.get_yticklabels()]
    assert labels == ["-20", "-0.2", "0", "0.2", "20"]
    texts = [text.get_text() for text in axes.texts]
    assert texts == ["12", "·", "·", "·", "16", "·", "·", "·", "20"]


def test_denominator_layout_is_turned() -> None:
    report = reports.two_inputs()
    report = replace(report, problem=replace(report.problem, layout="denominator"))
    assert drawn(report, "w").images[0].get_array().shape == (6, 2)


def test_a_number_that_is_none_is_not_coloured() -> None:
    axes = drawn(snapshot(), "w")
    assert axes.images[0].get_array().mask.tolist() == [[False] * 3, [False, True, False]]
    assert "nan" in [text.get_text() for text in axes.texts]


def marks(axes: Any) -> dict[str, list[list[float]]]:
    return {each.get_label(): each.get_offsets().round().tolist() for each in axes.collections}


def test_what_is_not_ok_has_a_shape() -> None:
    axes = drawn(snapshot(), "w")
    # (column, row): w[0] of y[0] is wrong, w[1] of y[1] nan
    assert marks(axes) == {"wrong": [[0, 0]], "nan": [[1, 1]]}
    kinks = drawn(snapshot(), "x_1")
    assert marks(kinks) == {"kink": [[0, 0], [0, 1]]}
    shapes = [len(each.collections[0].get_paths()[0].vertices) for each in (axes, kinks)]
    # a diamond has four corners, a circle is curved
    assert shapes[0] == 5 < shapes[1]
    assert marks(drawn(reports.example())) == {}


def test_a_large_jacobian_is_drawn_in_blocks() -> None:
    axes = drawn(large())
    [image] = axes.images
    shares = image.get_array()
    assert shares.shape == (200, 200)
    # a diagonal: nothing elsewhere
    assert (shares > 0).sum() == 200
    assert (shares.diagonal() > 0.3).all()
    assert marks(axes) == {"wrong": [[5, 5]]}


def test_complex_numbers_are_drawn_by_their_size() -> None:
    numbers = reports.matrix(1, 2, 3 + 4j, -1j)
    report = replace(
        reports.plain(
            "f(x)",
            {"x": reports.vector(1j, 2j)},
            reports.vector(1j),
            None,
            {"x": numbers},
            None,
        )
    )
    [image] = drawn(report).images
    assert image.get_array().tolist() == [[1, 0.2]]
    assert image.norm.vmin == 0


@pytest.mark.parametrize("size", [5e-324, 1e-310, 1.7e308])
def test_the_smallest_and_the_largest_numbers(size: float) -> None:
    row = {"x": reports.matrix(1, 2, -size, size)}
    report = reports.plain(
        "f(x)", {"x": reports.vector(1.0, 2.0)}, reports.vector(1.0), None, row, None
    )
    assert drawn(report).images[0].get_array().tolist() == [[-1, 1]]
    assert render_plot(report, Picture.PNG).startswith(STARTS[Picture.PNG])


@pytest.mark.parametrize(
    ("report", "words"),
    [
        (replace(reports.example(), jacobian=None), "J was not built"),
        (reports.empty(), "J has no entries"),
    ],
)
def test_what_cannot_be_drawn_is_said(report: Report, words: str) -> None:
    assert [text.get_text() for text in drawn(report).texts] == [words]


def test_bars_add_up_to_the_product() -> None:
    axes = Figure().subplots()
    # the sums are 3, -1, 0
    bars.draw_contributions(axes, contributing((1.0, -3.0, 2.0, 2.0, 2.0, -2.0)), "x")
    first, second = axes.containers
    assert [bar.get_height() for bar in first] == [1, -3, 2]
    assert [bar.get_height() for bar in second] == [2, 2, -2]
    # of one sign they stand on each other, of two on both sides of 0
    assert [bar.get_y() for bar in second] == [1, 0, 0]
    assert first[0].get_hatch() != second[0].get_hatch()
    assert list(axes.lines[0].get_ydata()) == [3, -1, 0]


def test_a_bar_that_is_not_finite_is_marked() -> None:
    axes = Figure().subplots()
    bars.draw_contributions(axes, contributing((1.0, nan, 2.0, 2.0, 2.0, -2.0)), "x")
    lines = {line.get_label(): list(line.get_xdata()) for line in axes.lines}
    assert lines["not finite"] == [1]
    assert lines["vᵀJ"] == [0, 2]


@pytest.mark.parametrize(("size", "words"), [(5e-324, "4.94e-324"), (1.7e308, "1.7e308")])
def test_bars_of_the_smallest_and_the_largest_numbers(size: float, words: str) -> None:
    axes = Figure().subplots()
    report = contributing((size, size, -size, size, 0.0, size))
    bars.draw_contributions(axes, report, "x")
    assert list(axes.lines[0].get_ydata()) == [2, 1, 0]
    assert axes.get_ylabel() == f"in units of {words}"
    assert render_plot(report, Picture.PNG).startswith(STARTS[Picture.PNG])


def test_many_outputs_are_one_part() -> None:
    count = 40
    part = Contribution(*(Array((count, 1), (1.0,) * count) for _ in range(4)))  # type: ignore[arg-type]
    report = replace(
        reports.scalar(),
        output=replace(reports.scalar().output, value=Array((count,), (1.0,) * count)),
        contributions=Contributions(Array((count,), (1.0,) * count), {"x": part}),
    )
    axes = Figure().subplots()
    bars.draw_contributions(axes, report, "x")
    labels = [each.get_label() for each in axes.containers]
    assert labels[-1] == "32 others"
    assert axes.containers[-1][0].get_height() == 32


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    return ask(monkeypatch)


def test_the_file_is_written_beside_the_report(asked: Asked, tmp_path: Path) -> None:
    file = tmp_path / "J.SVG"
    result = run("inspect", "x", "--x", "1,2", "--plot", str(file))
    assert result.stdout.startswith("ok")
    assert file.read_bytes().startswith(STARTS[Picture.SVG])
    assert run("inspect", "x", "--x", "1,2", "-q", "--plot", str(file)).stdout == ""


def test_what_cannot_be_plotted_is_refused_at_once(
    asked: Asked, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    result = run("inspect", "x", "--x", "1", "--plot", "a.pnf")
    refused(result, "--plot writes no 'pnf' file", "did you mean 'png'?")
    result = run("inspect", "x", "--x", "1", "--plot", "a")
    refused(result, "--plot writes no 'a' file", "end it in .png, .svg, .pdf")
    result = run("inspect", "x", "--x", "1", "--plot", "a.png", "--no-jacobian")
    refused(result, "--plot shows J, and --no-jacobian leaves it out", "give one of them")
    monkeypatch.setattr(choices, "find_spec", lambda name: None)
    result = run("inspect", "x", "--x", "1", "--plot", str(tmp_path / "a.png"))
    refused(result, "--plot needs matplotlib", "pip install 'vjp-cli[plot]'")
    assert asked == []
    assert list(tmp_path.iterdir()) == []


def test_a_picture_that_cannot_be_written(asked: Asked, tmp_path: Path) -> None:
    file = str(tmp_path / "no" / "a.png")
    result = run("inspect", "x", "--x", "1", "--plot", file)
    refused(result, f"cannot write '{shorten(file)}': No such file or directory", exit_code=5)
