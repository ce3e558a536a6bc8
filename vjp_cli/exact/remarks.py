"""What the run of a user's function on the tape has to say beside its numbers."""

from collections.abc import Iterable

from vjp_cli.exact.side import ExactAnswer

# Lines of the user's code that a remark names; the others are counted.
NAMED = 3


def remarks(exact: ExactAnswer) -> tuple[str, ...]:
    """Where the truth is that of this point's branch, and where a number left torch."""
    if exact.side is None:
        return ()
    tape, found = exact.side.traced.tape, []
    branches, taken_out = (list(filter(None, lines)) for lines in (tape.branches, tape.taken_out))
    if branches:
        many, are = ("es", "are those") if len(branches) > 1 else ("", "is the one")
        found.append(f"the branch{many} at {_listed(branches)} {are} of this point")
    if taken_out:
        found.append(
            f"float() at {_listed(taken_out)} takes a number out of torch: for derivatives it "
            "counts as a constant, in torch and in the truth"
        )
    return tuple(found)


def _listed(lines: Iterable[str]) -> str:
    """``model.py line 7, line 9 and 2 more``."""
    known = list(lines)
    shown = known[:NAMED]
    file = shown[0].rpartition(" line ")[0]
    words = [shown[0], *(line.removeprefix(f"{file} ") for line in shown[1:])]
    if len(known) > NAMED:
        return f"{', '.join(words)} and {len(known) - NAMED} more"
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]
