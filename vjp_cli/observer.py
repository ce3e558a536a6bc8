"""Who watches a program while it runs."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from vjp_cli.errors import Place


class Observer:
    """Is told what the program does; this one does nothing.

    The exact side lifts what factories make, and both sides note which part of the expression is
    being computed.
    """

    def running(self) -> AbstractContextManager[None]:
        """Entered around the call of a user's function."""
        return nullcontext()

    def lift(self, value: Any) -> Any:
        """What a factory made, as the program is to see it."""
        return value

    def enter(self, place: Place) -> None:
        """The part of the expression about to be computed."""

    def leave(self, place: Place, value: Any, arguments: tuple[Any, ...]) -> None:
        """Its value, and the values it was computed from."""

    def named(self, name: str, value: Any) -> None:
        """A name of the expression is given its value."""
