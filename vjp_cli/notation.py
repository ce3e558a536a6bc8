"""Left sides of formulas, and LaTeX for names, indices and texts: no sign of a text acts in it."""

import re

from vjp_cli.errors import clean

_GREEK = re.compile(
    r"alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|pi|rho|sigma|tau"
    r"|upsilon|phi|chi|psi|omega|Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Upsilon|Phi|Psi|Omega"
)
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"{\char34}",
    # two of them would join to a dash
    "-": "{-}",
    **{sign: f"\\{sign}" for sign in "#$%&_{}"},
}
_ELEMENT = re.compile(r"([^\[\]]+)(?:\[([^\[\]]*)\])?")
_PARTIAL = re.compile(r"d([^/]+)/d([^/]+)")
_SCIENTIFIC = re.compile(r"(-?[\d.]+)e([+-]?\d+)")
# a letter and its number: x1
_NUMBERED = re.compile(r"([^\W\d_]+)_?(\d+)")


def partial(where: str) -> tuple[str, str] | None:
    """``y[i]`` and ``x[j]`` of ``dy[i]/dx[j]``; None where the left side is no derivative."""
    match = _PARTIAL.fullmatch(where)
    return (match[1], match[2]) if match else None


def latex_text(text: str) -> str:
    r"""``text`` with every sign that LaTeX acts on spelt out: ``a_b`` is ``a\_b``."""
    return "".join(_SPECIAL.get(sign, sign) for sign in clean(text))


def latex_element(name: str) -> str:
    r"""``x[i,0]`` as ``x_{i,0}``, ``beta`` as ``\beta``, ``weight`` as ``\mathit{weight}``."""
    match = _ELEMENT.fullmatch(name)
    if match is None:
        return rf"\mathtt{{{latex_text(name)}}}"
    base, index = _base(match[1]), match[2]
    if index is None:
        return base
    index = index.replace("...", r"\ldots").replace("*", r"{\ast}")
    # x_1 with an index has two of them
    return f"{{{base}}}_{{{index}}}" if "_" in base else f"{base}_{{{index}}}"


def latex_number(digits: str) -> str:
    r"""``1e-07`` as ``1 \cdot 10^{-7}``, ``-inf`` as ``-\infty``; other numbers as they are."""
    match = _SCIENTIFIC.fullmatch(digits)
    if match is None:
        return digits.replace("inf", r"\infty")
    return rf"{match[1]} \cdot 10^{{{int(match[2])}}}"


def latex_where(where: str) -> str:
    r"""``dy[i]/dx[i]`` as ``\frac{\partial y_{i}}{\partial x_{i}}``; ``y[i]`` as ``y_{i}``."""
    sides = partial(where)
    if sides is None:
        return latex_element(where)
    above, below = map(latex_element, sides)
    return rf"\frac{{\partial {above}}}{{\partial {below}}}"


def latex_greek(name: str) -> str:
    r"""``\theta`` for ``theta``; "" for a word that is no Greek letter."""
    return f"\\{name}" if _GREEK.fullmatch(name) else ""


def _base(name: str) -> str:
    if latex_greek(name):
        return latex_greek(name)
    if len(name) == 1:
        return latex_text(name)
    numbered = _NUMBERED.fullmatch(name)
    if numbered:
        return f"{_base(numbered[1])}_{{{numbered[2]}}}"
    return rf"\mathit{{{latex_text(name)}}}"
