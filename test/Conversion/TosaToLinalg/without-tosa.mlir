// A program without TOSA stays as it is, dead operations included.
//
// RUN: sequin-opt %s --lower-tosa | FileCheck %s
// CHECK: arith.constant 1 : i32
// CHECK: tensor.empty() : tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %dead = arith.constant 1 : i32
  %empty = tensor.empty() : tensor<4xf32>
  return %x : tensor<4xf32>
}
