"""A forward that writes into its inputs must tell torch."""

from torch.autograd import Function

from tests.checks.custom import row
from vjp_cli.report import Verdict
from vjp_cli.settings import Check

X = [[1.0, -2.0, 3.0]]


class Marked(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, g):
        return 2 * g


class Unmarked(Marked):
    @staticmethod
    def forward(ctx, x):
        return x.mul_(2)


class Silent(Marked):
    """Not even torch's version counter sees it."""

    @staticmethod
    def forward(ctx, x):
        x.data.mul_(2)
        return x.clone()


class MarkedLater(Function):
    """In the style with ``setup_context``."""

    @staticmethod
    def forward(x):
        return x.mul_(2)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.mark_dirty(inputs[0])

    @staticmethod
    def backward(ctx, g):
        return 2 * g


class UnmarkedLater(MarkedLater):
    @staticmethod
    def setup_context(ctx, inputs, output):
        pass


class Same(Function):
    """An input returned as it is: torch takes a view, and the backward is used."""

    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return 1.0 * g


def test_what_is_marked_or_left_alone() -> None:
    for function in (Marked, MarkedLater, Same):
        found = row(Check.FORWARD_INPUTS, lambda x, f=function: f.apply(x + 0), x=X)
        assert (found.verdict, found.compared, found.reason) == (Verdict.OK, 1, "")


def test_what_is_not_marked() -> None:
    for function in (Unmarked, Silent, UnmarkedLater):
        found = row(Check.FORWARD_INPUTS, lambda x, f=function: f.apply(x + 0), x=X)
        assert found.verdict is Verdict.WRONG
        assert found.reason == (
            f"{function.__name__}.forward writes into input 0 without ctx.mark_dirty: work on a "
            "clone, or mark it and return it"
        )
