# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of one pass through the vector engine, with NumPy's results.

stages.py make CASE DIR             writes DIR/case.mlir and DIR/in*.npy
stages.py check CASE DIR            compares DIR/out.npy; exit 1 on any difference
stages.py run PROGRAM DIR CASE ...  makes, runs with --verify and checks
stages.py random PROGRAM DIR SEED COUNT
                                    runs random chains of stages with --verify
"""

import math
import pathlib
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

F32, I32 = np.float32, np.int32
FIRST, SECOND, VRF, RESULT = 0, 16384, 229376, 262144


@dataclass
class Case:
    """A kernel: where tensors are, the stages between init and final, the result."""

    stages: Callable[["Stream"], None]
    expect: Callable[..., np.ndarray]
    inputs: list[np.ndarray]
    axes: str = "A = 512"
    slice: str = "A / 2"
    element: str = "A % 2"
    fetch: tuple[str, str] = ("1", "A % 2")
    packet: str = "A % 2 # 8"
    host: str = "A"
    result_element: str = ""
    result_host: str = ""
    vrf: str = ""  # element mapping of the last input, loaded into the VRF
    vrf_host: str = ""
    interleaved: bool = False
    tolerance: float = 0.0
    result_type: str = ""


@dataclass
class Stream:
    """Writes stages and follows the type of the stream."""

    element: str
    time: str
    packet: str
    lines: list[str] = field(default_factory=list)
    stage: str = "collect"
    value: str = "%s"
    count: int = 0

    def type(self) -> str:
        return f'<main {self.stage} {self.element}, #grid, "{self.time}", "{self.packet}">'

    def op(self, name: str, text: str = "", stage: str = "", *, element: str = "", time: str = "",
           packet: str = "", types: str = "", results: str = "") -> None:
        """One operation; what is not given stays as it is."""
        self.count += 1
        result = f"%v{self.count}"
        self.lines.append(
            f"    {result}{results} = tcp.{name} {self.value} {text} : {self.type()}{types}"
        )
        self.value = result
        self.stage = stage or self.stage
        self.element = element or self.element
        self.time = time or self.time
        self.packet = packet or self.packet

    def branch(self, text: str = "Unconditional", types: str = "") -> None:
        self.op("vector_intra_slice_branch", text, "vector_branch", types=types)

    def narrow(self) -> None:
        """Trim or split, as the packet allows."""
        if "#" in self.packet:
            low = self.packet.split(" #")[0] + " # 4"
            self.op("vector_trim_way4", f'"{low}"', "vector_narrow", packet=low)
        else:
            axis = self.packet.split(" %")[0]
            time = f"{axis} / 4 % 2" if self.time == "1" else f"{self.time}, {axis} / 4 % 2"
            self.op("vector_split", f'"{time}", "{axis} % 4"', "vector_narrow", time=time,
                    packet=f"{axis} % 4")

    def widen(self) -> None:
        """Undoes narrow()."""
        if "#" in self.packet:
            wide = self.packet.split(" #")[0] + " # 8"
            self.op("vector_pad_way8", f'"{wide}"', "vector_widen", packet=wide)
        else:
            axis = self.packet.split(" %")[0]
            time = self.time.rpartition(", ")[0] or "1"
            self.op("vector_concat", f'"{time}", "{axis} % 8"', "vector_widen", time=time,
                    packet=f"{axis} % 8")

    def logic(self, text: str, **more: str) -> None:
        self.op("vector_logic", text, "vector_logic", **more)

    def fxp(self, text: str, **more: str) -> None:
        self.op("vector_fxp", text, "vector_fxp", **more)

    def unary(self, text: str) -> None:
        self.op("vector_fp_unary", text, "vector_fp")

    def binary(self, text: str, **more: str) -> None:
        self.op("vector_fp_binary", text, "vector_fp", **more)

    def ternary(self, text: str, **more: str) -> None:
        self.op("vector_fp_ternary", text, "vector_fp", **more)

    def clip(self, text: str, **more: str) -> None:
        self.op("vector_clip", text, "vector_clip", **more)

    def unzip(self) -> None:
        time = self.time.removesuffix("I").removesuffix(", ") or "1"
        tile = "1 # 2" if time == "1" else f"{time}, 1 # 2"
        self.op("vector_intra_slice_unzip", f'"I", "{tile}", "{time}"', "vector_branch", time=time)


def mlir(array: np.ndarray) -> str:
    return {"float32": "f32", "int32": "i32", "int8": "i4"}[str(array.dtype)]


def program(case: Case) -> str:
    """The module's text."""
    arrays = case.inputs
    element = mlir(arrays[0])
    data = arrays[:-1] if case.vrf else arrays
    stream = Stream(element, case.fetch[0], case.packet)
    stream.op("vector_init", stage="vector_init")
    case.stages(stream)
    stream.op("vector_final", stage="vector_final")
    result_element = case.result_element or case.element
    result_host = case.result_host or case.host
    result = stream.element
    hosts = [case.host] * len(data) + ([case.vrf_host or case.host] if case.vrf else [])
    elements = [case.element] * len(data) + ([case.vrf] if case.vrf else [])
    types = [mlir(array) for array in arrays]
    text = [
        f"#axes = #stream.axes<{case.axes}>",
        f'#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "{case.slice} # 256">',
        'module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {',
    ]
    host = [f'!tcp.host<{t}, #axes, "{h}">' for t, h in zip(types, hosts)]
    hbm = [f'!tcp.hbm<{t}, #axes, "1", "{h}">' for t, h in zip(types, hosts)]
    dm = [f'!tcp.dm<{t}, #grid, "{e}">' for t, e in zip(types, elements)]
    out = [f'!tcp.host<{result}, #axes, "{result_host}">',
           f'!tcp.hbm<{result}, #axes, "1", "{result_host}">',
           f'!tcp.dm<{result}, #grid, "{result_element}">']
    count = range(len(arrays))
    text.append(f"  func.func @main({', '.join(f'%a{i}: {host[i]}' for i in count)}) -> {out[0]} {{")
    text += [f"    %h{i} = tcp.to_hbm %a{i} at {i << 28} : {host[i]} -> {hbm[i]}" for i in count]
    text.append(f"    %r = tcp.launch @kernel({', '.join(f'%h{i}' for i in count)}) : "
                f"({', '.join(hbm)}) -> {out[1]}")
    text.append(f"    %o = tcp.to_host %r : {out[1]} -> {out[0]}")
    text += [f"    return %o : {out[0]}", "  }"]
    text.append(f"  func.func @kernel({', '.join(f'%h{i}: {hbm[i]}' for i in count)}) -> {out[1]} {{")
    places = [FIRST, SECOND] if len(data) == 2 else [FIRST]
    places += [VRF] if case.vrf else []
    text += [f"    %d{i} = tcp.to_dm %h{i} at {places[i]} : {hbm[i]} -> {dm[i]}" for i in count]
    if case.vrf:
        i, t, e = len(arrays) - 1, types[-1], case.vrf
        lanes = {"i4": 64}.get(t, 8)
        text += [
            f"    %w0 = tcp.begin sub %d{i} : {dm[i]}",
            f'    %w1 = tcp.fetch %w0 {t} "1", "{e}" : <sub begin {t}, #grid, "1", "{e}">',
            f'    %w2 = tcp.collect %w1 "1", "{e} # {lanes}" : <sub fetch {t}, #grid, "1", "{e}">',
            f'    %vrf = tcp.to_vrf %w2 at 64 "{e} # {lanes}" : <sub collect {t}, #grid, "1", "{e} # {lanes}">',
        ]
    if case.interleaved:
        text.append(f'    %b = tcp.begin_interleaved main "I" %d0, %d1 : {dm[0]}')
        begin = f'<main begin {element}, #grid, "I", "{case.element}">'
    else:
        text.append(f"    %b = tcp.begin main %d0 : {dm[0]}")
        begin = f'<main begin {element}, #grid, "1", "{case.element}">'
    time, packet = case.fetch
    text += [
        f'    %f = tcp.fetch %b {element} "{time}", "{packet}" : {begin}',
        f'    %s = tcp.collect %f "{time}", "{case.packet}" : <main fetch {element}, #grid, "{time}", "{packet}">',
        *stream.lines,
        f'    %c = tcp.commit {stream.value} at {RESULT} "{result_element}" : {stream.type()}',
        f"    %r = tcp.to_hbm %c at {len(arrays) << 28} : {out[2]} -> {out[1]}",
        f"    return %r : {out[1]}", "  }", "}",
    ]
    return "\n".join(text) + "\n"


rng = np.random.default_rng(11)
INTS = rng.integers(-1000, 1000, 512).astype(I32)
WORDS = rng.integers(-2**31, 2**31, 512).astype(I32)
FLOATS = rng.uniform(-4, 4, 512).astype(F32)
POSITIVE = rng.uniform(0.1, 4, 512).astype(F32)
OTHER = rng.integers(-1000, 1000, 512).astype(I32)
OTHER_FLOATS = rng.uniform(-4, 4, 512).astype(F32)


def smaller_magnitude(values: np.ndarray, other: float) -> np.ndarray:
    return np.where(np.abs(values) <= abs(other), values, other).astype(values.dtype)


def larger_magnitude(values: np.ndarray, other: float) -> np.ndarray:
    return np.where(np.abs(values) >= abs(other), values, other).astype(values.dtype)


def wrap(values: np.ndarray) -> np.ndarray:
    return values.astype(np.int64).astype(np.uint32).view(I32)


def chain(*steps: Callable[[Stream], None]) -> Callable[[Stream], None]:
    def run(stream: Stream) -> None:
        for step in steps:
            step(stream)
    return run


def erf(x: np.ndarray) -> np.ndarray:
    return np.vectorize(math.erf)(x)


def floats(*texts: str) -> Callable[[Stream], None]:
    """Float operations between narrow and widen; `u:`, `b:`, `t:` and `d:` say which."""
    def run(stream: Stream) -> None:
        stream.branch()
        stream.narrow()
        for text in texts:
            kind, _, body = text.partition(":")
            if kind == "d":
                stream.op("vector_fp_div", body, "vector_fp_div")
            else:
                {"u": stream.unary, "b": stream.binary, "t": stream.ternary}[kind](body)
        stream.widen()
    return run


def paired(*steps: Callable[[Stream], None]) -> Callable[[Stream], None]:
    return chain(Stream.unzip, *steps)


PAIR = {"axes": "A = 512, I = 2", "fetch": ("I", "A % 2"), "interleaved": True}
EIGHT = {"axes": "A = 2048", "slice": "A / 8", "element": "A % 8", "fetch": ("1", "A % 8"),
         "packet": "A % 8"}
CUMSUM = {"axes": "N = 5, A = 2048", "slice": "A / 8", "element": "N, A % 8",
          "fetch": ("N", "A % 8"), "packet": "A % 8", "host": "N, A"}


def filtered(values: np.ndarray) -> np.ndarray:
    """Of the 16 elements of every slice, the 8 below 0."""
    return np.stack([row[row < 0] for row in values.reshape(256, 16)])


def half_negative() -> np.ndarray:
    rows = np.abs(rng.integers(1, 1000, (256, 16)))
    for row in rows:
        row[rng.permutation(16)[:8]] *= -1
    return rows.reshape(-1).astype(I32)


UNARY = {
    "Exp": np.exp, "NegExp": lambda x: np.exp(-x), "Sqrt": np.sqrt, "Tanh": np.tanh,
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)), "Erf": erf, "Log": np.log, "Sin": np.sin,
    "Cos": np.cos,
}
LOGIC = {
    "BitAnd": lambda x, y: x & y, "BitOr": lambda x, y: x | y, "BitXor": lambda x, y: x ^ y,
    "LeftShift": lambda x, y: wrap(x.astype(np.int64) << y),
    "LogicRightShift": lambda x, y: (x.view(np.uint32) >> np.uint32(y)).view(I32),
    "ArithRightShift": lambda x, y: x >> y,
}
BINARY_MODES = {"00": lambda x, c: x - x, "01": lambda x, c: x - c, "10": lambda x, c: c - x,
                "11": lambda x, c: c - c + 0 * x}
# a * b + c with stream x, operands 3 and 5.
TERNARY_MODES = {
    "012": lambda x: x * 3 + 5, "002": lambda x: x * x + 5, "102": lambda x: 3 * x + 5,
    "112": lambda x: 3 * 3 + 5 + 0 * x, "020": lambda x: x * 5 + x, "021": lambda x: x * 5 + 3,
    "120": lambda x: 3 * 5 + x,
}
SMALL = rng.integers(-50, 50, 512).astype(F32)  # exact in every one of these

CASES: dict[str, Case] = {
    "add_constant": Case(chain(Stream.branch, lambda s: s.fxp("AddFxp (100 : i32)")),
                         lambda x: wrap(x.astype(np.int64) + 100), [WORDS]),
    "bias_minus_x": Case(chain(Stream.branch, lambda s: s.fxp("SubFxp mode Mode10 (7 : i32)")),
                         lambda x: 7 - x, [INTS]),
    "staged_pipeline": Case(
        chain(Stream.branch, lambda s: s.fxp("AddFxp (100 : i32)"),
              lambda s: s.op("vector_fxp_to_fp", "31", "vector_fxp_to_fp", element="f32"),
              Stream.narrow, lambda s: s.unary("Sigmoid"), Stream.widen,
              lambda s: s.op("vector_fp_to_fxp", "31", "vector_fp_to_fxp", element="i32"),
              lambda s: s.clip("Max (0 : i32)")),
        # Halves away from zero.
        lambda x: np.floor(1 / (1 + np.exp(-(x + 100.0))) + 0.5).astype(I32), [INTS]),
    "five_alus": Case(
        floats("b:AddF (1.0 : f32)", "b:MulF0 (2.0 : f32)", "b:MulF1 (3.0 : f32)", "u:Sqrt", "u:Exp"),
        lambda x: np.exp(np.sqrt((x.astype(np.float64) + 1) * 6)), [POSITIVE], tolerance=3e-6),
    "relu": Case(chain(Stream.branch, lambda s: s.clip("Max (0.0 : f32)")),
                 lambda x: np.maximum(x, 0), [rng.uniform(-1, 1, (128, 256)).astype(F32)],
                 axes="M = 128, N = 256", slice="1", element="M, N", fetch=("M, N / 8", "N % 8"),
                 packet="N % 8", host="M, N"),
    "residual_max": Case(
        chain(Stream.branch, lambda s: s.op("vector_stash"), Stream.narrow,
              lambda s: s.binary("MulF0 (2.0 : f32)"), Stream.widen, lambda s: s.clip("Max (stash)")),
        lambda x: np.maximum(2 * x, x), [FLOATS]),
    "stash_at_fxp": Case(
        chain(Stream.branch, lambda s: s.op("vector_stash"), lambda s: s.fxp("AddFxp (100 : i32)"),
              lambda s: s.clip("Max (stash)")),
        lambda x: np.maximum(wrap(x.astype(np.int64) + 100), x), [WORDS]),
    "stash_across_narrow": Case(
        chain(Stream.branch, lambda s: s.op("vector_stash"), Stream.narrow,
              lambda s: s.unary("Sigmoid"), Stream.widen, lambda s: s.clip("Max (stash)")),
        lambda x: np.maximum(1 / (1 + np.exp(-x.astype(np.float64))), x), [FLOATS], tolerance=1e-6),
    "stash_read_in_way4": Case(
        chain(Stream.branch, lambda s: s.op("vector_stash"), Stream.narrow,
              lambda s: s.binary("MulF0 (2.0 : f32)"), lambda s: s.binary("AddF (stash)"), Stream.widen),
        lambda x: 2 * x + x, [np.tile(SMALL, 4)], **EIGHT),
    "split_concat": Case(floats("b:AddF (1.0 : f32)"), lambda x: x + 1, [np.tile(SMALL, 4)], **EIGHT),
    "fp_div": Case(floats("d:DivF (3.0 : f32)"), lambda x: x / F32(3), [FLOATS]),
    "div_f": Case(floats("b:DivF mode Mode10 (3.0 : f32)"), lambda x: F32(3) / x, [FLOATS]),
    "abs_min_max": Case(chain(Stream.branch, lambda s: s.clip("AbsMin (500 : i32)"),
                              lambda s: s.clip("AbsMax (20 : i32)")),
                        lambda x: larger_magnitude(smaller_magnitude(x, 500), 20), [INTS]),
    "abs_min_max_f": Case(chain(Stream.branch, lambda s: s.clip("AbsMin (-3.0 : f32)"),
                                lambda s: s.clip("AbsMax (1.0 : f32)"), lambda s: s.clip("Add (1.0 : f32)")),
                          lambda x: larger_magnitude(smaller_magnitude(x, F32(-3)), F32(1)) + F32(1), [FLOATS]),
    "vrf_add": Case(chain(Stream.branch, lambda s: s.fxp("AddFxp, %vrf", types=', !tcp.vrf<i32, #grid, "A % 2 # 8">')),
                    lambda x, y: x + y[None, :], [rng.integers(-99, 99, (256, 512)).astype(I32), INTS],
                    axes="A = 512, B = 256", element="B, A % 2", fetch=("B", "A % 2"), host="B, A",
                    vrf="A % 2", vrf_host="A"),
    "fma_vrf": Case(
        chain(Stream.branch, Stream.narrow,
              lambda s: s.ternary("FmaF (vrf, 0.5 : f32), %vrf", types=', !tcp.vrf<f32, #grid, "A % 2 # 8">'),
              Stream.widen),
        lambda x, y: x * y + F32(0.5), [SMALL, np.roll(SMALL, 5)], vrf="A % 2"),
    "group_zero": Case(chain(lambda s: s.branch("Comparison [#tcp.cmp<Less, 0 : i32>]"),
                             lambda s: s.fxp("MulInt (3 : i32) group Zero"),
                             lambda s: s.clip("AddFxp (1 : i32) group One")),
                       lambda x: np.where(x < 0, x + 1, 3 * x), [INTS]),
    "comparisons": Case(
        chain(lambda s: s.branch("Comparison [#tcp.cmp<Less, 0 : i32>, #tcp.cmp<Never>, "
                                 "#tcp.cmp<GreaterEqual, 500 : i32>, #tcp.cmp<NotEqual, 7 : i32>]"),
              lambda s: s.fxp("AddFxp (10000 : i32) branch [9]"),
              lambda s: s.fxp("MulInt (2 : i32) branch [12, 13]")),
        lambda x: np.where(x < 0, x + 10000, np.where(x >= 500, 2 * x, x)), [INTS]),
    "axis_toggle": Case(chain(lambda s: s.branch('AxisToggle axis "A"'),
                              lambda s: s.clip("Max (0 : i32) group One")),
                        lambda x: np.where(np.arange(512) % 2 == 1, np.maximum(x, 0), x), [INTS]),
    "masked": Case(
        chain(lambda s: s.branch("Comparison [#tcp.cmp<Less, 0.0 : f32>]"), Stream.narrow,
              lambda s: s.binary("MaskMulF0 (2.0 : f32) group One"),
              lambda s: s.ternary("MaskFmaF (1.0 : f32, 1.0 : f32) group Zero"), Stream.widen),
        lambda x: np.where(x < 0, 2 * x, x + 1), [SMALL]),
    "branch_vrf": Case(
        chain(lambda s: s.branch("Vrf, %vrf", types=', !tcp.vrf<i4, #grid, "A % 16 # 64">'),
              lambda s: s.fxp("AddFxp (1000 : i32) branch [3, 15]")),
        lambda x, ids: np.where((ids & 15 == 3) | (ids & 15 == 15), x + 1000, x),
        [np.tile(INTS, 8), rng.integers(-8, 8, 4096).astype(np.int8)],
        axes="A = 4096", slice="A / 16", element="A % 16", fetch=("A / 8 % 2", "A % 8"),
        packet="A % 8", vrf="A % 16"),
    # MOD-30: branch 0 for the first, 2 for the last, 1 in between.
    "cumsum": Case(
        chain(lambda s: s.branch("Vrf, %vrf", types=', !tcp.vrf<i4, #grid, "N # 16 # 64">'),
              lambda s: s.fxp("AddFxp (operand_read) branch [1, 2] write_operand [0, 1]")),
        lambda x, ids: np.cumsum(x, axis=0).astype(I32),
        [rng.integers(-99, 99, (5, 2048)).astype(I32), np.array([0, 1, 1, 1, 2] + 11 * [0], np.int8)],
        vrf="N # 16", vrf_host="N # 16", **CUMSUM),
    "filter": Case(
        chain(lambda s: s.branch("Comparison [#tcp.cmp<Less, 0 : i32>]"),
              lambda s: s.op("vector_filter", 'branch [1] "1", "K"', "vector_filter", time="1", packet="K")),
        filtered, [half_negative()], axes="A = 4096, K = 8", slice="A / 16", element="A % 16",
        fetch=("A / 8 % 2", "A % 8"), packet="A % 8", result_element="K", result_host="A / 16, K"),
    # Elements without data have ExecutionId 1; behind the kept ones is poison.
    "filter_valid": Case(
        chain(lambda s: s.branch("ValidCount"),
              lambda s: s.op("vector_filter", 'group Zero "K / 8", "K % 8"', "vector_filter",
                             time="K / 8", packet="K % 8")),
        lambda x: np.pad(x, ((0, 0), (0, 4)), constant_values=np.uint32(0xFFFFFFFF).view(I32)),
        [rng.integers(-99, 99, (256, 20)).astype(I32)], axes="S = 256, R = 20, K = 24", slice="S",
        element="R # 24", fetch=("R # 24 / 8", "R # 24 % 8"), packet="R # 24 % 8", host="S, R",
        result_element="K", result_host="S, K"),
    "pair_add": Case(paired(lambda s: s.op("vector_clip_zip", "AddFxp", "vector_clip")),
                     lambda x, y: x + y, [INTS, OTHER], **PAIR),
    "pair_preprocess": Case(paired(lambda s: s.fxp("MulInt (10 : i32 | skip)"),
                                   lambda s: s.op("vector_clip_zip", "AddFxp", "vector_clip")),
                            lambda x, y: 10 * x + y, [INTS, OTHER], **PAIR),
    "pair_two_operands": Case(paired(lambda s: s.fxp("MulInt (10 : i32 | 3 : i32)"),
                                     lambda s: s.op("vector_fxp_zip", "SubFxp", "vector_fxp")),
                              lambda x, y: 10 * x - 3 * y, [INTS, OTHER], **PAIR),
    "pair_logic": Case(paired(lambda s: s.logic("BitAnd (255 : i32 | skip)"),
                              lambda s: s.op("vector_logic_zip", "BitXor", "vector_logic")),
                       lambda x, y: (x & 255) ^ y, [WORDS, OTHER], **PAIR),
    "pair_fp_mul_zip": Case(paired(Stream.narrow, lambda s: s.op("vector_fp_zip", "MulF0", "vector_fp"), Stream.widen),
                            lambda x, y: x * y, [FLOATS, OTHER_FLOATS], **PAIR),
    "pair_asymmetric": Case(
        paired(Stream.narrow, lambda s: s.unary("Exp groups [true, false]"),
               lambda s: s.op("vector_fp_zip", "MulF0", "vector_fp"), Stream.widen),
        lambda x, y: np.exp(x.astype(np.float64)) * y, [FLOATS, OTHER_FLOATS], tolerance=1e-6, **PAIR),
}
for op, function in UNARY.items():
    CASES[f"unary_{op}"] = Case(floats(f"u:{op}"), lambda x, f=function: f(x.astype(np.float64)),
                                [POSITIVE if op in ("Sqrt", "Log") else FLOATS], tolerance=1e-6)
for op, function in LOGIC.items():
    operand = 5 if "Shift" in op else 0x0F0F1234
    CASES[f"logic_{op}"] = Case(
        chain(Stream.branch, lambda s, op=op, c=operand: s.logic(f"{op} ({c} : i32)")),
        lambda x, f=function, c=operand: f(x, c), [WORDS])
for op in ("BitAnd", "BitOr", "BitXor"):
    # The pattern of -0.0: clears or sets the sign.
    constant = {"BitAnd": 0x7FFFFFFF, "BitOr": 0x80000000, "BitXor": 0x80000000}[op]
    text = {"BitAnd": "0x7FFFFFFF", "BitOr": "-0.0", "BitXor": "-0.0"}[op]
    CASES[f"logic_f_{op}"] = Case(
        chain(Stream.branch, lambda s, op=op, t=text: s.logic(f"{op} ({t} : f32)")),
        lambda x, f=LOGIC[op], c=constant: f(x.view(np.uint32), np.uint32(c)).view(F32), [FLOATS])
for mode, function in BINARY_MODES.items():
    operand = "" if mode == "00" else "(9.0 : f32)"
    CASES[f"binary_mode_{mode}"] = Case(floats(f"b:SubF mode Mode{mode} {operand}"),
                                        lambda x, f=function: f(x, F32(9)), [SMALL])
    CASES[f"zip_mode_{mode}"] = Case(
        paired(Stream.narrow, lambda s, m=mode: s.op("vector_fp_zip", f"SubF mode Mode{m}", "vector_fp"),
               Stream.widen),
        lambda x, y, m=mode: (x, y)[int(m[0])] - (x, y)[int(m[1])], [FLOATS, OTHER_FLOATS], **PAIR)
for mode, function in TERNARY_MODES.items():
    CASES[f"ternary_mode_{mode}"] = Case(floats(f"t:FmaF mode Mode{mode} (3.0 : f32, 5.0 : f32)"),
                                         function, [SMALL])
CASES["unary_mode_1"] = Case(floats("u:Sqrt mode Mode1 (16.0 : f32)"), lambda x: 4 + 0 * x, [SMALL])


def make(name: str, folder: pathlib.Path) -> None:
    case = CASES[name]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "case.mlir").write_text(program(case))
    for index, array in enumerate(case.inputs):
        np.save(folder / f"in{index}.npy", array)


def check(name: str, folder: pathlib.Path) -> bool:
    case = CASES[name]
    found = np.load(folder / "out.npy")
    expected = np.asarray(case.expect(*case.inputs))
    if case.tolerance:
        equal = np.allclose(found, expected, rtol=case.tolerance, atol=0)
    else:
        equal = found.shape == expected.shape and np.array_equal(found, expected)
    if equal:
        print(f"{name}: equals NumPy")
        return True
    where = np.argwhere(found != expected)[:3].tolist() if found.shape == expected.shape else ""
    print(f"{name}: {found.dtype}{found.shape} differs from NumPy at {where}")
    return False


def run(tool: str, name: str, folder: pathlib.Path) -> bool:
    make(name, folder)
    command = [tool, str(folder / "case.mlir"), "--output", str(folder / "out.npy"), "--verify"]
    for index in range(len(CASES[name].inputs)):
        command += ["--input", str(folder / f"in{index}.npy")]
    if subprocess.run(command, check=False).returncode != 0:
        print(f"{name}: sequin-run failed")
        return False
    return check(name, folder)


class RandomChain:
    """A legal chain of stages: every unit at most once, no stage out of order."""

    LOGIC = (("BitAnd",), ("BitOr",), ("BitXor",))
    SHIFTS = (("LeftShift",), ("LogicRightShift", "ArithRightShift"))
    FXP = (("AddFxp", "AddFxpSat", "SubFxp", "SubFxpSat"), ("LeftShift", "LeftShiftSat"),
           ("MulFxp", "MulInt"), ("LogicRightShift", "ArithRightShift", "ArithRightShiftRound"))
    FLOAT = (("b:AddF", "b:SubF", "t:FmaF", "t:MaskFmaF"), ("b:MulF0", "b:MaskMulF0"), ("b:MulF1", "b:MaskMulF1"),
             ("u:Sqrt", "u:Tanh", "u:Sigmoid", "u:Erf", "u:Log", "u:Sin", "u:Cos", "b:DivF"), ("u:Exp", "u:NegExp"))
    CLIP = (("Min", "AbsMin"), ("Max", "AbsMax"), ("Add",))

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.pair = self.chance(0.3)
        self.stash = ""  # the type of what is stashed and not read yet
        self.stashed = self.pair
        self.element = "f32" if self.chance(0.5) else "i32"

    def chance(self, p: float) -> bool:
        return bool(self.rng.random() < p)

    def pick(self, units: tuple[tuple[str, ...], ...]) -> list[str]:
        """Some units in any order, one operation of each."""
        chosen = [unit for unit in units if self.chance(0.4)]
        return [str(self.rng.choice(chosen[i])) for i in self.rng.permutation(len(chosen))]

    def constant(self, stream: Stream, op: str) -> str:
        if stream.element == "f32":
            return f"{self.rng.normal() * 10:.4f} : f32"
        if "Shift" in op:
            return f"{self.rng.integers(0, 40)} : i32"
        return f"{self.rng.integers(-2**31, 2**31)} : i32"

    def operand(self, stream: Stream, op: str) -> str:
        if self.stash == stream.element and self.chance(0.5):
            self.stash = ""
            return "stash"
        return self.constant(stream, op)

    def operands(self, stream: Stream, op: str, count: int, paired: bool) -> str:
        if not paired:
            return "(" + ", ".join(self.operand(stream, op) for _ in range(count)) + ")"
        groups = [", ".join(self.constant(stream, op) for _ in range(count)) for _ in range(2)]
        if self.chance(0.4):
            groups[self.rng.integers(2)] = ", ".join(["skip"] * count)
        return "(" + " | ".join(groups) + ")"

    def condition(self) -> str:
        if self.pair or self.chance(0.5):
            return ""
        if self.chance(0.5):
            return f" group {self.rng.choice(['Zero', 'One'])}"
        return f" branch {sorted(self.rng.permutation(16)[:self.rng.integers(1, 9)].tolist())}"

    def maybe_stash(self, stream: Stream) -> None:
        if not self.stashed and self.chance(0.25):
            stream.op("vector_stash")
            self.stash, self.stashed = stream.element, True

    def compute(self, stream: Stream, name: str, stage: str, op: str, paired: bool) -> None:
        digits = ["01", "10", "11"] if "Shift" not in op else ["01"]
        mode = "" if self.chance(0.6) else f" mode Mode{self.rng.choice(digits)}"
        stream.op(name, f"{op}{mode} {self.operands(stream, op, 1, paired)}{self.condition()}", stage)
        self.maybe_stash(stream) if stage != "vector_widen" else None

    def zip(self, stream: Stream, name: str, stage: str, ops: list[str]) -> None:
        mode = "" if self.chance(0.5) else f" mode Mode{self.rng.choice(['00', '01', '10', '11'])}"
        stream.op(name, f"{ops[0]}{mode}", stage)

    def stages(self, stream: Stream) -> None:
        paired = self.pair
        # In a pair the zip is at one of the places where the type allows it.
        zip_at = str(self.rng.choice(["logic", "fp", "clip"])) if paired else ""
        if paired:
            stream.unzip()
        else:
            number = "0.5 : f32" if stream.element == "f32" else "77 : i32"
            bits = ", ".join(f"#tcp.cmp<{c}, {number}>" for c in ("Less", "Greater", "NotEqual"))
            stream.branch(str(self.rng.choice(["Unconditional", f"Comparison [{bits}]", 'AxisToggle axis "A"'])))
            self.maybe_stash(stream)
        shifts = self.SHIFTS if stream.element == "i32" else ()
        logic = self.pick(self.LOGIC + shifts)
        if zip_at == "logic":
            logic = [op for op in logic if op != "BitXor"]
        for op in logic:
            self.compute(stream, "vector_logic", "vector_logic", op, paired)
        if zip_at == "logic":
            self.zip(stream, "vector_logic_zip", "vector_logic", ["BitXor"])
            paired = False
        if stream.element == "i32":
            for op in self.pick(self.FXP):
                self.compute(stream, "vector_fxp", "vector_fxp", op, paired)
            if self.chance(0.5) or zip_at == "fp":
                stream.op("vector_fxp_to_fp", str(self.rng.integers(0, 32)), "vector_fxp_to_fp", element="f32")
        if self.chance(0.6) or zip_at == "fp":
            stream.narrow()
            units = self.FLOAT if zip_at != "fp" else (self.FLOAT[0], *self.FLOAT[2:])
            for text in self.pick(units) if stream.element == "f32" else []:
                kind, _, op = text.partition(":")
                if kind == "u":
                    groups = " groups [true, false]" if paired and self.chance(0.5) else ""
                    stream.op("vector_fp_unary", f"{op}{groups}{self.condition()}", "vector_fp")
                elif kind == "t":
                    mode = str(self.rng.choice(["012", "002", "102", "112", "020", "021", "120"]))
                    stream.op("vector_fp_ternary",
                              f"{op} mode Mode{mode} {self.operands(stream, op, 2, paired)}{self.condition()}",
                              "vector_fp")
                else:
                    self.compute(stream, "vector_fp_binary", "vector_fp", op, paired)
            if zip_at == "fp":
                self.zip(stream, "vector_fp_zip", "vector_fp", ["MulF0"])
                paired = False
            if stream.element == "f32" and self.chance(0.3):
                self.compute(stream, "vector_fp_div", "vector_fp_div", "DivF", paired)
            stream.widen()
        if stream.element == "f32" and self.chance(0.4):
            stream.op("vector_fp_to_fxp", str(self.rng.integers(0, 32)), "vector_fp_to_fxp", element="i32")
        clips = [op for op in self.pick(self.CLIP) if not (zip_at == "clip" and op == "Add")]
        integers = {"Add": "AddFxp"} if stream.element == "i32" else {}
        for op in clips:
            self.compute(stream, "vector_clip", "vector_clip", integers.get(op, op), paired)
        if zip_at == "clip":
            self.zip(stream, "vector_clip_zip", "vector_clip", ["AddFxp" if integers else "Add"])

    def case(self) -> Case:
        places = EIGHT if self.chance(0.5) else {}
        size = 2048 if places else 512

        def data() -> np.ndarray:
            if self.element == "f32":
                return (self.rng.normal(size=size) * 10.0 ** self.rng.integers(-3, 6)).astype(F32)
            return self.rng.integers(-2**31, 2**31, size).astype(I32)

        more = dict(places)
        if self.pair:
            more.update(axes=more.get("axes", "A = 512") + ", I = 2", interleaved=True,
                        fetch=("I", more.get("element", "A % 2")))
        return Case(self.stages, lambda *inputs: inputs[0], [data(), data()] if self.pair else [data()], **more)


def random_chains(tool: str, folder: pathlib.Path, seed: int, count: int) -> bool:
    for index in range(seed, seed + count):
        CASES["random"] = RandomChain(index).case()
        make("random", folder)
        command = [tool, str(folder / "case.mlir"), "--output", str(folder / "out.npy"), "--verify"]
        for number in range(len(CASES["random"].inputs)):
            command += ["--input", str(folder / f"in{number}.npy")]
        result = subprocess.run(command, check=False, capture_output=True, text=True)
        if result.returncode != 0:
            print(f"seed {index}: {result.stderr}")
            return False
    print(f"{count} chains agree")
    return True


def main() -> int:
    """Runs the command in sys.argv; returns the exit code."""
    if sys.argv[1] == "random":
        return not random_chains(sys.argv[2], pathlib.Path(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5]))
    if sys.argv[1] == "run":
        folder = pathlib.Path(sys.argv[3])
        return not all([run(sys.argv[2], name, folder / name) for name in sys.argv[4:]])
    command, name, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    if command == "make":
        make(name, folder)
        return 0
    return not check(name, folder)


if __name__ == "__main__":
    sys.exit(main())
