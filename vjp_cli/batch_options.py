"""The options of `vjp batch` alone."""

from typing import Annotated

from vjp_cli.options import option
from vjp_cli.plain import JUDGEMENT, OUTPUT, RUNNING

FailFast = Annotated[
    bool, option(JUDGEMENT, "--fail-fast", help="Stop after the first line that is not ok.")
]
Jobs = Annotated[
    int | None,
    option(
        RUNNING,
        "--jobs",
        "-j",
        min=1,
        max=1024,
        metavar="N",
        help="Answer in N processes; what goes wrong in one costs no other line.",
    ),
]
Resume = Annotated[
    bool,
    option(
        RUNNING,
        "--resume",
        help="Keep the answers in FILE.part beside the FILE of -o; a call that was stopped goes on "
        "with them.",
    ),
]
Junit = Annotated[
    str | None,
    option(OUTPUT, metavar="FILE", help="Also write the outcome as a test run, in JUnit's XML."),
]
Scheduler = Annotated[
    str | None,
    option(
        RUNNING,
        metavar="ADDRESS",
        help="Answer on the Dask cluster with this scheduler, tcp://HOST:PORT.",
    ),
]
