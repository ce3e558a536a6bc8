"""The parser and the reader of values under atheris, which looks for inputs that reach new code.

    pip install ".[bench]" && python -m tests.bench.coverage_guided [--runs N] [--seconds S]

The corpus to start from are the samples of the operation table and the bad inputs of the cases. It
prints how many inputs were run, and stops at the first that is not taken as it should be.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["vjp_cli"]):
    from tests.fuzz import inputs
    from tests.fuzz.trials import fault_of


def one(data: bytes) -> None:
    """The first byte says what it is: an expression, a value or a line of a batch."""
    if not data:
        return
    kind = ("expression", "value", "request")[data[0] % 3]
    provider = atheris.FuzzedDataProvider(data[1:])
    given = data[1:] if kind == "request" else provider.ConsumeUnicodeNoSurrogates(10_010)
    # no file of this machine is read; and what is instrumented is slower
    fault = "" if b"@" in data else fault_of(kind, given, seconds=0.5)
    if fault:
        raise AssertionError(fault)


def main() -> None:
    """Never returns: the fuzzer ends the process."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--seconds", type=int, default=0, help="stop there; 0 for no limit")
    chosen = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="vjp-corpus-"))
    for k, text in enumerate(inputs.corpus()):
        # the first byte of a text to the provider says how its characters are spelled: 1 is ASCII
        spelled = b"\x01" + text.encode("ascii", "ignore")
        (folder / f"{k}-expression").write_bytes(b"\x00" + spelled)
        (folder / f"{k}-value").write_bytes(b"\x01" + spelled)
    flags = [f"-runs={chosen.runs}", f"-max_total_time={chosen.seconds}", "-max_len=2000"]
    atheris.Setup([sys.argv[0], *flags, "-timeout=5", str(folder)], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
