// RUN: sequin-opt %s --linalg-to-csl='target=wse3 grid=300,300' | FileCheck %s

// 90,000 PEs of three elements: the last one with data is number 87,366, beyond
// what 16 bits can number.

// CHECK-LABEL: csl.program
// CHECK: %[[Y:.*]] = csl.get_param @y : i16
// CHECK: %[[WIDEY:.*]] = arith.extui %[[Y]] : i16 to i32
// CHECK: arith.muli %[[WIDEY]], %{{.*}} : i32
// CHECK: %[[X:.*]] = csl.get_param @x : i16
// CHECK: %[[WIDEX:.*]] = arith.extui %[[X]] : i16 to i32
// CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %[[WIDEX]] : i32
// CHECK: arith.cmpi eq, %[[AT]], %{{.*}} : i32
func.func @sum(%a: tensor<262100xf32>) -> tensor<f32> {
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
                       iterator_types = ["reduction"]}
    ins(%a : tensor<262100xf32>) outs(%f : tensor<f32>) {
  ^bb0(%x: f32, %y: f32):
    %t = arith.addf %x, %one : f32
    %s = arith.addf %t, %y : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}
