"""The bars of speed with their measured ratios, and peers beside them, as the table of the README.

    python -m tests.bench [--write] [PART ...]

All ratios of a row come from one run, measured in turn; absolute times mean nothing on a shared
machine. PART: startup, dense, structured, large, softmax, batch, peers (all). `--write` puts the
table into the README. Install the package, not editable, first: otherwise nothing may be compiled.
"""

import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path

# before torch is there: what is compared runs on one thread
os.environ.setdefault("OMP_NUM_THREADS", "1")

from tests.bench import dense, peers, startup, structured
from tests.bench.timing import Row, number

README = Path(__file__).parents[2] / "README.md"
TABLE = re.compile(r"(<!-- python -m tests\.bench -->\n)(.*?)(<!-- end -->\n)", re.DOTALL)


def batch() -> list[Row]:
    """Cases of ``vjp batch`` by one process a case, in time of the processors."""
    what, bar = "batch of small cases", "at least 2000 times one process a case"
    if find_spec("tests.bench.batch") is None:
        return [Row(what, bar, "not measured")]
    from tests.bench import batch as cases

    found = cases.alone().processors / cases.a_case(2000).processors
    return [Row(what, bar, number(found), found >= 2000)]


PARTS: dict[str, Callable[[], Iterable[Row]]] = {
    "startup": startup.rows,
    "dense": dense.rows,
    "structured": structured.rows,
    "large": startup.large,
    "softmax": peers.softmax,
    "batch": batch,
    "peers": peers.rows,
}
_MET = {True: "yes", False: "**no**", None: ""}


def table(rows: Iterable[Row]) -> str:
    """Markdown: the bars, then the peers."""
    rows = list(rows)
    lines = ["| what | bar | measured: median (least to most) | met |", "|---|---|---|---|"]
    lines += [f"| {r.what} | {r.bar} | {r.found} | {_MET[r.met]} |" for r in rows if r.bar]
    others = [f"| {r.what} | {r.found} |" for r in rows if not r.bar]
    if others:
        lines += ["", "| peer | its time in units of ours |", "|---|---|", *others]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, print, and write where it is asked for."""
    warnings.simplefilter("ignore")
    words = sys.argv[1:]
    chosen = [word for word in words if not word.startswith("-")] or list(PARTS)
    rows: list[Row] = []
    for name in chosen:
        for row in PARTS[name]():
            rows.append(row)
            sys.stderr.write(f"{row.what}: {row.found}\n")
    text = table(rows)
    sys.stdout.write(text)
    if "--write" in words:
        page = README.read_text(encoding="utf-8")
        written = TABLE.sub(lambda match: match[1] + "\n" + text + "\n" + match[3], page)
        README.write_text(written, encoding="utf-8")


if __name__ == "__main__":
    main()
