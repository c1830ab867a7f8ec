# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GEMM on the appliance; --compile-only leaves hash.json, --run-only uses it.

  python run.appliance.py --arch=wse2 -m 8 -k 12 -n 6 --compile-only
  python run.appliance.py --arch=wse2 -m 8 -k 12 -n 6 --run-only --simulator
"""
import argparse
import json

import numpy as np

from cerebras.appliance.pb.sdk.sdk_common_pb2 import MemcpyDataType, MemcpyOrder  # pylint: disable=import-error,no-name-in-module
from cerebras.sdk.client import SdkCompiler, SdkRuntime  # pylint: disable=import-error,no-name-in-module

hash_filename = "hash.json"


def parse_args():
  p = argparse.ArgumentParser()
  p.add_argument("-m", type=int, default=8)
  p.add_argument("-k", type=int, default=12)
  p.add_argument("-n", type=int, default=6)
  p.add_argument("--slabs", type=int, default=3)
  p.add_argument("--arch", default="wse2")
  p.add_argument("--width", type=int, default=2)
  p.add_argument("--height", type=int, default=2)
  p.add_argument("--compile-only", action="store_true")
  p.add_argument("--run-only", action="store_true")
  p.add_argument("--simulator", action="store_true", default=False)
  p.add_argument("--latestlink", default="latest")
  return p.parse_args()


def main():
  args = parse_args()
  W, H = args.width, args.height
  Mt, Kt, Nt = args.m // H, args.k // args.slabs, args.n // W

  if args.compile_only:
    opts = []
    opts.append(f"--fabric-dims={W + 7},{H + 2}")
    opts.append("--fabric-offsets=4,1")
    opts.append(f"--params=width:{W},height:{H}")
    opts.append(f"--params=Mt:{Mt},Kt:{Kt},Nt:{Nt}")
    opts.append(f"-o={args.latestlink}")
    opts.append(f"--arch={args.arch}")
    opts.append("--memcpy")
    opts.append("--channels=1")
    with SdkCompiler() as compiler:
      hashstr = compiler.compile("./src", "layout.csl", " ".join(opts))
    with open(hash_filename, "w", encoding="utf-8") as f:
      json.dump(hashstr, f)
    print("COMPILE ONLY: EXIT", hashstr)
    return

  with open(hash_filename, "r", encoding="utf-8") as f:
    hashstr = json.load(f)

  rng = np.random.default_rng(4)
  A = (rng.integers(-16, 16, (args.m, args.k)) / 4).astype(np.float16)
  B = (rng.integers(-16, 16, (args.k, args.n)) / 4).astype(np.float16)

  def as_u32(a):
    return np.ascontiguousarray(a).view(np.uint16).astype(np.uint32).ravel()

  with SdkRuntime(hashstr, simulator=args.simulator) as runner:
    sym_A = runner.get_id("A")
    sym_B = runner.get_id("B")
    sym_C = runner.get_id("C")
    runner.launch("f_zero", nonblock=True)
    for s in range(args.slabs):
      ks = slice(s * Kt, (s + 1) * Kt)
      # A[h][l]: rows of A block j for all columns of PEs, stored column major
      a = np.stack([A[j * Mt:(j + 1) * Mt, ks].T.ravel() for j in range(H)])
      runner.memcpy_h2d_rowbcast(sym_A, as_u32(a), 0, 0, W, H, Mt * Kt, streaming=False,
                                 data_type=MemcpyDataType.MEMCPY_16BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=True)
      b = np.stack([B[ks, i * Nt:(i + 1) * Nt].ravel() for i in range(W)])
      runner.memcpy_h2d_colbcast(sym_B, as_u32(b), 0, 0, W, H, Kt * Nt, streaming=False,
                                 data_type=MemcpyDataType.MEMCPY_16BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=True)
      runner.launch("f_gemm", nonblock=True)
    runner.launch("f_scale", np.float32(0.5), nonblock=False)
    c1d = np.zeros(W * H * Mt * Nt, np.float32)
    runner.memcpy_d2h(c1d, sym_C, 0, 0, W, H, Mt * Nt, streaming=False,
                      data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False)

  C = c1d.reshape(H, W, Nt, Mt).transpose(0, 3, 1, 2).reshape(args.m, args.n)
  np.testing.assert_array_equal(C, 0.5 * (A.astype(np.float64) @ B.astype(np.float64)))
  print("SUCCESS!")


if __name__ == "__main__":
  main()
