# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes texts that MLIR's parser must not be given."""
import sys
from pathlib import Path

FOLDER = Path(sys.argv[1])
REDUCE = """func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>) -> tensor<f32> {{
  %0 = linalg.reduce {{ arith.addf }} ins(%a : tensor<4x8xf32>) outs(%z : tensor<f32>)
      dimensions = {0}
  return %0 : tensor<f32>
}}
"""
names = [f"!a{i} = tuple<!a{i - 1}>" if i else "!a0 = tuple<i1>" for i in range(300)]
doubled = [f"!a{i} = tuple<!a{i - 1}, !a{i - 1}>" if i else "!a0 = tuple<i1>" for i in range(60)]
texts = {
    "modules": "module {\n" * 5000 + "}\n" * 5000,
    "types": "func.func private @f(" + "tuple<" * 20000 + "i1" + ">" * 20000 + ")\n",
    "chain": "\n".join(names) + "\nfunc.func private @f(!a299)\n",
    "doubled": "\n".join(doubled) + "\nfunc.func private @f(!a59)\n",
    "affine": "#m = affine_map<(i) -> (" + "i floordiv 2 + " * 20000 + "i)>\n",
    "array": "module attributes {a = array<index: 1, 2>} {}\n",
    "comma": REDUCE.format("[0,, 1]"),
    "large": REDUCE.format("[0, 18446744073709551615]"),
    "open": REDUCE.format("0, 1"),
    "small": "func.func @f() {\n  return\n}\n",
    "good": """#map = affine_map<(d0, d1) -> (d1 * 2 + d0, -d1 - 1)>
#set = affine_set<(d0) : (d0 - 1 >= 0)>
!t = tensor<3x4xf32>
module attributes {t.a = array<i64: 1, 2>, t.b = #map, t.c = "array<index: <<<", t.d = #set} {
  // array<index: [[[
  func.func @f(%a: !t, %b: tensor<4x3xf32>) -> tensor<4x3xf32> {
    %0 = linalg.transpose ins(%a : !t) outs(%b : tensor<4x3xf32>) permutation = [1, 0]
    return %0 : tensor<4x3xf32>
  }
  func.func @g(%a: i32 {t.dimensions = [[0]]}, %permutation: index) -> i1 {
    %0 = arith.cmpi sgt, %a, %a : i32
    return %0 : i1
  }
}
""",
}
for name, text in texts.items():
    (FOLDER / f"{name}.mlir").write_text(text)
