"""Rows of recurrent layers: one step of a cell, and whole sequences in layers and directions."""

from collections.abc import Callable, Sequence
from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.table import Kind, Op
from vjp_cli.tracing.tracer import Untraceable

# a cell: input, state, the weights of a layer in torch's order -> new state; the state is a tuple
# of h, and of c for an LSTM
State = tuple[Any, ...]
Cell = Callable[[Any, State, Sequence[Any]], State]


def _gates(input: Any, h: Any, weights: Sequence[Any]) -> tuple[Any, Any]:
    w_ih, w_hh, *biases = weights
    b_ih, b_hh = biases[:2] if len(biases) > 1 else (None, None)
    linear = torch.nn.functional.linear
    return linear(input, w_ih, b_ih), linear(h, w_hh, b_hh)


def _lstm_step(input: Any, state: State, weights: Sequence[Any]) -> State:
    """i, f, g, o are the gates; with a fifth (or third) weight h is projected."""
    h, c = state
    left, right = _gates(input, h, weights)
    i, f, g, o = torch.chunk(left + right, 4, -1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    h = torch.sigmoid(o) * torch.tanh(c)
    return (torch.matmul(h, weights[-1].T) if len(weights) in (3, 5) else h, c)


def _gru_step(input: Any, state: State, weights: Sequence[Any]) -> State:
    """r, z, n are the gates, as torch orders them."""
    (h,) = state
    left, right = _gates(input, h, weights)
    i_r, i_z, i_n = torch.chunk(left, 3, -1)
    h_r, h_z, h_n = torch.chunk(right, 3, -1)
    n = torch.tanh(i_n + torch.sigmoid(i_r + h_r) * h_n)
    return (n + torch.sigmoid(i_z + h_z) * (h - n),)


def _plain_step(activation: str) -> Cell:
    def step(input: Any, state: State, weights: Sequence[Any]) -> State:
        left, right = _gates(input, state[0], weights)
        return (getattr(torch, activation)(left + right),)

    return step


def _weights(*given: Any) -> list[Any]:
    return [weight for weight in given if weight is not None]


def _cell(step: Cell) -> Callable[..., Any]:
    def rule(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
        return step(input, (hx,), _weights(w_ih, w_hh, b_ih, b_hh))[0]

    return rule


def _lstm_cell(
    input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None
) -> Any:
    return _lstm_step(input, tuple(hx), _weights(w_ih, w_hh, b_ih, b_hh))


def _layers(step: Cell, several: bool) -> Callable[..., Any]:
    """A sequence; ``several``: the state is a list (h and c), not one tensor."""

    def rule(
        input: Any,
        hx: Any,
        params: Any,
        has_biases: bool,
        num_layers: int,
        dropout: float,
        train: bool,
        bidirectional: bool,
        batch_first: bool,
    ) -> Any:
        if dropout and train and num_layers > 1:
            raise Untraceable("the random numbers of dropout between layers")
        states = list(hx) if several else [hx]
        directions = 2 if bidirectional else 1
        count = len(params) // (num_layers * directions)
        values = torch.transpose(input, 0, 1) if batch_first else input
        last: list[State] = []
        for layer in range(num_layers):
            found = []
            for direction in range(directions):
                k = layer * directions + direction
                start = tuple(state[k] for state in states)
                weights = params[k * count : (k + 1) * count]
                outputs, end = _sequence(step, values, start, weights, direction == 1)
                found.append(outputs)
                last.append(end)
            values = torch.cat(found, -1) if bidirectional else found[0]
        values = torch.transpose(values, 0, 1) if batch_first else values
        return (values, *(torch.stack(parts) for parts in zip(*last, strict=True)))

    return rule


def _sequence(
    step: Cell, values: Any, state: State, weights: Sequence[Any], backwards: bool
) -> tuple[Any, State]:
    """The outputs of all times in order, and the last state."""
    length = values.shape[0]
    outputs = {}
    for time in reversed(range(length)) if backwards else range(length):
        state = step(values[time], state, weights)
        outputs[time] = state[0]
    return torch.stack([outputs[time] for time in range(length)]), state


_NOTE = "refused with dropout between layers, and for packed sequences"
# hidden size 1: weights 4x3 and 4x1 for the four gates of an LSTM
_H, _C = "y[:, :1]", "x[:, 1:2]"
_FOUR, _FOUR_H = "cat((x, y))", "cat((y, x))[:, :1]"
_THREE, _THREE_H = "cat((x, y))[:3]", "cat((y, x))[:3, :1]"
_LSTM = f"lstm(x[None], ({_H}[None], {_C}[None]), [{_FOUR}, {_FOUR_H}], False, 1, 0.0, False"


def _cell_row(name: str, rule: Any, *samples: str, kinks: str = "") -> Op:
    return Op(name, name, Kind.COMPOSITE, rule, samples, kinks=kinks)


def _layers_row(name: str, step: Cell, several: bool, *samples: str, kinks: str = "") -> Op:
    rule = _layers(step, several)
    return Op(name, name, Kind.COMPOSITE, rule, samples, kinks=kinks, note=_NOTE, lists=True)


ROWS: tuple[Op, ...] = (
    _cell_row("lstm_cell", _lstm_cell, f"lstm_cell(x, ({_H}, {_C}), {_FOUR}, {_FOUR_H})[1]"),
    _cell_row("gru_cell", _cell(_gru_step), f"gru_cell(x, {_H}, {_THREE}, {_THREE_H})"),
    _cell_row(
        "rnn_tanh_cell", _cell(_plain_step("tanh")), f"rnn_tanh_cell(x, {_H}, y[:1], y[:1, :1])"
    ),
    _cell_row(
        "rnn_relu_cell",
        _cell(_plain_step("relu")),
        f"rnn_relu_cell(x, {_H}, y[:1], y[:1, :1])",
        kinks="where relu's argument is 0",
    ),
    _layers_row("lstm", _lstm_step, True, f"{_LSTM}, False, False)[0]"),
    _layers_row(
        "gru",
        _gru_step,
        False,
        f"gru(x[None], {_H}[None], [{_THREE}, {_THREE_H}], False, 1, 0.0, False, False, True)[0]",
    ),
    _layers_row(
        "rnn_tanh",
        _plain_step("tanh"),
        False,
        f"rnn_tanh(x[None], stack(({_H}, {_C})), [y[:1], y[:1, :1], x[:1], x[:1, :1]], "
        "False, 1, 0.0, False, True, False)[0]",
    ),
    _layers_row(
        "rnn_relu",
        _plain_step("relu"),
        False,
        f"rnn_relu(x[None], {_H}[None], [y[:1], y[:1, :1]], False, 1, 0.0, False, False, False)[1]",
        kinks="where relu's argument is 0",
    ),
)
