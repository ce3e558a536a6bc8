"""The parts of a report's JSON, each with its keys."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from vjp_cli.report import PATTERNS, Verdict
from vjp_cli.requests import Id
from vjp_cli.schema.shapes import Digits, Gradients, Number, Numbers, Slope, Truths, Verdicts, says
from vjp_cli.settings import DTYPES, Layout

Count = Annotated[int, Meta(ge=0)]
Shape = list[Count]


class Answer(Struct, kw_only=True):
    """What every line of a batch has."""

    id: Annotated[Id | UnsetType, says("In a batch: the id of the request; null for none.")] = UNSET
    line: Annotated[Count | UnsetType, says("In a batch: the number of the line, from 1.")] = UNSET


class Problem(Struct):
    """What was asked, as it was understood."""

    expression: Annotated[str | None, says("The expression; null for a function.")]
    function: Annotated[str | None, says("The function, as FILE.py:NAME or package.module:NAME.")]
    against: Annotated[str | None, says("The function that the truth is taken from.")]
    arguments: Annotated[
        dict[str, Number | str],
        says("The plain Python values that the function was called with."),
    ]
    output_index: Annotated[Count | None, says("Which output of the function is y, from 0.")]
    order: Annotated[Literal[1, 2], says("2: the gradient of the output stands in the place of y.")]
    weights: Annotated[Numbers | None, says("Of order 2, the v of that gradient.")]
    dtype: Annotated[str, says("What inputs and v are rounded to.", enum=list(DTYPES))]
    device: Annotated[str, says("Where torch computed.")]
    layout: Annotated[
        Layout, says("How the tables show J; jacobian is in numerator layout all the same.")
    ]
    wrt: Annotated[list[str], says("The inputs that are differentiated by.")]


class Output(Struct):
    """The value of the expression or function."""

    name: Annotated[str, says("The name of the output.")]
    shape: Annotated[Shape, says("Its shape; empty for a scalar.")]
    value: Annotated[Numbers, says("Its value as torch computes it.")]


class Coordinates(Struct):
    """A large Jacobian by the places of its entries; what is not listed is 0."""

    format: Literal["coo"]
    shape: Annotated[Shape, says("The elements of the output, and those of the input.")]
    rows: Annotated[list[Count], says("The flat position in the output of each entry.")]
    cols: Annotated[list[Count], says("The flat position in the input of each entry.")]
    values: Annotated[list[Number | None], says("The entries.")]


class Formula(Struct):
    """One SymPy formula for all entries that share it."""

    where: Annotated[str, says("The left-hand side: dy[i]/dx[i], or y[i].")]
    count: Annotated[Count, says("How many entries have this formula.")]
    formula: Annotated[str, says("The right-hand side in ASCII, with bracketed indices.")]
    latex: Annotated[str, says("The same for LaTeX.")]
    definitions: Annotated[
        list[str] | UnsetType, says("Names that the formula uses, as name = formula.")
    ] = UNSET


class Symbolic(Struct):
    """The independent derivation: formulas by SymPy, and the VJP in exact arithmetic."""

    output: Annotated[list[Formula], says("The formulas of y.")]
    jacobian: Annotated[dict[str, list[Formula]], says("The formulas of J, by input.")]
    vjp: Annotated[
        dict[str, Gradients] | list[dict[str, Gradients] | None] | None,
        says("The exact VJP, rounded to doubles; a list of several."),
    ]


class Structure(Struct):
    """Which entries of the Jacobian by one input can be non-zero."""

    shape: Annotated[Shape, says("The elements of the output, and those of the input.")]
    nonzeros: Annotated[Count, says("How many entries can be non-zero.")]
    pattern: Annotated[str, says("A word for their places.", enum=list(PATTERNS))]
    description: Annotated[
        str | None, says("What there is to add: offsets, sizes of blocks, dense rows.")
    ]
    colours: Annotated[
        Count | None, says("Groups of rows that one VJP can compute together, where computed.")
    ]


class Slopes(Struct):
    """The slopes of the function to both sides, where they differ."""

    left: Slope
    right: Slope


class Removable(Struct):
    """The derivative at a point where the function has a removable hole."""

    removable: Digits


class Truth(Struct):
    """The exact derivatives at the rounded inputs, by input."""

    jacobian: Annotated[
        dict[str, Truths] | None,
        says("Of J; that of a J by coordinates is null, and told in the findings."),
    ]
    vjp: Annotated[
        dict[str, Truths] | list[dict[str, Truths] | None] | None,
        says("Of the VJP; null without v, a list of several."),
    ]


class Judgement(Struct):
    """The judgement of every entry, by input."""

    jacobian: Annotated[dict[str, Verdicts] | None, says("Of J; null where it was not judged.")]
    vjp: Annotated[
        dict[str, Verdicts] | list[dict[str, Verdicts] | None] | None,
        says("Of the VJP; null without v, a list of several."),
    ]


class Check(Struct):
    """What was compared with what, and the outcome."""

    name: Annotated[str, says("What is compared.")]
    verdict: Annotated[Verdict, says("The outcome; unchecked for a check that did not run.")]
    compared: Annotated[Count, says("How many entries were compared.")]
    max_ulp: Annotated[
        Number | None, says("The largest distance in units in the last place, for information.")
    ]
    max_ratio: Annotated[
        Number | None, says("The largest error divided by its bound, for information.")
    ]
    reason: Annotated[str | None, says("Why the verdict is what it is; null for ok.")]


class Finding(Struct):
    """An entry that is not ok, or several alike."""

    where: Annotated[str, says("The entry: vjp.x[1] or jacobian.x[0,1].")]
    verdict: Verdict
    torch: Annotated[Number | None, says("torch's number; null where it gives none.")]
    truth: Annotated[Slope | None, says("The exact derivative, where it is one number.")]
    left: Annotated[Slope | None, says("The slope to the left, where there is no derivative.")]
    right: Annotated[Slope | None, says("The slope to the right.")]
    cause: Annotated[str | None, says("Why torch's number is what it is.")]
    remedy: Annotated[str | None, says("Another way to write the expression.")]
    count: Annotated[Annotated[int, Meta(ge=1)], says("How many such entries there are.")]


class Reproduction(Struct):
    """Command lines for a shell."""

    problem: Annotated[str | None, says("The problem; null where it is too long for a line.")]
    point: Annotated[str | None, says("The first random point with a finding, if there is one.")]
