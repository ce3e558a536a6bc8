"""What a user's function may change besides its result: seen, told, and put back."""

import contextlib
import os
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, NoReturn

from vjp_cli.lazy import numpy, torch
from vjp_cli.replacing import replaced


@dataclass
class Effects:
    """What the calls of one function did besides computing; each is told once.

    Attributes:
        changed: the global state that was changed, and put back.
        written: the inputs that were written in place.
        drawn: where random numbers were drawn from.
    """

    changed: dict[str, None] = field(default_factory=dict)
    written: dict[str, None] = field(default_factory=dict)
    drawn: dict[str, None] = field(default_factory=dict)


@dataclass(frozen=True)
class _Piece:
    """One piece of global state."""

    words: str
    get: Callable[[], Any]
    put: Callable[[Any], Any]


def _pieces() -> tuple[_Piece, ...]:
    return (
        _Piece("torch's default dtype", torch.get_default_dtype, torch.set_default_dtype),
        _Piece("whether torch records gradients", torch.is_grad_enabled, torch.set_grad_enabled),
        _Piece("torch's number of threads", torch.get_num_threads, torch.set_num_threads),
        _Piece(
            "whether torch's algorithms are deterministic",
            torch.are_deterministic_algorithms_enabled,
            torch.use_deterministic_algorithms,
        ),
        _Piece(
            "torch's anomaly detection",
            torch.is_anomaly_enabled,
            torch.autograd.set_detect_anomaly,
        ),
        _Piece("NumPy's handling of errors", numpy.geterr, lambda old: numpy.seterr(**old)),
    )


def state() -> tuple[Any, ...]:
    """The global state as it is: what a file leaves behind is what its functions find."""
    return tuple(piece.get() for piece in _pieces())


@contextlib.contextmanager
def isolated(seed: int, effects: Effects, found: tuple[Any, ...] | None = None) -> Iterator[None]:
    """Call the user's code with random generators of this seed; all global state is put back.

    The same draws in every call make a function of random numbers a function: with dropout, say,
    the derivative is that for one mask.

    Args:
        seed: of all generators.
        effects: where is noted what the code does besides.
        found: the state that the code is to find; None for the state as it is.
    """
    pieces, before = _pieces(), state()
    for piece, old, value in zip(pieces, before, found or before, strict=True):
        if value != old:
            piece.put(value)
    start = found or before
    with contextlib.ExitStack() as stack:
        stack.enter_context(replaced(os, "_exit", _leave))
        for name, seeded in (("torch", _torch), ("numpy.random", _numpy), ("random", _python)):
            stack.enter_context(seeded(seed, partial(effects.drawn.setdefault, name, None)))
        try:
            yield
        finally:
            for piece, old, value in zip(pieces, before, start, strict=True):
                now = piece.get()
                if now != value:
                    effects.changed[piece.words] = None
                if now != old:
                    piece.put(old)


def _leave(status: int) -> NoReturn:
    """What ``os._exit`` does meanwhile: it would end the program without a word."""
    raise SystemExit(f"os._exit({status})")


# Whether something was drawn shows in the next draw: it is no longer the first one of the seed.
# (Reading a generator's state takes many times as long.)


@contextlib.contextmanager
def _torch(seed: int, drawn: Callable[[], Any]) -> Iterator[None]:
    before = torch.get_rng_state()
    # torch.manual_seed would note a traceback for devices that are not there
    torch.default_generator.manual_seed(seed)
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        torch.cuda.manual_seed_all(seed)
    first = torch.get_rng_state()
    try:
        yield
    finally:
        if not torch.equal(torch.get_rng_state(), first):
            drawn()
        torch.set_rng_state(before)


@contextlib.contextmanager
def _numpy(seed: int, drawn: Callable[[], Any]) -> Iterator[None]:
    # these two are missing from what NumPy types
    source: Any = numpy.random
    own = source.get_bit_generator()
    source.set_bit_generator(_generator())
    numpy.random.seed(seed)
    first = numpy.random.random_sample()
    numpy.random.seed(seed)
    try:
        yield
    finally:
        if numpy.random.random_sample() != first:
            drawn()
        source.set_bit_generator(own)


@cache
def _generator() -> Any:
    return numpy.random.MT19937()


@contextlib.contextmanager
def _python(seed: int, drawn: Callable[[], Any]) -> Iterator[None]:
    before = random.getstate()
    random.seed(seed)
    first = random.random()
    random.seed(seed)
    try:
        yield
    finally:
        if random.random() != first:
            drawn()
        random.setstate(before)
