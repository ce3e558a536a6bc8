"""What may share memory with a tensor that is written cannot be used any more."""

import gc
import weakref

import pytest

from tests.tracing.helpers import floats, leaf
from vjp_cli.tracing import memory
from vjp_cli.tracing.tape import Tape
from vjp_cli.tracing.tracer import Tracer, Untraceable


def three() -> list[Tracer]:
    tape = Tape(100)
    # not the inputs themselves, which the tape keeps
    return [leaf(tape, name, [1.0, 2.0]) * 1 for name in "abc"]


def test_a_write_loses_what_shares_the_memory_and_nothing_else() -> None:
    a, b, c = three()
    memory.join([a, b])
    a += 1
    assert floats(a) == [2, 3]
    assert floats(c) == [1, 2]
    with pytest.raises(Untraceable, match="views"):
        b * 2


def test_memory_is_shared_through_another() -> None:
    a, b, c = three()
    memory.join([a, b])
    memory.join([b, c])
    assert {id(other) for other in memory.others(a)} == {id(b), id(c)}
    c[0] = 5.0
    for lost in (a, b):
        with pytest.raises(Untraceable):
            lost.exp()


def test_what_nobody_holds_is_no_obstacle_and_is_not_kept() -> None:
    a, b, c = three()
    memory.join([a, b, c])
    gone = weakref.ref(b)
    del b
    gc.collect()
    assert gone() is None
    assert [id(other) for other in memory.others(a)] == [id(c)]


def test_an_item_that_comes_back_to_its_place_is_a_write_there() -> None:
    a, b, _ = three()
    memory.join([a, b])
    place = slice(0, 2)
    item = a[place]
    memory.join([a, item])
    item *= 3
    with pytest.raises(Untraceable):
        a.exp()
    a[place] = item
    assert floats(a) == [3, 6]
    with pytest.raises(Untraceable):
        b.exp()
