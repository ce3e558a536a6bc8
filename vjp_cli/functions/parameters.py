"""The parameters of a module as further inputs, and its buffers as constants."""

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from vjp_cli.lazy import torch


def named(module: "torch.nn.Module", taken: Iterable[str]) -> "dict[str, torch.Tensor]":
    """The parameters by name; one that is in several places has its first name.

    Args:
        module: whose they are.
        taken: the names of the call's own parameters, which a parameter of the module gives way to:
            it is then called ``self.NAME``.
    """
    own = set(taken)
    return {
        f"self.{name}" if name in own else name: value for name, value in module.named_parameters()
    }


@dataclass(frozen=True)
class Home:
    """Where the tensors of a program are: their dtype (of real numbers) and their device."""

    dtype: str
    device: str

    def copy(self, tensor: "torch.Tensor") -> "torch.Tensor":
        """A detached copy there; whole numbers and masks keep their dtype."""
        made = tensor.detach().clone().to(self.device)
        if not made.is_floating_point():
            return made
        wanted = getattr(torch, self.dtype)
        return made.to(wanted.to_real() if wanted.is_complex else wanted)


@contextlib.contextmanager
def holding(
    module: "torch.nn.Module", taken: Iterable[str], values: Mapping[str, Any], home: Home
) -> Iterator[None]:
    """The module with other parameters, and with copies of its buffers where they are wanted.

    A value may be a tracer, which ``setattr`` would refuse. What a run writes into a buffer, such
    as the running mean of a batch norm, is gone at the end.
    """
    replacements: dict[int, Any] = {
        id(value): values[name] for name, value in named(module, taken).items() if name in values
    }
    for buffer in module.buffers():
        replacements[id(buffer)] = home.copy(buffer)
    changed: list[tuple[dict[str, Any], str, Any]] = []
    try:
        for part in module.modules():
            for table in (part._parameters, part._buffers):
                held: dict[str, Any] = table
                for key, value in held.items():
                    if id(value) in replacements:
                        changed.append((held, key, value))
                        held[key] = replacements[id(value)]
        yield
    finally:
        for held, key, value in changed:
            held[key] = value
