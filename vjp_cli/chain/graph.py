"""torch's graph, one backward function at a time.

A local Jacobian holds the other predecessors fixed, even where one of them depends on another. So
each backward function is called by itself, and what it hands on to a step stops there.
"""

from collections.abc import Collection, Iterator
from typing import Any

from vjp_cli.lazy import torch

# a backward function, and the number of the output of its forward: what a tensor with a graph has
Edge = tuple[Any, int]


def edge_of(tensor: "torch.Tensor") -> Edge:
    """Where the gradient of a tensor that requires one enters the graph."""
    edge = torch.autograd.graph.get_gradient_edge(tensor)
    return edge.node, edge.output_nr


def edges_behind(edge: Edge) -> dict[Edge, None]:
    """The edge itself and all that a gradient passes from there on."""
    found, waiting = {edge: None}, [edge[0]]
    seen = set(waiting)
    while waiting:
        for other in waiting.pop().next_functions:
            if other[0] is not None:
                found[other] = None
                if other[0] not in seen:
                    seen.add(other[0])
                    waiting.append(other[0])
    return found


def cotangents(
    output: Edge, v: "torch.Tensor", edges: "Collection[Edge]"
) -> "dict[Edge, torch.Tensor]":
    """∂(Σ v_i·y_i)/∂tensor for each edge that v reaches, in one backward pass.

    Raises:
        Exception: whatever a backward raises.
    """
    wanted = list(edges)
    found = torch.autograd.grad(
        [_as_torch(output)], list(map(_as_torch, wanted)), [v], retain_graph=True, allow_unused=True
    )
    return {
        edge: _allocated(part) for edge, part in zip(wanted, found, strict=True) if part is not None
    }


class Cut:
    """The part of the graph between one step and the steps (or inputs) before it."""

    def __init__(self, edge: Edge, ends: Collection[Edge]) -> None:
        self.edge = edge
        self.ends: list[Edge] = []
        self._known = set(ends)
        self._nodes = self._between()

    def _between(self) -> list[Any]:
        """The backward functions, each before those it hands on to; notes the ends met."""
        done: set[Any] = set()
        order: list[Any] = []
        waiting = [(self.edge[0], False)]
        while waiting:
            node, finished = waiting.pop()
            if finished:
                order.append(node)
                continue
            if node in done:
                continue
            done.add(node)
            waiting.append((node, True))
            for edge in node.next_functions:
                if edge in self._known:
                    if edge not in self.ends:
                        self.ends.append(edge)
                elif edge[0] is not None:
                    waiting.append((edge[0], False))
        return order[::-1]

    def pull(self, cotangent: "torch.Tensor") -> "dict[Edge, torch.Tensor]":
        """What a cotangent of the step becomes at each end that it reaches.

        Raises:
            Exception: whatever a backward raises.
        """
        found: dict[Edge, Any] = {}
        for edge, _, part in self.terms(cotangent):
            found[edge] = found[edge] + part if edge in found else part
        return found

    def terms(self, cotangent: "torch.Tensor") -> "Iterator[tuple[Edge, Any, torch.Tensor]]":
        """The same term by term: the end, the backward function that hands it on, and what.

        Raises:
            Exception: whatever a backward raises.
        """
        arriving: dict[Edge, Any] = {self.edge: cotangent}
        for node in self._nodes:
            given = {k: part for (other, k), part in arriving.items() if other is node}
            if not given or not any(other is not None for other, _ in node.next_functions):
                continue
            for edge, part in zip(node.next_functions, _handed_on(node, given), strict=True):
                if part is None or edge[0] is None:
                    continue
                if edge in self._known:
                    yield edge, node, _allocated(part)
                else:
                    arriving[edge] = arriving[edge] + part if edge in arriving else part


def _handed_on(node: Any, given: "dict[int, torch.Tensor]") -> Any:
    """What one backward function gives each of those behind it, summed to their shapes."""
    caught: list[Any] = []
    handle = node.register_hook(lambda parts, _: caught.append(parts))
    try:
        torch.autograd.grad(
            [_as_torch((node, k)) for k in given],
            [_as_torch(edge) for edge in node.next_functions if edge[0] is not None],
            list(given.values()),
            retain_graph=True,
            allow_unused=True,
        )
    finally:
        handle.remove()
    return caught[-1] if caught else [None] * len(node.next_functions)


def _as_torch(edge: Edge) -> Any:
    return torch.autograd.graph.GradientEdge(*edge)


def _allocated(part: "torch.Tensor") -> "torch.Tensor":
    """The numbers in memory: torch may hand out a zero that has none."""
    return torch.zeros_like(part) if part._is_zerotensor() else part.detach()
