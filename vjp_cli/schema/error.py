"""The JSON of an error."""

from typing import Annotated, Literal

from msgspec import Struct

from vjp_cli.errors import ExitCode
from vjp_cli.failures import ERROR_SCHEMA, KINDS
from vjp_cli.schema.parts import Answer
from vjp_cli.schema.shapes import says


class Explanation(Struct):
    """What is wrong, and what to do."""

    kind: Annotated[str, says("What sort of error it is.", enum=list(KINDS))]
    message: Annotated[str, says("What is wrong and where, in one line.")]
    hint: Annotated[str, says("What to write instead; empty where there is nothing to say.")]
    exit_code: ExitCode


class Error(Answer, kw_only=True):
    """An error: with --json the only object on standard error, in a batch the answer to a line."""

    schema: Annotated[str, says("The name and version of this format.", const=ERROR_SCHEMA)]
    ok: Literal[False]
    error: Explanation
