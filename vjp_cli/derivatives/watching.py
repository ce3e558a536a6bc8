"""What a function does besides computing: leaving the graph, and changing the dtype.

Nothing else can say so of a function that the tracer cannot follow.
"""

from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.numbers.dtypes import FORMATS, FloatFormat

# what takes numbers out of the graph or changes a gradient on its way, and what only asks
_LEAVING = {"detach": "detach", "item": "item", "tolist": "tolist", "numpy": "numpy"}
_LEAVING |= {"__float__": "float", "__array__": "numpy", "register_hook": "a hook"}
_QUESTIONS = frozenset({"__get__", "size", "dim", "numel", "is_floating_point", "stride"})


def departures() -> Any:
    """A context that notes in ``found`` by what a program departs from its mathematics.

    That is ``detach``, ``item``, ``no_grad`` and the like on what a gradient flows through. The
    ``forward`` of a custom Function runs with gradients off: what it detaches is no departure.
    """

    class Departures(torch.overrides.TorchFunctionMode):
        def __init__(self) -> None:
            super().__init__()
            self.found: set[str] = set()
            self.silent = False

        def __torch_function__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            if function is torch._C._set_grad_enabled:
                self.silent = not args[0] and torch.is_grad_enabled()
            result = function(*args, **(kwargs or {}))
            word = self._word(function, args)
            # masks and indices carry no gradient anyway
            if word and not (isinstance(result, torch.Tensor) and not result.is_floating_point()):
                self.found.add(word)
            return result

        def _word(self, function: Any, args: Any) -> str:
            if not any(isinstance(arg, torch.Tensor) and arg.requires_grad for arg in args):
                return ""
            if not self.silent and not torch.is_grad_enabled():
                return ""
            if getattr(function, "__self__", None) is torch.Tensor.data:
                return ".data"
            name = getattr(function, "__name__", "")
            if name in _LEAVING:
                return _LEAVING[name]
            return "no_grad" if self.silent and name not in _QUESTIONS else ""

    return Departures()


def conversions() -> Any:
    """A context that notes in ``coarsest`` the fewest digits that numbers were converted to.

    Numbers converted from fewer digits count as well. A backward pass within the context is seen.
    """

    class Conversions(torch.utils._python_dispatch.TorchDispatchMode):  # type: ignore[no-untyped-call]
        def __init__(self) -> None:
            super().__init__()  # type: ignore[no-untyped-call]
            self.coarsest: FloatFormat = FORMATS["float64"]

        def __torch_dispatch__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            result = function(*args, **(kwargs or {}))
            if function is torch.ops.aten._to_copy.default and args[0].is_floating_point():
                # a single number is more often a constant than data
                if args[0].ndim or args[0].dtype == torch.float64:
                    self._note(result.dtype)
                if args[0].ndim:
                    self._note(args[0].dtype)
            elif function is torch.ops.aten.copy_.default:
                for part in args[:2]:
                    self._note(part.dtype)
            return result

        def _note(self, dtype: Any) -> None:
            form = FORMATS.get(str(dtype).removeprefix("torch."), self.coarsest)
            self.coarsest = min(self.coarsest, form, key=lambda other: other.bits)

    return Conversions()
