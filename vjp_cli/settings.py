"""Every choice of a call in one frozen object, and the limits and bounds as data.

Nothing below the command line reads a flag: it reads a field of ``Settings``.
"""

from dataclasses import dataclass, field
from enum import StrEnum

from vjp_cli.report import Verdict


class Format(StrEnum):
    """The output formats."""

    TABLE = "table"
    PLAIN = "plain"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"
    TSV = "tsv"
    MARKDOWN = "markdown"
    LATEX = "latex"
    HTML = "html"


class Picture(StrEnum):
    """The kinds of files that a plot is written to."""

    PNG = "png"
    SVG = "svg"
    PDF = "pdf"


class Layout(StrEnum):
    """Numerator layout has J[i,j] = ∂y_i/∂x_j; denominator layout shows its transpose."""

    NUMERATOR = "numerator"
    DENOMINATOR = "denominator"


class Color(StrEnum):
    """When the terminal renderer may colour."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class Language(StrEnum):
    """The languages of an explanation."""

    ENGLISH = "en"
    CHINESE = "zh"


class Check(StrEnum):
    """Further checks, of torch against itself; each is a file of ``vjp_cli.checks``."""

    FULL_PRODUCT = "full-product"
    DETERMINISM = "determinism"
    FORWARD_MODE = "forward-mode"
    FINITE_DIFFERENCE = "finite-difference"
    IN_FLOAT64 = "in-float64"
    POINTS = "points"
    RETURNED = "returned-gradients"
    SINGLE_INPUTS = "single-inputs"
    FORWARD_INPUTS = "forward-inputs"
    REPEATED = "repeated-backward"
    LAYOUTS = "layouts"
    LINEARITY = "linearity"
    DOUBLE_BACKWARD = "double-backward"
    JVP_RULE = "jvp-rule"
    VMAP_RULE = "vmap-rule"
    OUTSIDE = "outside-pattern"
    RANDOM_V = "random-v"


# made only when asked for: the first use of forward mode loads modules for a second, differences
# evaluate the function many times and know less than the exact derivative
ON_REQUEST = (Check.FORWARD_MODE, Check.FINITE_DIFFERENCE)

DTYPES = ("float64", "float32", "float16", "bfloat16", "complex128", "complex64")


@dataclass(frozen=True)
class Limits:
    """Costs that are bounded before they are paid (exit 4)."""

    characters: int = 10_000
    line_characters: int = 10_000_000
    nodes: int = 5_000
    depth: int = 100
    constant_bits: int = 4_096
    exponent: int = 1_000
    elements: int = 10_000_000
    file_bytes: int = 1 << 30
    jacobian_bytes: int = 1 << 30
    dense_entries: int = 1_000_000
    exact_entries: int = 1_000_000
    waiting_elements: int = 2000


LIMITS = Limits()


@dataclass(frozen=True)
class Settings:
    """The choices of one inspection.

    Attributes:
        wrt: the inputs to differentiate by; empty means all of them.
        dtype: the name of the torch dtype that inputs are rounded to.
        seed: seeds generated values and the extra random checks.
        timeout: seconds for the symbolic side; what is not done by then is ``unchecked``.
        digits: correct digits asked for; an ``imprecise`` entry with fewer makes exit 1.
        strict: everything but ``ok`` makes exit 1.
        fail_on: the verdicts that make exit 1.
        max_entries: J is nested in JSON up to this many entries, and a list of coordinates beyond.
        jacobian: whether J is built.
        allow_functions: whether a request may name a Python function, whose file is then run.
        remedies: whether other ways to write the expression are looked for.
        points: at how many further random points the problem is judged, too.
        order: 1 for the Jacobian of y, 2 for that of the gradient of Σ v_i·y_i.
        contributions: whether v_i·J_ij is shown.
        output_index: which output of a function is y; None where it has one.
        chain: whether the chain rule is shown step by step.
        checks: the further checks to make, where they apply.
        language: of the explanation; None for no explanation.
    """

    wrt: tuple[str, ...] = ()
    dtype: str = "float64"
    device: str = "cpu"
    layout: Layout = Layout.NUMERATOR
    seed: int = 0
    timeout: float = 20.0
    digits: int | None = None
    strict: bool = False
    fail_on: frozenset[Verdict] = field(
        default=frozenset({Verdict.WRONG, Verdict.NAN, Verdict.SATURATED})
    )
    max_entries: int = 1_000_000
    jacobian: bool = True
    allow_functions: bool = False
    remedies: bool = True
    points: int = 0
    order: int = 1
    contributions: bool = False
    output_index: int | None = None
    chain: bool = False
    checks: tuple[Check, ...] = tuple(check for check in Check if check not in ON_REQUEST)
    language: Language | None = None
