"""A man page of a manual made by hand: no character of a text is taken for a macro."""

from vjp_cli.manual import Command, Manual
from vjp_cli.render.roff import render_man

MANUAL = Manual(
    version="1.2",
    about="Do it: well.",
    commands=(
        Command(
            usage="vjp do [OPTIONS]",
            about="Do it.\n\nThen rest.",
            panels={"Problem": [("--a-b", "An x\\y.")]},
            examples=("vjp do",),
        ),
        Command("vjp undo", "Undo it.", {}, (".vjp undo", "'vjp' undo")),
    ),
    options={"Output": [("-h, --help", "Show it.")]},
    exit_codes={"0": "all is well"},
    environment={"NO_COLOR": ".no colour"},
    topics={"method": "how"},
)
PAGE = r"""
.TH VJP 1 "" "vjp 1.2" "User Commands"
.SH NAME
vjp \- do it: well
.SH SYNOPSIS
\fBvjp do\fR [OPTIONS]
.br
\fBvjp undo\fR
.SH DESCRIPTION
Do it: well.
.SH COMMANDS
.SS vjp do
Do it.
.PP
Then rest.
.PP
\fIProblem\fR
.TP
\fB\-\-a\-b\fR
An x\ey.
.SS vjp undo
Undo it.
.SH OPTIONS
.TP
\fB\-h, \-\-help\fR
Show it.
.SH EXIT STATUS
.TP
\fB0\fR
all is well
.SH ENVIRONMENT
.TP
\fBNO_COLOR\fR
\&.no colour
.SH EXAMPLES
.nf
.RS 4
vjp do
\&.vjp undo
\&'vjp' undo
.RE
.fi
.SH SEE ALSO
The pages of the program, each shown by vjp help TOPIC:
.TP
\fBmethod\fR
how
"""


def test_all_of_it() -> None:
    assert render_man(MANUAL) == PAGE.lstrip("\n")
