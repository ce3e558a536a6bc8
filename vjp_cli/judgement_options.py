"""The options that say how a report is judged, of `vjp inspect` and `vjp batch`."""

from typing import Annotated

from vjp_cli import completing
from vjp_cli.options import option
from vjp_cli.plain import JUDGEMENT
from vjp_cli.report import Verdict
from vjp_cli.settings import Check

Checks = Annotated[
    str | None,
    option(
        JUDGEMENT,
        metavar="NAMES",
        help=f"Further checks, made where they apply: all, none, or some of {', '.join(Check)}. "
        "By default all but forward-mode and finite-difference.",
        autocompletion=completing.list_of(tuple(Check), alone=("all", "none")),
    ),
]
Strict = Annotated[bool, option(JUDGEMENT, "--strict", help="Exit 1 for everything but ok.")]
FailOn = Annotated[
    str,
    option(
        JUDGEMENT,
        metavar="VERDICTS",
        help="The verdicts that make exit 1.",
        autocompletion=completing.list_of(tuple(Verdict)),
    ),
]
Digits = Annotated[
    int | None,
    option(
        JUDGEMENT,
        min=1,
        max=30,
        metavar="N",
        help="Exit 1 where an imprecise entry has fewer correct digits.",
    ),
]
Timeout = Annotated[
    float,
    option(
        JUDGEMENT,
        min=0,
        metavar="SECONDS",
        help="The time for the symbolic side; what is left then is unchecked.",
    ),
]
Points = Annotated[
    int,
    option(
        JUDGEMENT,
        min=0,
        max=10_000,
        metavar="N",
        help="Judge the problem at N further random points, too.",
    ),
]
Seed = Annotated[
    int,
    option(
        JUDGEMENT,
        min=0,
        max=2**32 - 1,
        metavar="N",
        help="The seed of random values and of random checks.",
    ),
]
