"""Several processes answer one batch: in order, and whatever happens to one of them."""

import json
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from tests.batches import GOOD, lines
from tests.helpers import refused, run, run_process
from tests.processes import FUNCTIONS, alive, children, end, feed, line_of, started, wait_for
from vjp_cli.batches import pool
from vjp_cli.batches.in_order import gathered, in_order
from vjp_cli.batches.lines import lines_of
from vjp_cli.settings import Settings


def asks(name: str, *more: Any) -> dict[str, Any]:
    return {"id": name, "function": f"f.py:{name}", "inputs": {"x": [1, 2, 3]}, "v": [1, 0.5, -1]}


@pytest.fixture(autouse=True)
def _functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("f.py").write_text(FUNCTIONS)


def pooled(*requests: dict[str, Any], jobs: int = 2, timeout: float = 20) -> list[dict[str, Any]]:
    settings = Settings(allow_functions=True, timeout=timeout)
    source = lines_of(BytesIO(lines(*requests).encode()))
    return [json.loads(each.text) for each in pool.pooled(source, settings, jobs)]


def test_the_output_is_that_of_one_process() -> None:
    bad = {"id": "bad", "expression": "x +", "inputs": {"x": 1}}
    float32 = {"expression": "exp(x)/k", "inputs": {"x": [0.1, 2], "k": 3}, "dtype": "float32"}
    stdin = lines(asks("slow"), GOOD, bad) + "\n{\n" + lines(float32, asks("square"), GOOD)
    here = run_process("batch", "-", "--allow-functions", stdin=stdin)
    there = run_process("batch", "-", "--allow-functions", "-j", "2", stdin=stdin)
    assert [json.loads(line)["line"] for line in here.stdout.splitlines()] == [1, 2, 3, 5, 6, 7, 8]
    assert there == here


def test_a_line_is_answered_before_the_next_one_is_written() -> None:
    with started("-", "--jobs", "2") as process:
        for at in (2, 3, 4):
            feed(process, lines({"id": at, "expression": "x**2", "inputs": {"x": at}}))
            # were the line held back, both sides would wait for ever
            answer = json.loads(line_of(process))
            assert (answer["id"], answer["vjp"]["x"]) == (at, 2 * at)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(60) == 0


@pytest.mark.kill
def test_a_line_whose_process_is_killed_is_tried_once_more() -> None:
    answers = pooled(asks("once_killed"), asks("square"), asks("always_killed"), asks("square"))
    assert [each["line"] for each in answers] == [1, 2, 3, 4]
    # 2·x·v
    assert [each["vjp"]["x"] for each in answers if each["ok"]] == [[2, 2, -6]] * 3
    assert answers[2]["id"] == "always_killed"
    assert answers[2]["error"] == {
        "kind": "evaluation",
        "message": "the process that answered was ended by SIGKILL, twice",
        "hint": "the system does that where memory runs out: try fewer --jobs",
        "exit_code": 3,
    }


@pytest.mark.kill
def test_what_no_signal_reaches_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_GRACE_SECONDS", 0.5)
    answers = pooled(asks("endless_in_c"), asks("square"), jobs=1, timeout=2)
    assert [each["ok"] for each in answers] == [False, True]
    assert answers[0]["id"] == "endless_in_c"
    assert answers[0]["error"] == {
        "kind": "limit",
        "message": "stopped: no answer within 4.5 s",
        "hint": "--timeout SECONDS gives it more",
        "exit_code": 4,
    }


@pytest.mark.kill
def test_a_killed_process_costs_no_line() -> None:
    with started("-", "--jobs", "2", "--allow-functions") as process:
        feed(process, lines(*[asks("slow")] * 6))
        assert process.stdin is not None
        process.stdin.close()
        first = json.loads(line_of(process))
        end(children(process.pid)[0])
        rest = [json.loads(line_of(process)) for _ in range(5)]
        assert [each["line"] for each in (first, *rest)] == [1, 2, 3, 4, 5, 6]
        assert all(each["ok"] for each in (first, *rest))
        assert line_of(process) == b""
        assert process.wait(60) == 0


@pytest.mark.kill
@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)],
    ids=["interrupted", "terminated", "killed"],
)
def test_no_process_stays_behind(number: int, code: int) -> None:
    with started("-", "--jobs", "2", "--allow-functions", "-o", "out") as process:
        feed(process, lines(asks("endless_in_c"), *[asks("slow")] * 100))
        wait_for(Path("endless").exists)
        wait_for(lambda: len(children(process.pid)) == 2)
        helpers = children(process.pid)
        process.send_signal(number)
        assert process.wait(20) == code
        wait_for(lambda: not any(map(alive, helpers)), 10)
        assert not Path("out").exists()


def test_a_full_device_is_5() -> None:
    Path("in").write_text(lines(*[GOOD] * 50))
    with started("in", "--jobs", "2", output=os.open("/dev/full", os.O_WRONLY)) as process:
        assert process.stderr is not None
        said = process.stderr.read().decode()
        assert said == "vjp: error: cannot write the output: No space left on device\n"
        assert process.wait(60) == 5


def test_fail_fast_does_not_wait_for_the_end_of_its_input() -> None:
    with started("-", "--jobs", "1", "--fail-fast") as process:
        feed(process, lines(GOOD, {}, GOOD))
        assert [json.loads(line_of(process))["line"] for _ in range(2)] == [1, 2]
        assert line_of(process) == b""
        assert process.wait(60) == 2


def test_only_so_many_items_are_under_way() -> None:
    read: list[int] = []
    futures: list[Future[int]] = []

    def items() -> Iterator[int]:
        for number in range(100):
            read.append(number)
            yield number

    def start(number: int) -> Callable[[], int]:
        futures.append(Future())
        return futures[-1].result

    results = in_order(items(), start, 4)
    threading.Timer(0.5, lambda: futures[0].set_result(0)).start()
    assert next(results) == 0
    wait_for(lambda: len(futures) >= 5)
    # one may be in the hands of the one that asks, four wait, one is being put
    assert len(read) <= 6
    results.close()


def test_items_are_gathered_without_waiting() -> None:
    asked = threading.Event()

    def items() -> Iterator[int]:
        yield 1
        assert asked.wait(60)
        yield from range(2, 8)

    lists = gathered(items(), 3)
    # it does not wait for the second one, which comes only after the first was taken
    assert next(lists) == [1]
    asked.set()
    rest = list(lists)
    assert [number for each in rest for number in each] == [2, 3, 4, 5, 6, 7]
    assert max(map(len, rest)) <= 3
    assert list(gathered(iter(()), 3)) == []


def test_what_reading_raises_comes_in_its_place() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise OSError("the disk is gone")

    with ThreadPoolExecutor(1) as threads:
        results = in_order(items(), lambda number: threads.submit(lambda: -number).result, 4)
        assert next(results) == -1
        with pytest.raises(OSError, match="the disk is gone"):
            next(results)


def test_the_number_of_processes_is_checked() -> None:
    why = "invalid value for '--jobs' / '-j': it should be greater than or equal to 1"
    refused(run("batch", "-", "--jobs", "0"), why)
