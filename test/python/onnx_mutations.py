# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damaged model files: each is imported and compiled, or refused in one error.

    PYTHONPATH=build/python /usr/bin/python3 test/python/onnx_mutations.py --count 10000 [--seed S] [--only N]
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import time
from collections import Counter
from typing import Any

import numpy as np
from onnx import onnx_ml_pb2

import sequin
from onnx_models import Graph

#: Seconds that a damaged model may take.
LIMIT = 20


def image_model() -> bytes:
    g = Graph(13)
    x = g.input("x", ["batch", 3, 8, 8])
    y = g.node("Conv", x, g.weight("w", 4, 3, 3, 3), g.weight("b", 4), pads=[1, 1, 1, 1],
               strides=[2, 2])
    y = g.node("Relu", y)
    y = g.node("MaxPool", y, kernel_shape=[2, 2], strides=[2, 2])
    y = g.node("Flatten", y)
    shape = g.node("Shape", y)
    g.node("Gather", shape, g.constant(np.int64(0)))
    y = g.node("Gemm", y, g.weight("v", 5, 16), transB=1)
    g.nodes[-1].output[0] = g.output("y")
    return g.bytes()


def attention_model() -> bytes:
    g = Graph(17)
    ids = g.input("ids", ["batch", "seq"], "int64")
    h = g.node("Gather", g.weight("embedding", 11, 8), ids)
    h = g.node("LayerNormalization", h, g.weight("scale", 8), g.weight("bias", 8))
    q = g.node("MatMul", h, g.weight("q", 8, 8))
    k = g.node("Transpose", h, perm=[0, 2, 1])
    p = g.node("Softmax", g.node("MatMul", q, k))
    h = g.node("MatMul", p, h)
    h = g.node("Slice", h, *(g.constant(np.int64([n])) for n in (0, 4, 2)))
    h = g.node("Reshape", h, g.constant(np.int64([0, -1])))
    h = g.node("Concat", h, h, axis=1)
    g.node("Cast", h, to=10, outputs=[g.output("y", "float16")])
    return g.bytes()


def recurrent_model() -> bytes:
    g = Graph(14)
    x = g.input("x", [3, 2, 4])
    y = g.node("LSTM", x, g.weight("w", 1, 12, 4), g.weight("r", 1, 12, 3), outputs=3,
               hidden_size=3)[0]
    y = g.node("Pad", y, g.constant(np.int64([0, 0, 0, 1, 0, 0, 0, 1])), mode="reflect")
    y = g.node("Resize", y, "", g.constant(np.float32([1, 1, 2, 1.5])), mode="linear")
    y = g.node("ReduceSum", y, g.constant(np.int64([1])), keepdims=0)
    top = g.node("TopK", y, g.constant(np.int64([2])), outputs=2)
    g.node("Identity", top[0], outputs=[g.output("y")])
    return g.bytes()


MODELS = {"image": (image_model, "batch=1"), "attention": (attention_model, "batch=1,seq=5"),
          "recurrent": (recurrent_model, "")}


def mutate(data: bytes, chance: random.Random) -> bytes:
    """One to four changes: bits, bytes, cuts, copies."""
    out = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        if not out:
            break
        at = chance.randrange(len(out))
        kind = chance.randrange(7)
        if kind == 0:
            out[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            out[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
        elif kind == 2:
            del out[at : at + chance.randint(1, 8)]
        elif kind == 3:
            out[at:at] = bytes(chance.randrange(256) for _ in range(chance.randint(1, 8)))
        elif kind == 4 and chance.random() < 0.2:
            del out[at:]
        elif kind == 5:
            other = chance.randrange(len(out))
            out[at : at + 4] = out[other : other + 4]
        else:  # a number that is larger than what is there
            out[at : at + 1] = b"\xff\xff\xff\xff\x0f"
    return bytes(out)


def messages_of(message: Any) -> list[Any]:
    """The message and all within it."""
    found = [message]
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for inner in value if field.label == field.LABEL_REPEATED else [value]:
                found += messages_of(inner)
    return found


NUMBERS = (0, 1, -1, 2, 3, 7, 16, 255, 2**31 - 1, 2**31, 2**62, -(2**63), 2**63 - 1)
FLOATS = (0.0, -1.0, 1e30, float("inf"), float("nan"), 1e-30)


def mutate_fields(data: bytes, chance: random.Random) -> bytes:
    """A file that is still a protobuf: one to three fields have other values, which may be
    of others of their kind, or are left out, or there twice."""
    model = onnx_ml_pb2.ModelProto()
    model.ParseFromString(data)
    everything = messages_of(model)
    texts = sorted({v for m in everything for f, v in m.ListFields()
                    if f.type == f.TYPE_STRING and f.label != f.LABEL_REPEATED})
    for _ in range(chance.choice((1, 1, 2, 3))):
        message = chance.choice(messages_of(model))
        fields = message.ListFields()
        if not fields:
            continue
        field, value = chance.choice(fields)
        if field.label == field.LABEL_REPEATED:
            mutate_list(field, value, chance, texts)
        elif chance.random() < 0.2 or field.type == field.TYPE_MESSAGE:
            message.ClearField(field.name)
        else:
            changed = other_value(field, value, chance, texts)
            if changed is not None:
                setattr(message, field.name, changed)
    return bytes(model.SerializePartialToString())


def other_value(field: Any, value: Any, chance: random.Random, texts: list[str]) -> Any:
    if field.type == field.TYPE_STRING:
        return chance.choice((*texts, "", value + "x"))
    if field.type == field.TYPE_BYTES:
        return chance.choice((b"", value[:-1], value + b"\0", value[::-1]))
    if field.type in (field.TYPE_FLOAT, field.TYPE_DOUBLE):
        return chance.choice(FLOATS)
    if field.type == field.TYPE_ENUM:
        return chance.choice(field.enum_type.values).number
    bits = 63 if field.type in (field.TYPE_INT64, field.TYPE_UINT64) else 31
    number = chance.choice((*NUMBERS, value + 1, value - 1))
    return max(-(2**bits),
               min(2**bits - 1, number)) if field.type != field.TYPE_UINT64 else abs(number)


def mutate_list(field: Any, values: Any, chance: random.Random, texts: list[str]) -> None:
    at, kind = chance.randrange(len(values)), chance.randrange(4)
    if kind == 0:
        del values[at]
    elif kind == 1 or field.type == field.TYPE_MESSAGE:
        values.append(values[at])
    elif kind == 2:
        other = chance.randrange(len(values))
        values[at], values[other] = values[other], values[at]
    else:
        changed = other_value(field, values[at], chance, texts)
        if changed is not None:
            values[at] = changed


def outcome(data: bytes, sizes: str) -> str:
    """What becomes of a damaged model: a word, or an exception that is a bug."""
    try:
        model = sequin.import_onnx(data, sizes)
    except sequin.Error as error:
        text = str(error)
        if "\n" in text or not text.startswith("error: "):
            raise AssertionError(f"no single error: {text}") from error
        return "refused"
    elements = sum(int(np.prod(v.shape)) for v in (*model.inputs, *model.outputs))
    if elements > 1 << 12 or len(model.mlir) > 1 << 16:
        return "imported, large"
    try:
        model.compile("rngd")
    except sequin.Error:
        return "not compiled"
    return "compiled"


def hangs(number: int, frame: object) -> None:
    raise TimeoutError(f"takes more than {LIMIT} s")


def run(count: int, seed: int, only: int | None = None) -> tuple[Counter[str], list[str]]:
    """Outcomes of so many damaged models, and what went wrong with which."""
    originals = [(name, make(), sizes) for name, (make, sizes) in MODELS.items()]
    counts: Counter[str] = Counter()
    failures = []
    before = signal.signal(signal.SIGALRM, hangs)
    try:
        for i in range(count) if only is None else [only]:
            chance = random.Random(f"{seed}.{i}")
            name, data, sizes = originals[i % len(originals)]
            signal.alarm(LIMIT)
            try:
                change = mutate if chance.random() < 0.3 else mutate_fields
                counts[outcome(change(data, chance), sizes)] += 1
            except Exception as error:  # noqa: BLE001  whatever it is, it is a bug
                failures.append(
                    f"--seed {seed} --only {i} ({name}): {type(error).__name__}: "
                    f"{error}"
                )
            finally:
                signal.alarm(0)
    finally:
        signal.signal(signal.SIGALRM, before)
    return counts, failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    arguments = parser.parse_args()
    start = time.monotonic()
    counts, failures = run(arguments.count, arguments.seed, arguments.only)
    for failure in failures:
        print(failure)
    total = ", ".join(f"{name} {n}" for name, n in sorted(counts.items()))
    print(
        f"seed {arguments.seed}: {total}; {len(failures)} failures in "
        f"{time.monotonic() - start:.0f} s"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
