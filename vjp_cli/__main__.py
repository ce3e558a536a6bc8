"""``python -m vjp_cli``."""

from vjp_cli.cli import main

if __name__ == "__main__":
    main()
