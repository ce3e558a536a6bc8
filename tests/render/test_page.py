"""The HTML page, opened in a real browser where there is one."""

import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from math import nan
from pathlib import Path
from typing import Any

import pytest

from tests.render import reports
from tests.render.snapshot_report import snapshot
from vjp_cli.render import View, render
from vjp_cli.report import Array, Chain, ChainStep, Finding, Mark, Report, Structure, Verdict
from vjp_cli.report.values import Scattered
from vjp_cli.settings import Format

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)
HOSTILE = "</style><script>alert(1)</script><img src=x onerror=alert(2)>\"'&amp; \u202e\x1b[31m"


def html(report: Report, full: bool = False) -> str:
    return render(report, Format.HTML, View(full=full))


def hostile() -> Report:
    finding = Finding("vjp.x[0]", Verdict.WRONG, 1.0, "2", cause=HOSTILE, remedy=HOSTILE)
    report = replace(reports.findings(), findings=(finding,), notes=(HOSTILE,))
    return replace(report, problem=replace(report.problem, expression=HOSTILE))


def chained() -> Report:
    steps = (
        ChainStep("y", "t + 1", reports.vector(2.0, nan), reports.vector(1.0, 1.0)),
        ChainStep(
            "t", "sqrt(x)", reports.vector(1.0, nan), marks=(Mark("nan", "NaN enters here"),)
        ),
        ChainStep("x", "", reports.vector(1.0, -1.0)),
    )
    return replace(reports.example(), chain=Chain("y", steps))


def large() -> Report:
    """10¹⁰ entries, a diagonal of them possibly non-zero, one wrong."""
    size = 10**5
    zeros = Array((size,), Scattered(size, 0.0, {}))
    places = dict.fromkeys(range(0, size * size, size + 1), 2.0)
    values = Array((size, size), Scattered(size * size, 0.0, places))
    wrong = 5 * (size + 1)
    verdicts = Scattered(size * size, Verdict.OK, {wrong: Verdict.WRONG})
    report = reports.example()
    judged = reports.judged({"x": values}, verdicts={"x": Array((size, size), verdicts)})
    return replace(
        report,
        inputs={"x": zeros},
        output=replace(report.output, value=zeros),
        jacobian={"x": values},
        judged_jacobian=judged,
        structure={"x": Structure((size, size), size, "diagonal", frozenset(places), 1)},
        v=zeros,
        vjp=None,
        judged_vjp=None,
    )


PAGES = {
    **reports.REPORTS,
    "snapshot": snapshot,
    "hostile": hostile,
    "chained": chained,
    "large": large,
    "turned": lambda: replace(
        snapshot(), problem=replace(snapshot().problem, layout="denominator")
    ),
}


def test_a_large_jacobian_makes_no_large_page() -> None:
    assert len(html(large())) < 150_000


def test_what_the_picture_says_of_a_large_jacobian() -> None:
    page = html(large())
    # blocks of 2500 rows and columns: the first holds the wrong entry
    assert "rows 0 to 2499, columns 0 to 2499: 2500 of 6250000 can be non-zero; wrong" in page
    assert page.count("can be non-zero; wrong") == 1
    assert "∂y[5]/∂x[5]" in page


def test_only_the_first_inputs_have_a_picture() -> None:
    names = [f"w{k}" for k in range(30)]
    report = reports.scalar()
    report = replace(
        report,
        problem=replace(report.problem, wrt=tuple(names)),
        inputs=dict.fromkeys(names, report.inputs["x"]),
        jacobian=dict.fromkeys(names, report.jacobian["x"]),
        vjp=dict.fromkeys(names, report.vjp["x"]),
        symbolic=replace(report.symbolic, vjp=dict.fromkeys(names, report.vjp["x"])),
        judged_jacobian=None,
        judged_vjp=None,
    )
    page = html(report)
    assert page.count("<figure") == 12
    assert page.count("Only the first 12 inputs have a picture.") == 18
    assert page.count("<caption>vᵀJ</caption>") == 30


def test_user_text_is_escaped() -> None:
    page = html(hostile())
    assert "<script" not in page
    assert "<img" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert page.count("</style>") == 1


def test_nothing_is_loaded() -> None:
    page = html(snapshot())
    assert "default-src 'none'" in page
    assert not re.search(r"https?:|url\(|@import|src=|href=", page)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if not (BROWSER and find_spec("playwright")):
        pytest.skip("a Chromium and playwright are needed to open pages, one is not installed")
    from playwright.sync_api import sync_playwright

    # the sandbox of Chromium refuses to run as root
    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as play:
        opened = play.chromium.launch(executable_path=BROWSER, args=options)
        yield opened
        opened.close()


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """Open the page of a report; whatever the browser complains of, or asks for, fails the test."""
    complaints: list[str] = []
    contexts = []

    def opened(report: Report, width: int = 1280, **options: Any) -> Any:
        (tmp_path / "report.html").write_text(html(report), encoding="utf-8")
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.on("request", lambda asked: requested.append(asked.url))
        requested: list[str] = []
        page.goto((tmp_path / "report.html").as_uri())
        assert [url.partition(":")[0] for url in requested] == ["file"]
        return page

    opened.complaints = complaints  # type: ignore[attr-defined]
    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_every_width(show: Any, name: str, tmp_path: Path) -> None:
    for width in (1280, 390):
        page = show(PAGES[name](), width)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        picture = page.screenshot(path=str(tmp_path / f"{width}.png"), full_page=True)
        # one colour alone would take less
        assert len(picture) > 10_000


def test_a_policy_forbids_scripts(show: Any) -> None:
    page = show(snapshot())
    blocked = page.evaluate(
        """() => new Promise(done => {
            document.addEventListener('securitypolicyviolation', e => done(e.effectiveDirective));
            document.head.append(Object.assign(document.createElement('script'),
                                               {textContent: 'window.ran = true'}));
            setTimeout(() => done('nothing'), 2000);
        })"""
    )
    assert blocked.startswith("script-src")
    assert page.evaluate("window.ran") is None
    # the browser says so, and this is the only test in which it may
    assert "Content Security Policy" in show.complaints.pop(0)
    show.complaints.clear()


def test_the_value_is_under_the_pointer(show: Any) -> None:
    page = show(reports.example())
    cells = page.locator("svg.map g.cell")
    cells.nth(4).hover()
    assert cells.nth(4).locator("title").text_content() == "y[1], x[1]: 16"
    hit = cells.nth(4).evaluate(
        """cell => { const box = cell.getBoundingClientRect();
            const at = document.elementFromPoint(box.x + box.width/2, box.y + box.height/2);
            return cell.contains(at) && cell.matches(':hover'); }"""
    )
    assert hit is True
    assert cells.nth(1).locator("title").text_content() == "y[0], x[1]: structural zero"


def boxes(page: Any) -> dict[str, dict[str, float]]:
    found = page.locator("svg.map g.cell").evaluate_all(
        """cells => cells.map(cell => {
            const box = cell.querySelector('rect').getBoundingClientRect();
            return [cell.querySelector('title').textContent,
                    {x: box.x, y: box.y, width: box.width}]; })"""
    )
    # the first picture is that of the first input
    return {title.partition(":")[0]: box for title, box in reversed(found)}


def test_v_stands_beside_its_rows_and_the_product_below_its_columns(show: Any) -> None:
    places = boxes(show(reports.example()))
    for k in range(3):
        assert places[f"v at y[{k}]"]["y"] == places[f"y[{k}], x[0]"]["y"]
        assert places[f"vᵀJ at x[{k}]"]["x"] == places[f"y[0], x[{k}]"]["x"]
    assert places["v at y[0]"]["x"] > places["y[0], x[2]"]["x"]
    assert places["vᵀJ at x[0]"]["y"] > places["y[2], x[0]"]["y"]


def test_in_denominator_layout_it_is_the_other_way_round(show: Any) -> None:
    places = boxes(show(PAGES["turned"]()))
    assert places["Jᵀv at w[1]"]["y"] == places["w[1], y[0]"]["y"]
    assert places["v at y[1]"]["x"] == places["w[0], y[1]"]["x"]


def test_a_wrong_entry_has_a_shape(show: Any) -> None:
    page = show(snapshot())
    wrong = page.locator("g.cell", has=page.locator("title", has_text="y[0], w[0]"))
    assert wrong.locator("path.diamond").count() == 1
    kink = page.locator("g.cell", has=page.locator("title", has_text="y[0], x_1"))
    assert kink.locator("path.circle").count() == 1
    right = page.locator("g.cell", has=page.locator("title", has_text="y[0], w[1]"))
    assert right.locator("path").count() == 0


def test_everything_that_scrolls_is_reached_by_keyboard(show: Any) -> None:
    page = show(reports.wide(30), 390)
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate("document.activeElement.ariaLabel || document.activeElement.tagName")
        )
        if page.evaluate("document.activeElement.tagName") == "SUMMARY":
            page.keyboard.press("Enter")
    regions = page.locator(".scroll").evaluate_all("all => all.map(each => each.ariaLabel)")
    assert len(regions) > 4
    assert set(regions) <= reached
    figure = page.locator("figure.scroll")
    figure.focus()
    page.keyboard.press("End")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    # scrolling is smooth
    page.wait_for_timeout(500)
    assert figure.evaluate("each => each.scrollLeft") > 0


def test_tables_say_what_their_cells_belong_to(show: Any) -> None:
    page = show(reports.example())
    rows = page.locator("table", has=page.locator("caption", has_text="vᵀJ")).locator("tbody tr")
    assert rows.nth(0).locator("th[scope=row]").inner_text() == "x[0]"
    assert rows.nth(0).locator("td").all_inner_texts() == ["1.2", "1.2", "0"]
    heads = page.locator("table thead th").evaluate_all("all => all.map(each => each.scope)")
    assert set(heads) == {"col"}


def luminance(color: str) -> float:
    parts = [int(part) / 255 for part in re.findall(r"\d+", color)[:3]]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_stand_out_from_the_page(show: Any, scheme: str) -> None:
    page = show(snapshot(), color_scheme=scheme)
    ground = luminance(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert (ground > 0.5) is (scheme == "light")
    for selector in ("body", ".quiet", ".badge", ".verdict.nan", "summary", "caption"):
        color = page.locator(selector).first.evaluate("each => getComputedStyle(each).color")
        bright, dim = sorted((luminance(color), ground), reverse=True)
        assert (bright + 0.05) / (dim + 0.05) >= 4.5, selector


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_number_stands_out_from_every_colour(show: Any, scheme: str) -> None:
    sizes = [sign * 10 ** (-k / 2) for sign in (1, -1) for k in range(5)]
    row = {"x": reports.matrix(1, 10, *sizes)}
    inputs = {"x": reports.vector(*sizes)}
    page = show(
        reports.plain("f(x)", inputs, reports.vector(1.0), None, row, None), color_scheme=scheme
    )
    colors = page.locator("svg.map g.cell").evaluate_all(
        """all => all.map(cell => [getComputedStyle(cell.querySelector('rect')).fill,
                                   getComputedStyle(cell.querySelector('text')).fill])"""
    )
    assert len({ground for ground, _ in colors}) == 10
    for pair in colors:
        dim, bright = sorted(map(luminance, pair))
        assert (bright + 0.05) / (dim + 0.05) >= 4.5, pair


def test_a_long_number_stays_within_its_cell(show: Any) -> None:
    row = {"x": reports.matrix(1, 3, -0.09675464023279642, 1.2345678e-205, -1.23e-10 - 4.56e120j)}
    inputs = {"x": reports.vector(1.0, 2.0, 3.0)}
    page = show(reports.plain("f(x)", inputs, reports.vector(1.0), None, row, None))
    widths = page.locator("svg.map g.cell").evaluate_all(
        """all => all.map(cell => [cell.querySelector('text').getBBox().width,
                                   cell.querySelector('rect').getBBox().width])"""
    )
    assert [number < cell for number, cell in widths] == [True] * 3


def test_on_paper_nothing_is_cut_off(show: Any) -> None:
    page = show(reports.wide(30))
    page.emulate_media(media="print")
    overflow = page.locator(".scroll").evaluate_all(
        "all => all.map(each => getComputedStyle(each).overflowX)"
    )
    assert set(overflow) == {"visible"}
    assert page.pdf().startswith(b"%PDF")


def test_formulas_are_drawn(show: Any) -> None:
    page = show(reports.example())
    box = page.locator("math").first.bounding_box()
    assert box["width"] > 60
    assert page.locator("math mfrac").count() == 1
    # ∂y_i/∂x_i = 4x_i + 8
    assert page.locator("math").first.text_content() == "∂yi∂xi=4\u2062xi+8"


def test_the_chain_is_a_list_of_steps(show: Any) -> None:
    page = show(chained())
    heads = page.locator("ol.steps > li h3").all_inner_texts()
    assert heads == ["y = t + 1 = [2, nan]", "t = sqrt(x) = [1, nan]", "x = [1, -1]"]
    assert page.locator(".entered.nan").inner_text() == "NaN enters here"
