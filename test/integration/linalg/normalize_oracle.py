#!/usr/bin/env python3
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs linalg programs before and after --normalize-linalg and compares.

Both go through upstream's own lowering to LLVM and run on this processor. Inputs
are small whole numbers (results must be equal) and normal ones (results must be close).
A program says what else holds in a comment `// ORACLE: word...`:
  close       results of whole numbers are rounded, too
  specials    zeros of either sign, infinities and NaN are among the inputs
  low=N high=N   inputs are whole numbers of that range only
  positive    inputs are at least 0.5
"""

import argparse
import concurrent.futures
import ctypes
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

STORAGE = {
    "f32": np.float32, "f16": np.float16, "bf16": np.uint16, "i32": np.int32,
    "i16": np.int16, "i8": np.int8, "i4": np.int8, "i1": np.int8, "i64": np.int64,
    "index": np.int64, "f8E4M3FN": np.uint8, "f8E5M2": np.uint8,
}
TOLERANCE = {"f32": 1e-5, "f16": 2e-3, "bf16": 1.6e-2, "f8E4M3FN": 0.13, "f8E5M2": 0.26}

LOWERING = (
    "func.func(llvm-request-c-wrappers),"
    "one-shot-bufferize{{bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map}},"
    "func.func(convert-linalg-to-loops),"
    "expand-strided-metadata,lower-affine,convert-scf-to-cf,"
    "func.func(math-expand-ops{{ops=exp2,roundeven,round,ceil,floor,clampf,rsqrt}}),"
    "arith-expand{{include-bf16=true}},memref-expand,"
    "{apfloat}"
    "convert-math-to-llvm,convert-math-to-libm,convert-vector-to-llvm,"
    "finalize-memref-to-llvm,convert-arith-to-llvm,convert-index-to-llvm,"
    "convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts"
)

# How the transform dialect decomposes what has no loops of its own.
DECOMPOSED = {
    "linalg.softmax": ("decompose_interface", [None]),
    "linalg.pack": ("lower_pack", ["tensor.pad", "tensor.expand_shape", "linalg.transpose"]),
    "linalg.unpack": ("lower_unpack", ["tensor.empty", "linalg.transpose",
                                       "tensor.collapse_shape", "tensor.extract_slice"]),
}


def handle_of(operation):
    return f'!transform.op<"{operation}">' if operation else "!transform.any_op"


GATHER = re.compile(
    r"(%\w+) = tensor\.gather (%\w+)\[(%\w+)\] gather_dims\(\[0\]\) (?:unique )?: "
    r"\((tensor<\S+>), (tensor<(\d+)x1xi32>)\) -> (tensor<(\S+)>)"
)


def expand_gathers(text):
    """Upstream lowers no tensor.gather: write it as a generic."""
    count = 0

    def replace(match):
        nonlocal count
        count += 1
        result, source, indices, source_type, index_type, _, type_, shape = match.groups()
        rank = shape.count("x")
        dims = ", ".join(f"d{i}" for i in range(rank))
        element = shape.rsplit("x", 1)[1]
        parallel = ", ".join(['"parallel"'] * rank)
        inner = "".join(f"      %gi{i} = linalg.index {i} : index\n" for i in range(1, rank))
        position = ", ".join(["%gn"] + [f"%gi{i}" for i in range(1, rank)])
        return (
            f"%gather_empty{count} = tensor.empty() : {type_}\n"
            f"    {result} = linalg.generic {{indexing_maps = [affine_map<({dims}) -> (d0, 0)>, "
            f"affine_map<({dims}) -> ({dims})>], iterator_types = [{parallel}]}} "
            f"ins({indices} : {index_type}) outs(%gather_empty{count} : {type_}) {{\n"
            f"    ^bb0(%gin: i32, %gout: {element}):\n"
            f"      %gn = arith.index_cast %gin : i32 to index\n{inner}"
            f"      %gx = tensor.extract {source}[{position}] : {source_type}\n"
            f"      linalg.yield %gx : {element}\n    }} -> {type_}"
        )

    return GATHER.sub(replace, text)


class Runner:
    def __init__(self, llvm, optimizer, folder):
        self.llvm, self.optimizer, self.folder = llvm, optimizer, folder

    def call(self, command, text):
        done = subprocess.run(command, input=text, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}\n{done.stderr[:3000]}")
        return done.stdout

    def normalize(self, text):
        return self.call([self.optimizer, "--normalize-linalg"], text)

    def prepare(self, text):
        """Named operations that upstream lowers in several steps."""
        steps = ""
        for i, (operation, (kind, results)) in enumerate(DECOMPOSED.items()):
            if operation in text:
                handle = handle_of(operation if results[0] else None)
                types = ", ".join(handle_of(result) for result in results)
                steps += (
                    f'  %o{i} = transform.structured.match ops{{["{operation}"]}} in %m : '
                    f"(!transform.any_op) -> {handle}\n"
                    f"  transform.structured.{kind} %o{i} : ({handle}) -> ({types})\n")
        optimizer = os.path.join(self.llvm, "mlir-opt")
        if steps:
            text = self.call(
                [optimizer, "--transform-interpreter"],
                "module attributes {transform.with_named_sequence} {\n" + text +
                "transform.named_sequence @__transform_main(%m: !transform.any_op) {\n" + steps +
                "  transform.yield\n}\n}")
            text = re.sub(r"transform\.named_sequence.*?transform\.yield *\n *}\n", "", text,
                          flags=re.S)
        return self.call([optimizer, "--inline", "--symbol-dce", "--convert-elementwise-to-linalg",
                          "--linalg-generalize-named-ops", "--cse"], text)

    def compile(self, text, name):
        has_f8 = "f8E" in text
        lowering = LOWERING.format(apfloat="convert-arith-to-apfloat," if has_f8 else "")
        module = self.call(
            [os.path.join(self.llvm, "mlir-opt"), f"--pass-pipeline=builtin.module({lowering})"],
            expand_gathers(text))
        ir = self.call([os.path.join(self.llvm, "mlir-translate"), "--mlir-to-llvmir"], module)
        path = os.path.join(self.folder, name + ".so")
        source = os.path.join(self.folder, name + ".ll")
        with open(source, "w") as file:
            file.write(ir)
        command = [os.path.join(self.llvm, "clang"), "-shared", "-fPIC", "-O1", "-march=native",
                   "-ffp-contract=off", "-Wno-override-module", source, "-o", path, "-lm"]
        libraries = os.path.join(os.path.dirname(self.llvm), "lib")
        command += [f"-L{libraries}", "-lmlir_c_runner_utils", f"-Wl,-rpath,{libraries}"]
        if has_f8:
            command.append("-lmlir_apfloat_wrappers")
        self.call(command, "")
        return ctypes.CDLL(path)


def signature(text):
    match = re.search(r"func\.func @main\((.*?)\)\s*->\s*(.*?)\s*(?:attributes.*)?\{", text, re.S)
    tensor = re.compile(r"tensor<([\dx]*?)x?(f8E4M3FN|f8E5M2|[a-z]+\d*)>")

    def types(part):
        found = []
        for shape, element in tensor.findall(part):
            found.append((tuple(int(n) for n in shape.split("x") if n), element))
        return found

    return types(match.group(1)), types(match.group(2))


def descriptor(rank):
    class Descriptor(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("data", ctypes.c_void_p),
                    ("offset", ctypes.c_int64)] + (
                        [("sizes", ctypes.c_int64 * rank), ("strides", ctypes.c_int64 * rank)]
                        if rank else [])
    return Descriptor


def run(library, inputs, results):
    arguments, copies = [], []
    for array in inputs:
        array = np.array(array)  # programs may write into their arguments
        copies.append(array)
        value = descriptor(array.ndim)()
        value.base = value.data = array.ctypes.data
        for i in range(array.ndim):
            value.sizes[i] = array.shape[i]
            value.strides[i] = array.strides[i] // array.itemsize
        arguments.append(value)
    kinds = [descriptor(len(shape)) for shape, _ in results]

    class Results(ctypes.Structure):
        _fields_ = [(f"r{i}", kind) for i, kind in enumerate(kinds)]

    out = Results()
    library._mlir_ciface_main(ctypes.byref(out), *[ctypes.byref(a) for a in arguments])
    arrays = []
    for i, (shape, element) in enumerate(results):
        value = getattr(out, f"r{i}")
        storage = np.dtype(STORAGE[element])
        strides = [value.strides[d] * storage.itemsize for d in range(len(shape))]
        count = 1 + sum((n - 1) * value.strides[d] for d, n in enumerate(shape))
        raw = (ctypes.c_uint8 * (count * storage.itemsize)).from_address(
            value.data + value.offset * storage.itemsize)
        flat = np.frombuffer(raw, dtype=storage)
        arrays.append(np.lib.stride_tricks.as_strided(flat, shape, strides).copy())
    return arrays


def f8_table(element):
    exponent, mantissa, bias = (4, 3, 7) if element == "f8E4M3FN" else (5, 2, 15)
    values = []
    for code in range(256):
        sign = -1.0 if code & 0x80 else 1.0
        e, m = (code & 0x7F) >> mantissa, code & ((1 << mantissa) - 1)
        top = (1 << exponent) - 1
        if element == "f8E4M3FN" and (code & 0x7F) == 0x7F:
            values.append(np.nan)
        elif element == "f8E5M2" and e == top:
            values.append(np.nan if m else sign * np.inf)
        elif e == 0:
            values.append(sign * m * 2.0 ** (1 - bias - mantissa))
        else:
            values.append(sign * (1 + m / (1 << mantissa)) * 2.0 ** (e - bias))
    return np.array(values)


def encode(values, element):
    if element == "bf16":
        bits = values.astype(np.float32).view(np.uint32).astype(np.uint64)
        rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
        return np.where(np.isnan(values), np.uint16(0x7FC0), rounded)
    if element.startswith("f8"):
        table = f8_table(element)
        finite = np.where(np.isfinite(table), table, 1e30)
        flat = np.abs(values.reshape(-1, 1) - finite.reshape(1, -1)).argmin(axis=1)
        return flat.reshape(values.shape).astype(np.uint8)
    return values.astype(STORAGE[element])


def decode(array, element):
    if element == "bf16":
        return (np.atleast_1d(array).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if element.startswith("f8"):
        return f8_table(element)[array]
    if element == "i4":
        return ((array.astype(np.int64) & 15) ^ 8) - 8
    if element == "i1":
        return array.astype(np.int64) & 1
    return array.astype(np.float64) if element.startswith("f") else array.astype(np.int64)


def make_input(rng, shape, element, mode, options):
    low, high = int(options.get("low", -4)), int(options.get("high", 4))
    if element == "i1":
        return rng.integers(0, 2, shape).astype(np.int8)
    if element[0] == "i":
        if mode == "normal" and "low" not in options:
            bits = {"i32": 31, "i16": 15, "i8": 7, "i4": 3}.get(element, 20)
            low, high = -(1 << bits), (1 << bits) - 1
        return rng.integers(low, high + 1, shape).astype(STORAGE[element])
    if mode == "whole" or "low" in options:
        values = rng.integers(low, high + 1, shape).astype(np.float64)
    else:
        values = rng.standard_normal(shape) * 2
    if "positive" in options:
        values = np.abs(values) + 0.5
    if mode == "specials":
        special = rng.choice([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0], shape)
        values = np.where(rng.random(shape) < 0.4, special, values)
    return encode(np.atleast_1d(values), element).reshape(shape)


def compare(name, mode, index, want, got, element, exact):
    want, got = np.atleast_1d(want), np.atleast_1d(got)
    if exact or element[0] == "i":
        same = (want == got) | (np.isnan(want.astype(float)) & np.isnan(got.astype(float)))
        if same.all():
            return
        where = tuple(np.argwhere(~same)[0])
        raise RuntimeError(f"{name} ({mode}): result {index} at {where}: "
                           f"want {want[where]}, got {got[where]}")
    finite = np.isfinite(want)
    if not ((np.isnan(want) == np.isnan(got)).all() and
            (want[~finite & ~np.isnan(want)] == got[~finite & ~np.isnan(want)]).all()):
        raise RuntimeError(f"{name} ({mode}): result {index} differs in infinities or NaN")
    if not finite.any():
        return
    scale = max(1.0, np.abs(want[finite]).max())
    error = np.abs(want[finite] - got[finite]).max() / scale
    if error > TOLERANCE[element]:
        raise RuntimeError(f"{name} ({mode}): result {index} is off by {error:.3g} of its scale")


def check(runner, path):
    with open(path) as file:
        text = file.read()
    name = os.path.splitext(os.path.basename(path))[0]
    options = {}
    for line in re.findall(r"// ORACLE: (.*)", text):
        for word in line.split():
            key, _, value = word.partition("=")
            options[key] = value
    arguments, results = signature(text)
    normalized = runner.normalize(text)
    after_arguments, after_results = signature(normalized)
    before = runner.compile(runner.prepare(text), name + "_before")
    after = runner.compile(normalized, name + "_after")
    modes = ["whole", "normal"] + (["specials"] if "specials" in options else [])
    for seed, mode in enumerate(modes):
        rng = np.random.default_rng(seed)
        inputs = [make_input(rng, shape, element, mode, options) for shape, element in arguments]
        want = run(before, inputs, results)
        got = run(after, inputs, after_results)
        exact = mode != "normal" and "close" not in options
        for i, ((_, element), (_, after_element)) in enumerate(zip(results, after_results)):
            compare(name, mode, i, decode(want[i], element), decode(got[i], after_element),
                    element, exact)
    return normalized.count("linalg.generic")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--llvm", default="/usr/lib/llvm-22/bin", help="upstream's programs")
    parser.add_argument("--opt", default="sequin-opt", help="what normalizes")
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options.llvm, options.opt, folder)
        def attempt(path):
            try:
                return check(runner, path)
            except (RuntimeError, OSError) as error:
                return error

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for path, outcome in zip(options.programs, pool.map(attempt, options.programs)):
                if isinstance(outcome, Exception):
                    failures += 1
                    print(f"FAILED {os.path.basename(path)}: {outcome}")
                elif options.v:
                    print(f"{os.path.basename(path)}: {outcome} operations")
    print(f"{len(options.programs) - failures} of {len(options.programs)} programs agree")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
