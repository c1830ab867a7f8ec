// RUN: sequin-opt %s --tensorize-scalars | FileCheck %s

// Numbers that the host passes are tensors of rank 0; what the module calls stays.

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[A:[^:]*]]: tensor<8xf32>, %[[I:[^:]*]]: tensor<i32>, %[[S:[^:]*]]: tensor<f32>) -> tensor<8xf32>
// CHECK: %[[P:.*]] = tensor.extract %[[I]][] : tensor<i32>
// CHECK: %[[Q:.*]] = arith.index_cast %[[P]] : i32 to index
// CHECK: %[[T:.*]] = tensor.extract %[[S]][] : tensor<f32>
// CHECK: call @one(%[[A]], %[[Q]], %[[T]]) : (tensor<8xf32>, index, f32) -> tensor<8xf32>
func.func @main(%a: tensor<8xf32>, %i: index, %s: f32) -> tensor<8xf32> {
  %0 = call @one(%a, %i, %s) : (tensor<8xf32>, index, f32) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @one(
// CHECK-SAME: tensor<8xf32>, %{{.*}}: index, %{{.*}}: f32) -> tensor<8xf32>
func.func @one(%a: tensor<8xf32>, %i: index, %s: f32) -> tensor<8xf32> {
  %0 = tensor.insert %s into %a[%i] : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// No tensor: it stays as it is, and is refused later.
// CHECK-LABEL: func.func @number(%{{.*}}: f32) -> f32
func.func @number(%s: f32) -> f32 {
  return %s : f32
}
