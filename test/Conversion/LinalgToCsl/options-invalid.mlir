// RUN: not sequin-opt %s --linalg-to-csl="grid=0,2 target=wse3" 2>&1 | FileCheck %s --check-prefix=GRID
// RUN: not sequin-opt %s --linalg-to-csl="grid=2,2 target=wse4" 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not sequin-opt %s --linalg-to-csl="grid=2,2" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not sequin-opt %s --linalg-to-csl="grid=2,2 target=wse3 distribution=q" 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: not sequin-opt %s --linalg-to-csl="grid=2,2 target=wse3 distribution=x" 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not sequin-opt %s --linalg-to-csl="grid=2,2 target=wse3 distribution=x,x" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not sequin-opt %s --linalg-to-csl="grid=2,2 target=wse3 distribution=x,y;x" 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not sequin-opt %s --linalg-to-csl="grid=2,2 target=wse3 entry=other" 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not sequin-opt %s --linalg-to-csl="grid=2,2 target=wse3 first-color=20" 2>&1 | FileCheck %s --check-prefix=COLORS

// GRID: error: grid of 0 x 2 PEs, allowed are 1 x 1 to 762 x 1172
// TARGET: unknown machine "wse4", known are wse2, wse3
// NONE: no machine: the module needs 'csl.target
// AXIS: distribution=q: expected axes x, y, xy or - of each dimension
// RANK: distribution=x has 1 axes for argument 0 of 2 dimensions
// TWICE: no layout agrees with distribution=x,x
// COUNT: distribution=x,y;x is for 2 arguments, the function has 1
// ENTRY: no function 'other' on tensors
// COLORS: needs more colors than the 24 of wse3 from 20 on
func.func @main(%a: tensor<8x8xf32>) -> tensor<f32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.reduce ins(%a : tensor<8x8xf32>) outs(%f : tensor<f32>) dimensions = [0, 1]
    (%in: f32, %out: f32) {
      %s = arith.addf %in, %out : f32
      linalg.yield %s : f32
    }
  return %r : tensor<f32>
}
