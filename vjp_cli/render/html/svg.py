"""Parts of pictures: text, cells with their value on hover, marks that need no colour."""

from html import escape

from vjp_cli.errors import clean
from vjp_cli.render.marks import SHAPES
from vjp_cli.report import Verdict

_PATHS = {
    "diamond": "M0 -5 L5 0 L0 5 L-5 0 Z",
    "triangle": "M0 -4.6 L5 4 L-5 4 Z",
    "circle": "M-4.2 0 a4.2 4.2 0 1 0 8.4 0 a4.2 4.2 0 1 0 -8.4 0 Z",
    "check": "M-4.5 0.5 L-1.4 3.6 L4.5 -3.4",
}


def text(content: str) -> str:
    """User text that is shown and never acts."""
    return escape(clean(content))


def mark(verdict: Verdict, x: float, y: float) -> str:
    """The shape of a verdict around a point; "" for ok."""
    shape = SHAPES.get(verdict)
    return (
        f'<path class="mark {shape}" d="{_PATHS[shape]}" transform="translate({x:g} {y:g})"/>'
        if shape
        else ""
    )


def icon(verdict: Verdict) -> str:
    """The shape of a verdict in a line of text."""
    shape = SHAPES.get(verdict, "check")
    return (
        f'<svg class="icon {shape}" width="14" height="14" viewBox="-7 -7 14 14" '
        f'aria-hidden="true"><path d="{_PATHS[shape]}"/></svg>'
    )


def label(content: str, x: float, y: float, *classes: str) -> str:
    """A word at a place; its class says how it is set."""
    return f'<text class="{" ".join(classes)}" x="{x:g}" y="{y:g}">{text(content)}</text>'


def rectangle(place: tuple[float, float], size: tuple[float, float], classes: str) -> str:
    """A rectangle with its upper left corner at a place."""
    (x, y), (width, height) = place, size
    return f'<rect class="{classes}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"/>'


def titled(title: str, *parts: str) -> str:
    """Parts that show ``title`` under the pointer."""
    return f'<g class="cell"><title>{text(title)}</title>{"".join(parts)}</g>'


def picture(name: str, size: tuple[float, float], parts: list[str]) -> str:
    """The parts as a picture in its own size, with a name for who cannot see it."""
    width, height = size
    return (
        f'<svg class="map" role="img" aria-label="{text(name)}" width="{width:g}" '
        f'height="{height:g}" viewBox="0 0 {width:g} {height:g}">{"".join(parts)}</svg>'
    )
