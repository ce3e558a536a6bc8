"""The chain rule as a list of steps, from the output back."""

from collections.abc import Iterator

from vjp_cli.render.chain import write_chain
from vjp_cli.render.html.svg import icon, text
from vjp_cli.report import Report, Verdict

_WIDTH = 400
# a label that is a sign marks where NaN, an infinity or a false zero enters
_MARKS = {str(verdict): verdict for verdict in Verdict}


class _Steps:
    """The screen that the chain is written on here: heads, and labelled lines below them."""

    width = _WIDTH

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._open = False

    def title(self, text: str) -> None:
        """The section has one of its own."""

    def words(self, content: str, *label: tuple[str, str], indent: int = 2) -> None:
        name = "".join(part for part, _ in label).strip()
        if indent <= 2:
            self.end()
            first = f"<strong>{text(name)}</strong> " if name and name != "-" else ""
            self.parts.append(f"<li><h3>{first}<code>{text(content)}</code></h3><dl>")
            self._open = True
            return
        marked = _MARKS.get(label[0][1]) if label else None
        if marked is not None:
            self.parts.append(
                f'<dt class="verdict {marked}">{icon(marked)}</dt>'
                f'<dd class="entered {marked}">{text(content)}</dd>'
            )
        else:
            self.parts.append(f"<dt>{text(name)}</dt><dd><code>{text(content)}</code></dd>")

    def most(self, count: int) -> int:
        return min(count, 60)

    def end(self) -> None:
        if self._open:
            self.parts.append("</dl></li>")
        self._open = False


def steps(report: Report) -> Iterator[str]:
    """The steps in a list."""
    screen = _Steps()
    write_chain(screen, report)
    screen.end()
    yield f'<ol class="steps">{"".join(screen.parts)}</ol>'
