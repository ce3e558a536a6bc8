"""The line of the user's file is found behind torch's frames and our own."""

from pathlib import Path

from vjp_cli.frames import said

FILE = Path(__file__)


def test_an_exception_is_said_with_the_last_line_of_the_file() -> None:
    try:
        raise ValueError("no luck\nat all")  # line 12
    except ValueError as error:
        assert said(error, FILE) == "ValueError: no luck (line 12)"
        assert said(error, FILE.with_name("other.py")) == "ValueError: no luck"
