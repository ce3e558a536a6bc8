"""Elements that the sections share: words, verdicts, tables, and what scrolls by itself."""

from collections.abc import Sequence

from vjp_cli.render.html.svg import icon, text
from vjp_cli.report import Verdict


def words(texts: Sequence[str]) -> str:
    """A paragraph, or a list of several."""
    if len(texts) == 1:
        return f"<p>{text(texts[0])}</p>"
    return f"<ul>{''.join(f'<li>{text(each)}</li>' for each in texts)}</ul>"


def verdict(found: Verdict | None) -> str:
    """A verdict with its shape."""
    return "" if found is None else f'<span class="verdict {found}">{icon(found)}{found}</span>'


def tabulated(
    title: str, header: Sequence[str], rows: Sequence[Sequence[str]], kind: str = ""
) -> str:
    """A table under its title that scrolls by itself, by keyboard too; cells are HTML."""
    head = "".join(f'<th scope="col">{each}</th>' for each in header)
    body = "".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
        for first, *cells in rows
    )
    made = (
        f'<table class="{kind}"><caption>{text(title)}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )
    return scrolled("div", made, title)


def scrolled(element: str, inner: str, name: str) -> str:
    """``inner`` in an element that scrolls sideways, by keyboard too."""
    return (
        f'<{element} class="scroll" tabindex="0" role="region" aria-label="{text(name)}">'
        f"{inner}</{element}>"
    )
