# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LSTM, GRU and plain recurrent networks, a step of the sequence at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .body import Body, Scalar
from .builder import Tensor
from .elementwise import sigmoid, softplus
from .node import Node, operator
from .types import FLOAT32

__all__: list[str] = []

#: More steps are not unrolled: the program would be too long.
MOST_STEPS = 4096

Function = Callable[[Body, Scalar], Scalar]


@dataclass
class Direction:
    """The weights of one direction: W ``[gates * H, I]``, R ``[gates * H, H]``, the two
    biases ``[gates * H]``, where a sequence starts, and the activations."""

    w: Tensor
    r: Tensor
    bias_w: Tensor | None
    bias_r: Tensor | None
    hidden: Tensor
    cell: Tensor | None
    peepholes: list[Tensor]
    functions: list[Function]
    reverse: bool


def _activation(node: Node, name: str, alpha: float | None, beta: float | None) -> Function:
    def const(b: Body, value: float | None, default: float) -> Scalar:
        return b.constant(default if value is None else value, "f32")

    def relu(b: Body, v: Scalar) -> Scalar:
        return b.max(v, b.constant(0.0, "f32"))

    def hard(b: Body, v: Scalar) -> Scalar:
        line = b.add(b.mul(v, const(b, alpha, 0.2)), const(b, beta, 0.5))
        return b.max(b.constant(0.0, "f32"), b.min(b.constant(1.0, "f32"), line))

    def below(b: Body, v: Scalar, value: Scalar) -> Scalar:
        return b.select(b.compare("lt", v, b.constant(0.0, "f32")), value, v)

    functions: dict[str, Function] = {
        "sigmoid": sigmoid,
        "tanh": lambda b, v: b.math("tanh", v),
        "relu": relu,
        "hardsigmoid": hard,
        "softplus": softplus,
        "softsign": lambda b, v: b.div(v, b.add(b.abs(v), b.constant(1.0, "f32"))),
        "affine": lambda b, v: b.add(b.mul(v, const(b, alpha, 1.0)), const(b, beta, 0.0)),
        "leakyrelu": lambda b, v: below(b, v, b.mul(v, const(b, alpha, 0.01))),
        "elu": lambda b, v: below(b, v, b.mul(const(b, alpha, 1.0), b.math("expm1", v))),
        "thresholdedrelu": lambda b, v: b.select(
            b.compare("gt", v, const(b, alpha, 1.0)), v, b.constant(0.0, "f32")),
        "scaledtanh": lambda b, v: b.mul(
            const(b, alpha, 1.0), b.math("tanh", b.mul(v, const(b, beta, 1.0)))),
    }
    function = functions.get(name.lower())
    if function is None:
        node.refuse(f"has activation '{name}', known are {', '.join(sorted(functions))}")
    return function


def _sequence_first(node: Node) -> Tensor:
    """The input as ``[steps, batch, inputs]``."""
    x = node.float_input(0)
    if x.rank != 3:
        node.refuse(f"has an input of {x.rank} dimensions, expected 3")
    layout = node.int("layout")
    if layout not in (0, 1):
        node.refuse(f"has attribute 'layout' = {layout}, expected 0 or 1")
    return node.b.transpose(x, [1, 0, 2]) if layout else x


def _row(node: Node, place: int, direction: int, shape: list[int], what: str) -> Tensor | None:
    """What an input has for a direction."""
    tensor = node.optional(place)
    if tensor is None:
        return None
    fits = tensor.rank == len(shape) + 1 and list(tensor.shape[1:]) == shape
    if not fits or direction >= tensor.shape[0]:
        node.refuse(f"has {what} of shape {list(tensor.shape)}, expected {['directions', *shape]}")
    b = node.b
    cut = b.slice(tensor, [direction, *[0] * len(shape)], [1, *shape])
    return b.reshape(cut, shape)


def _directions(node: Node, x: Tensor, gates: int, defaults: list[str]) -> list[Direction]:
    kind = node.text("direction", "forward")
    count = {"forward": 1, "reverse": 1, "bidirectional": 2}.get(kind)
    if count is None:
        node.refuse(
            f"has attribute 'direction' = '{kind}', expected 'forward', 'reverse' or "
            "'bidirectional'"
        )
    w = node.input(1)
    if w.rank != 3 or w.shape[0] != count or w.shape[1] % gates:
        node.refuse(f"has weights of shape {list(w.shape)} for {count} directions of {gates} gates")
    size, inputs, batch = w.shape[1] // gates, x.shape[2], x.shape[1]
    if node.int("hidden_size", size) != size:
        node.refuse(
            f"has attribute 'hidden_size' = {node.int('hidden_size')}, its weights are for "
            f"{size}"
        )
    names = node.texts("activations") or defaults * count
    if len(names) != len(defaults) * count:
        node.refuse(f"has {len(names)} activations, expected {len(defaults) * count}")
    alphas, betas = iter(node.floats("activation_alpha")
                         or []), iter(node.floats("activation_beta") or [])
    directions = []
    for d in range(count):
        functions = []
        for name in names[d * len(defaults) : (d + 1) * len(defaults)]:
            takes = name.lower() in ("affine", "leakyrelu", "thresholdedrelu", "scaledtanh",
                                     "hardsigmoid", "elu")
            two = name.lower() in ("affine", "scaledtanh", "hardsigmoid")
            alpha = next(alphas, None) if takes else None
            functions.append(_activation(node, name, alpha, next(betas, None) if two else None))
        directions.append(_direction(node, d, gates, size, inputs, batch, functions,
                                     reverse=kind == "reverse" or d == 1))
    return directions


def _direction(node: Node, d: int, gates: int, size: int, inputs: int, batch: int,
               functions: list[Function], reverse: bool) -> Direction:
    b = node.b
    w = _row(node, 1, d, [gates * size, inputs], "weights")
    r = _row(node, 2, d, [gates * size, size], "recurrent weights")
    if w is None or r is None:
        node.refuse("has no weights")
    both = _row(node, 3, d, [2 * gates * size], "biases")
    halves = [None, None] if both is None else [
        b.slice(both, [half * gates * size], [gates * size]) for half in (0, 1)
    ]
    states = []
    for place in (5, 6) if node.op == "LSTM" else (5,):
        state = _row(node, place, d, [batch, size], "a state")
        states.append(b.fill([batch, size], FLOAT32, 0) if state is None else state)
    peepholes = []
    if node.op == "LSTM":
        all_ = _row(node, 7, d, [3 * size], "peepholes")
        if all_ is not None:
            peepholes = [b.slice(all_, [i * size], [size]) for i in range(3)]
    return Direction(w, r, halves[0], halves[1], states[0], states[1] if len(states) > 1 else None,
                     peepholes, functions, reverse)


def _product(node: Node, x: Tensor, w: Tensor, bias: Tensor | None) -> Tensor:
    """``x W' + bias``: [rows, outputs]."""
    total = node.b.contract((x, ["d0", "d2"]), (w, ["d1", "d2"]),
                            [x.shape[0], w.shape[0], x.shape[1]], ["d0", "d1"])
    if bias is None:
        return total
    return node.b.map([total, bias], lambda b, v, c: b.add(v, c), FLOAT32)


def _gate(node: Node, x: Tensor, place: int, size: int) -> Tensor:
    return node.b.slice(x, [0, place * size], [x.shape[0], size])


def _clipped(b: Body, v: Scalar, clip: float) -> Scalar:
    if clip <= 0:
        return v
    return b.max(b.min(v, b.constant(clip, "f32")), b.constant(-clip, "f32"))


def _lstm_step(node: Node, d: Direction, x: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    """Gates in ONNX's order: input, output, forget, cell."""
    b, size, clip = node.b, h.shape[1], node.float("clip")
    sums = _product(node, h, d.r, d.bias_r)
    parts = [(_gate(node, x, i, size), _gate(node, sums, i, size)) for i in range(4)]
    f, g, last = d.functions
    coupled = node.int("input_forget")
    holes = d.peepholes

    def gate(code: Body, p: Scalar, q: Scalar, function: Function, *hole: Scalar) -> Scalar:
        v = code.add(p, q)
        if hole:
            v = code.add(v, code.mul(hole[0], hole[1]))
        return function(code, _clipped(code, v, clip))

    def new_cell(code: Body, ix: Scalar, ih: Scalar, fx: Scalar, fh: Scalar, cx: Scalar, ch: Scalar,
                 old: Scalar, *p: Scalar) -> Scalar:
        into = gate(code, ix, ih, f, *((p[0], old) if p else ()))
        if coupled:
            forget = code.sub(code.constant(1.0, "f32"), into)
        else:
            forget = gate(code, fx, fh, f, *((p[1], old) if p else ()))
        return code.add(code.mul(forget, old), code.mul(into, gate(code, cx, ch, g)))

    def new_hidden(code: Body, ox: Scalar, oh: Scalar, cell: Scalar, *p: Scalar) -> Scalar:
        return code.mul(gate(code, ox, oh, f, *((p[0], cell) if p else ())), last(code, cell))

    inner = [holes[0], holes[2]] if holes else []
    cell = b.map([*parts[0], *parts[2], *parts[3], c, *inner], new_cell, FLOAT32, c.shape)
    outer = [holes[1]] if holes else []
    return b.map([*parts[1], cell, *outer], new_hidden, FLOAT32, c.shape), cell


def _gru_step(node: Node, d: Direction, x: Tensor, h: Tensor) -> Tensor:
    """Gates in ONNX's order: update, reset, hidden."""
    b, size, clip = node.b, h.shape[1], node.float("clip")
    f, g = d.functions
    after = node.int("linear_before_reset")
    rows = [3 * size, size]
    upper = b.slice(d.r, [0, 0], [2 * size, size])
    lower = b.slice(d.r, [2 * size, 0], [rows[0] - 2 * size, size])
    bias = [None, None] if d.bias_r is None else [
        b.slice(d.bias_r, [0], [2 * size]), b.slice(d.bias_r, [2 * size], [size])
    ]
    sums = _product(node, h, upper, bias[0])

    def gate(code: Body, p: Scalar, q: Scalar) -> Scalar:
        return f(code, _clipped(code, code.add(p, q), clip))

    z, r = (
        b.map([_gate(node, x, i, size), _gate(node, sums, i, size)], gate, FLOAT32) for i in (0, 1)
    )
    if after:
        inner = _product(node, h, lower, bias[1])
        mixed = b.map([r, inner], lambda c, p, q: c.mul(p, q), FLOAT32)
    else:
        mixed = _product(node, b.map([r, h], lambda c, p, q: c.mul(p, q), FLOAT32), lower, bias[1])

    def new(code: Body, zt: Scalar, p: Scalar, q: Scalar, old: Scalar) -> Scalar:
        hidden = g(code, _clipped(code, code.add(p, q), clip))
        return code.add(code.mul(code.sub(code.constant(1.0, "f32"), zt), hidden),
                        code.mul(zt, old))

    return b.map([z, _gate(node, x, 2, size), mixed, h], new, FLOAT32)


def _rnn_step(node: Node, d: Direction, x: Tensor, h: Tensor) -> Tensor:
    clip, (f, *_) = node.float("clip"), d.functions
    sums = _product(node, h, d.r, d.bias_r)
    return node.b.map(
        [x, sums], lambda b, p, q: f(b, _clipped(b, b.add(p, q), clip)), FLOAT32
    )


def _run(
    node: Node, d: Direction, x: Tensor, lengths: Tensor | None
) -> tuple[list[Tensor], Tensor, Tensor | None]:
    """The hidden state after each step, and the last states. A row whose sequence has
    ended keeps its states and gives zeros."""
    b = node.b
    steps, batch, inputs = x.shape
    all_ = _product(node, b.reshape(x, [steps * batch, inputs]), d.w, d.bias_w)
    h, c = d.hidden, d.cell
    outputs: list[Tensor | None] = [None] * steps
    for t in reversed(range(steps)) if d.reverse else range(steps):
        part = b.slice(all_, [t * batch, 0], [batch, all_.shape[1]])
        cell = None
        if node.op == "LSTM":
            assert c is not None
            hidden, cell = _lstm_step(node, d, part, h, c)
        else:
            hidden = (_gru_step if node.op == "GRU" else _rnn_step)(node, d, part, h)
        outputs[t] = hidden
        if lengths is not None:
            def alive(code: Body, v: Scalar, old: Scalar, n: Scalar, at: int = t) -> Scalar:
                return code.select(code.compare("gt", n, code.constant(at, "i32")), v, old)

            zero = b.constant([[0.0]], FLOAT32)
            outputs[t] = b.map([hidden, zero, lengths], alive, FLOAT32, hidden.shape)
            hidden = b.map([hidden, h, lengths], alive, FLOAT32, hidden.shape)
            if cell is not None and c is not None:
                cell = b.map([cell, c, lengths], alive, FLOAT32, cell.shape)
        h, c = hidden, cell
    return [o for o in outputs if o is not None], h, c


@operator("LSTM", "GRU", "RNN")
def recurrent(node: Node) -> list[Tensor | None]:
    x = _sequence_first(node)
    if x.kind is not FLOAT32:
        node.refuse(f"works on float32, its input is of {x.kind}", "convert the model to float32")
    steps, batch, _ = x.shape
    if steps > MOST_STEPS:
        node.refuse(f"has {steps} steps, which are unrolled, at most {MOST_STEPS} are",
                    "give a shorter sequence")
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[node.op]
    defaults = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"], "RNN": ["Tanh"]}
    if node.int("layout"):
        for place in (5, 6):
            state = node.optional(place)
            if state is not None and state.rank == 3:
                node.inputs[place] = node.b.transpose(state, [1, 0, 2])
    lengths = node.optional(4)
    if lengths is not None:
        if lengths.shape != (batch,) or not lengths.kind.is_integer:
            node.refuse(f"has lengths of shape {list(lengths.shape)}, expected [{batch}]")
        whole = lengths.data is not None and bool((lengths.data == steps).all())
        lengths = None if whole else node.b.reshape(lengths, [batch, 1])
    sequences, hiddens, cells = [], [], []
    for d in _directions(node, x, gates, defaults[node.op]):
        outputs, h, c = _run(node, d, x, lengths)
        size = h.shape[1]
        rows = [node.b.reshape(o, [1, 1, batch, size]) for o in outputs]
        sequences.append(node.b.concat(rows, 0))
        hiddens.append(node.b.reshape(h, [1, batch, size]))
        if c is not None:
            cells.append(node.b.reshape(c, [1, batch, size]))
    b = node.b
    y = b.concat(sequences, 1) if node.wants(0) else None
    states = [b.concat(part, 0) if part and node.wants(i + 1) else None for i,
              part in enumerate((hiddens, cells))]
    if node.int("layout"):
        y = None if y is None else b.transpose(y, [2, 0, 1, 3])
        states = [None if s is None else b.transpose(s, [1, 0, 2]) for s in states]
    return [y, *states]
