# ===- upstream.py - A linalg program through upstream's lowering to LLVM -=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Runs linalg on tensors on the host, through MLIR's own passes.

mlir-opt lowers to the LLVM dialect (loops, no fusion of operations, no fast
math), clang compiles to a shared object, and the entry function is called on
NumPy arrays. Nothing of Sequin takes part. The call happens in a process of its
own, so that a program that crashes ends that process alone.
"""

import argparse
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from elements import Array, Signature, load, parse_signature, storage_type, store

#: Where Debian puts the tools; PATH may hold programs of an older LLVM.
TOOLS = "/usr/lib/llvm-22/bin"

#: linalg.softmax, tensor.concat and packing have no loop form of their own.
DECOMPOSE = """
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %softmax = transform.structured.match ops{["linalg.softmax"]} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %softmax : !transform.any_op {
    ^bb0(%one: !transform.any_op):
      %parts = transform.structured.decompose_interface %one
          : (!transform.any_op) -> !transform.any_op
    }
    %pack = transform.structured.match ops{["linalg.pack"]} in %root
        : (!transform.any_op) -> !transform.op<"linalg.pack">
    transform.foreach %pack : !transform.op<"linalg.pack"> {
    ^bb0(%one: !transform.op<"linalg.pack">):
      transform.structured.lower_pack %one : (!transform.op<"linalg.pack">)
          -> (!transform.op<"tensor.pad">, !transform.op<"tensor.expand_shape">,
              !transform.op<"linalg.transpose">)
    }
    %unpack = transform.structured.match ops{["linalg.unpack"]} in %root
        : (!transform.any_op) -> !transform.op<"linalg.unpack">
    transform.foreach %unpack : !transform.op<"linalg.unpack"> {
    ^bb0(%one: !transform.op<"linalg.unpack">):
      transform.structured.lower_unpack %one : (!transform.op<"linalg.unpack">)
          -> (!transform.op<"tensor.empty">, !transform.op<"linalg.transpose">,
              !transform.op<"tensor.collapse_shape">,
              !transform.op<"tensor.extract_slice">)
    }
    %functions = transform.structured.match ops{["func.func"]} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %functions {
      transform.apply_patterns.tensor.decompose_concat
    } : !transform.any_op
    transform.yield
  }
}
"""

BUFFERIZE = [
    "func.func(linalg-generalize-named-ops)",
    "one-shot-bufferize{bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map}",
    "buffer-results-to-out-params{modify-public-functions}",
    "func.func(llvm-request-c-wrappers)",
    "func.func(convert-linalg-to-loops)",
    "expand-strided-metadata",
    "lower-affine",
    "func.func(math-extend-to-supported-types{target-type=f32})",
    "arith-emulate-unsupported-floats{source-types=bf16,f16 target-type=f32}",
]
TO_LLVM = [
    "arith-expand{include-bf16}",
    # Not in every libm.
    "func.func(math-expand-ops{ops=rsqrt})",
    "convert-math-to-libm",
    "convert-scf-to-cf",
    "convert-to-llvm",
    "reconcile-unrealized-casts",
]
#: For 8-bit floating types, which LLVM does not have.
APFLOAT = ["convert-arith-to-apfloat"]


class UpstreamError(Exception):
    """Upstream does not accept the program, or the compiled program failed."""


def tool(name: str) -> str:
    found = shutil.which(name, path=TOOLS) or shutil.which(name)
    if not found:
        raise UpstreamError(f"{name} is neither in {TOOLS} nor in PATH")
    return found


def command(arguments: list[str], seconds: int) -> str:
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=seconds,
                              errors="replace")
    except subprocess.TimeoutExpired:
        raise UpstreamError(f"{Path(arguments[0]).name} ran for more than {seconds} s") from None
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        first = next((line for line in lines if "error:" in line), lines[-1])
        raise UpstreamError(f"{Path(arguments[0]).name}: {first}")
    return done.stdout


def lower(program: str, folder: Path) -> Path:
    """Compiles the text of a program to a shared object in `folder`."""
    source, library = folder / "program.mlir", folder / "program.so"
    source.write_text(program)
    (folder / "decompose.mlir").write_text(DECOMPOSE)
    passes = [f"transform-preload-library{{transform-library-paths={folder}/decompose.mlir}}",
              "transform-interpreter", *BUFFERIZE,
              *(APFLOAT if "f8E" in program else []), *TO_LLVM]
    command([tool("mlir-opt"), str(source), f"--pass-pipeline=builtin.module({','.join(passes)})",
             "-o", str(folder / "llvm.mlir")], 120)
    command([tool("mlir-translate"), "--mlir-to-llvmir", str(folder / "llvm.mlir"),
             "-o", str(folder / "program.ll")], 60)
    libraries = Path(tool("mlir-opt")).resolve().parents[1] / "lib"
    command([tool("clang"), "-O1", "-w", "-shared", "-fPIC", "-ffp-contract=off",
             str(folder / "program.ll"), "-o", str(library), "-lm", f"-L{libraries}",
             f"-Wl,-rpath,{libraries}", "-lmlir_c_runner_utils", "-lmlir_apfloat_wrappers"], 120)
    return library


def descriptor(array: Array) -> ctypes.Structure:
    """A memref descriptor of a contiguous array."""
    rank = array.ndim
    fields = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p),
              ("offset", ctypes.c_int64)]
    if rank:
        fields += [("sizes", ctypes.c_int64 * rank), ("strides", ctypes.c_int64 * rank)]
    kind = type(f"Descriptor{rank}", (ctypes.Structure,), {"_fields_": fields})
    value = kind(array.ctypes.data, array.ctypes.data, 0)
    for dimension in range(rank):
        value.sizes[dimension] = array.shape[dimension]
        value.strides[dimension] = array.strides[dimension] // array.itemsize
    return value


def call(library: Path, signature: Signature, folder: Path) -> None:
    """Calls the entry on in0.npy ..., writes out0.npy ... (bits in memory)."""
    function = getattr(ctypes.CDLL(str(library)), f"_mlir_ciface_{signature.entry}")
    arrays = [np.load(folder / f"in{i}.npy") for i in range(len(signature.arguments))]
    results = [np.zeros(t.shape, storage_type(t.element)) for t in signature.results]
    descriptors = [descriptor(array) for array in arrays + results]
    function(*(ctypes.byref(each) for each in descriptors))
    for index, result in enumerate(results):
        np.save(folder / f"out{index}.npy", result)


def run(program: str, inputs: list[Array]) -> list[Array]:
    """Results of the program's entry on arrays in the carrier types."""
    signature = parse_signature(program)
    if len(inputs) != len(signature.arguments):
        raise UpstreamError(f"{len(inputs)} inputs for {len(signature.arguments)} arguments")
    with tempfile.TemporaryDirectory(prefix="sequin-upstream-") as name:
        folder = Path(name)
        for index, (array, kind) in enumerate(zip(inputs, signature.arguments)):
            if array.shape != kind.shape:
                raise UpstreamError(f"input {index} has shape {array.shape}, not {kind}")
            np.save(folder / f"in{index}.npy", store(array, kind.element))
        lower(program, folder)
        command([sys.executable, __file__, "--call", str(folder)], 120)
        return [load(np.load(folder / f"out{i}.npy"), t.element)
                for i, t in enumerate(signature.results)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--call", type=Path, metavar="FOLDER", required=True,
                        help="call the compiled program of this folder")
    folder: Path = parser.parse_args().call
    call(folder / "program.so", parse_signature((folder / "program.mlir").read_text()), folder)
    # A compiled program may have damaged the heap; the results are written.
    os._exit(0)


if __name__ == "__main__":
    main()
