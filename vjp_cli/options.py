"""The options of the commands, each with its heading in the help.

A command's function annotates its parameters with these; the defaults stand in its signature.
"""

from collections.abc import Callable
from typing import Annotated, Any

import typer

import vjp_cli
from vjp_cli import completing
from vjp_cli.call import call_of
from vjp_cli.output import write_text
from vjp_cli.plain import OUTPUT, PROBLEM, SHOWN
from vjp_cli.settings import DTYPES, Color, Format, Language, Layout


def option(panel: str, *names: str, help: str, **more: Any) -> Any:
    """An option under a heading of the help."""
    return typer.Option(*names, help=help, rich_help_panel=panel, **more)


def _answer(name: str, letter: str, help: str, text: Callable[[typer.Context], str]) -> Any:
    """An option that writes a text and ends the program well."""

    def write(context: typer.Context, asked: bool) -> None:
        if asked and not context.resilient_parsing:
            write_text(text(context) + "\n")
            raise typer.Exit

    return option(
        OUTPUT, name, letter, help=help, is_eager=True, expose_value=False, callback=write
    )


def _names(ctx: typer.Context, incomplete: str) -> list[str]:
    return completing.list_of(call_of(ctx).subject.names)(incomplete)


def _named_value(ctx: typer.Context, incomplete: str) -> list[str]:
    names = [f"{name}=" for name in call_of(ctx).subject.names]
    return completing.value(incomplete) or completing.one_of(names)(incomplete)


Help = Annotated[
    bool, _answer("--help", "-h", "Show this page and exit.", lambda context: context.get_help())
]
Version = Annotated[
    bool,
    _answer(
        "--version", "-V", "Show the version and exit.", lambda _: f"vjp {vjp_cli.__version__}"
    ),
]
Man = Annotated[bool, option(SHOWN, "--man", help="Write the man page of vjp instead.")]
Function = Annotated[
    str | None,
    option(
        PROBLEM,
        "--function",
        "-f",
        metavar="FILE.py:NAME",
        help="A Python function of tensors, a custom autograd.Function or an nn.Module in the "
        "place of EXPR (also package.module:NAME); this runs the code of the file. Each parameter "
        "of the call is an option, those of a module are inputs too.",
        autocompletion=completing.functions,
    ),
]
Against = Annotated[
    str | None,
    option(
        PROBLEM,
        metavar="FILE.py:NAME",
        help="Take the truth from this function, which has the same parameters.",
        autocompletion=completing.functions,
    ),
]
OutputIndex = Annotated[
    int | None,
    option(
        PROBLEM,
        min=0,
        metavar="K",
        help="Which output of the function is y, counted from 0.",
    ),
]
Order = Annotated[
    int,
    option(
        PROBLEM,
        min=1,
        max=2,
        metavar="1|2",
        autocompletion=completing.one_of(("1", "2")),
        help="2: differentiate the gradient of Σ v_i·y_i once more, J is then the Hessian.",
    ),
]
_V = ("--v", "--cotangent", "--gradient")
Cotangent = Annotated[
    list[str] | None,
    option(
        PROBLEM,
        *_V,
        metavar="VALUE",
        help="The cotangent v, as y.backward(v) takes it. Repeatable: .grad holds the sum then.",
        autocompletion=completing.cotangent,
    ),
]
Loss = Annotated[
    str | None,
    option(PROBLEM, "--loss", metavar="EXPR", help="Take v = ∂loss/∂y of this loss in y."),
]
TangentU = Annotated[
    list[str] | None,
    option(
        PROBLEM,
        "--u",
        "--tangent",
        metavar="[NAME=]VALUE",
        help="Also show Ju for the tangent u of an input. Repeatable, one for each input.",
        autocompletion=completing.value,
    ),
]
Wrt = Annotated[
    str | None,
    option(
        PROBLEM,
        metavar="NAMES",
        help="Differentiate by these inputs only.",
        autocompletion=_names,
    ),
]
Let = Annotated[
    list[str] | None,
    option(
        PROBLEM,
        metavar="NAME=VALUE",
        help="Set a variable whose option means something else, like v. Repeatable.",
        autocompletion=_named_value,
    ),
]
Dtype = Annotated[
    str,
    option(
        PROBLEM,
        metavar="DTYPE",
        help="The dtype that inputs are rounded to.",
        autocompletion=completing.one_of(DTYPES),
    ),
]
Device = Annotated[
    str,
    option(
        PROBLEM,
        metavar="DEVICE",
        help="Where torch computes.",
        autocompletion=completing.one_of(("cpu", "cuda", "mps", "xpu")),
    ),
]
Explain = Annotated[
    bool, option(SHOWN, "--explain", help="Add the report in words, with its own numbers.")
]
Lang = Annotated[Language | None, option(SHOWN, help="The language of --explain; en if not said.")]
Full = Annotated[bool, option(SHOWN, "--full", help="Cut no table and no formula.")]
Transposed = Annotated[Layout, option(SHOWN, help="J[i,j] = ∂y_i/∂x_j, or its transpose.")]
Chain = Annotated[
    bool,
    option(SHOWN, "--chain", help="Show the chain rule step by step, from the output back."),
]
Shares = Annotated[
    bool,
    option(
        SHOWN,
        "--contributions",
        help="Show what each output adds to the gradient, v_i·J_ij, and its share.",
    ),
]
NoJacobian = Annotated[bool, option(SHOWN, "--no-jacobian", help="Do not build J.")]
MaxEntries = Annotated[
    int,
    option(SHOWN, min=0, metavar="N", help="Write J in full up to N entries in JSON and CSV."),
]
Json = Annotated[bool, option(OUTPUT, "--json", help="Short for --format json.")]


def _format(*choices: Format) -> Any:
    words, kept = f"One of {', '.join(choices)}.", completing.one_of(choices)
    return option(OUTPUT, "--format", metavar="FORMAT", help=words, autocompletion=kept)


Shape = Annotated[str | None, _format(*Format)]
Listing = Annotated[str | None, _format(Format.TABLE, Format.JSON)]
File = Annotated[
    str | None,
    option(
        OUTPUT,
        "--output",
        "-o",
        metavar="FILE",
        help="Write to FILE; without --format, its suffix says how: .csv, .html, .md, .tex ….",
    ),
]
Save = Annotated[
    str | None, option(OUTPUT, metavar="FILE", help="Write J to FILE, a .npz, .npy or .mtx.")
]
Plot = Annotated[
    str | None,
    option(
        OUTPUT,
        metavar="FILE",
        help="Draw J into FILE, a .png, .svg or .pdf, and --contributions as bars.",
    ),
]
SaveProblem = Annotated[
    str | None,
    option(
        OUTPUT,
        metavar="FILE",
        help="Write the problem to FILE, with all numbers; vjp inspect @FILE runs it.",
    ),
]
Reproduce = Annotated[
    bool, option(OUTPUT, "--reproduce", help="Add the problem as one line for a shell.")
]
Quiet = Annotated[
    bool, option(OUTPUT, "--quiet", "-q", help="No report: the exit code is the answer.")
]
Colors = Annotated[Color, option(OUTPUT, "--color", help="When to colour.")]
AllowFunctions = Annotated[
    bool,
    option(
        PROBLEM,
        "--allow-functions",
        help="A problem that is read may name a Python function, FILE.py:NAME; this runs the code "
        "of that file.",
    ),
]
