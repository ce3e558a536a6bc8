"""The chain of one problem, its arrays as nested lists."""

from typing import Any

from vjp_cli import inspect
from vjp_cli.report import Chain, ChainStep, LocalJacobian
from vjp_cli.settings import Settings


def chain_of(subject: Any, inputs: Any, v: Any = None, **settings: Any) -> Chain:
    report = inspect(subject, inputs, v, settings=Settings(chain=True, **settings))
    assert report.chain is not None
    return report.chain


def step(chain: Chain, name: str) -> ChainStep:
    [found] = [each for each in chain.steps if each.name == name]
    return found


def local(chain: Chain, name: str, by: str) -> LocalJacobian:
    return step(chain, name).local[by]


def diagonal(*values: float) -> list[list[float]]:
    """A matrix with these on its diagonal and 0 elsewhere."""
    return [[x if i == j else 0.0 for j in range(len(values))] for i, x in enumerate(values)]


def equations(part: LocalJacobian) -> list[str]:
    return [f"{group.where} = {group.formula}" for group in part.formulas]
