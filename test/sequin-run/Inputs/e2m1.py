# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A product that takes one weight of each of eight rows, and its arrays; or prints
the result in FOLDER/o.npy, which must be the weights."""

import sys
from pathlib import Path

import numpy as np

folder = Path(sys.argv[1])
numbers = np.float32([0.25, 0.75, -1.25, 1.75, 3.5, -5.0, 5.1, 1e30])

if len(sys.argv) > 2:
    print(*np.load(folder / "o.npy")[0].tolist())
    sys.exit()

(folder / "program.mlir").write_text("""
func.func @main(%x: tensor<1x64xbf16>, %w: tensor<8x64xf4E2M1FN>) -> tensor<1x8xf32> {
  %z = arith.constant dense<0.0> : tensor<1x8xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
      affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%x, %w : tensor<1x64xbf16>, tensor<8x64xf4E2M1FN>)
      outs(%z : tensor<1x8xf32>) -> tensor<1x8xf32>
  return %r : tensor<1x8xf32>
}
""", encoding="utf-8")
x = np.zeros((1, 64), np.float32)
x[0, 5] = 1
codes = np.zeros((8, 64), np.uint8)
codes[:, 5] = np.arange(8)
sixteen = codes.copy()
sixteen[1, 3] = 16
given = np.zeros((8, 64), np.float32)
given[:, 5] = numbers
nan = given.copy()
nan[1, 3] = np.nan
for name, array in (("x", x), ("codes", codes), ("sixteen", sixteen), ("numbers", given),
                    ("nan", nan)):
    np.save(folder / f"{name}.npy", array)
