"""The program ``vjp``, also as ``python -m vjp_cli``."""

import gc
from typing import NoReturn

from vjp_cli import ending
from vjp_cli.lazy import cli


def main() -> NoReturn:
    """Run the command line of this process."""
    ending.by_signals()
    # what is imported lives to the end: looking for garbage in it is in vain
    gc.disable()
    ending.prepare()
    cli.main()
    raise AssertionError("the command line ends the process")


if __name__ == "__main__":
    main()
