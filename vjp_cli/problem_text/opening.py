"""From a command line to its problem: the word, or the file that it names, and all options."""

from vjp_cli.arguments import Arguments
from vjp_cli.expression_text import StandardInput, label, read_expression
from vjp_cli.problem_text.reading import ProblemFile, merged, read_problem

ALLOW = "--allow-functions"


def opened(
    arguments: Arguments, stdin: StandardInput, lenient: bool
) -> tuple[ProblemFile, Arguments]:
    """The expression with what its file says, and the arguments with those of the file.

    Args:
        arguments: of the command line.
        stdin: gives standard input, where the expression is ``-``.
        lenient: only help or completion is asked for, which must not wait for standard input.

    Raises:
        VjpError: there is no good command line or no good file.
    """
    nothing = ProblemFile("")
    # bash completes words that it has split at the colon
    if lenient and arguments.function:
        return nothing, arguments
    word = arguments.expression()
    if arguments.function is not None or (lenient and word == "-"):
        return nothing, arguments
    text, source = read_expression(word, stdin), label(word)
    problem = read_problem(text, source, arguments.known) if source else ProblemFile(text)
    return problem, merged(arguments, problem, ALLOW in arguments.given)
