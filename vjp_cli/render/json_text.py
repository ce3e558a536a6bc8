"""A document of dictionaries, lists and plain values as the text of JSON."""

import json
from typing import Any

from vjp_cli.lazy import encoding, numpy

# lists from this length may take the fast way
_LONG = 1000


def text_of(value: Any) -> str:
    """JSON in ASCII on one line.

    Raises:
        ValueError: a number is not finite; JSON has no such numbers.
    """
    if isinstance(value, dict):
        items = (f"{_dumped(key)}:{text_of(item)}" for key, item in value.items())
        return f"{{{','.join(items)}}}"
    if isinstance(value, list) and len(value) >= _LONG and _all_finite(value):
        # a tenth of the time; it would write NaN as null
        written: str = encoding.encode(value).decode()
        return written
    return _dumped(value)


def _dumped(value: Any) -> str:
    # allow_nan=False: a bare NaN is not JSON, so a number that slipped through must not be written
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


def _all_finite(values: list[Any]) -> bool:
    """Whether these are finite numbers and nothing else."""
    if not isinstance(values[0], (int, float)):
        return False
    try:
        return bool(numpy.isfinite(numpy.array(values, dtype=float)).all())
    except (TypeError, ValueError):
        return False
