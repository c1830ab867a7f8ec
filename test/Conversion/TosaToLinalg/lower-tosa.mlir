// RUN: sequin-opt %s --lower-tosa | FileCheck %s

// The position of the greatest element, in the form that normalize-linalg takes.
// CHECK-LABEL: @greatest
// CHECK-DAG: arith.constant 0xFF800000 : f32
// CHECK: %[[R:.*]]:2 = linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "reduction"]
// CHECK: arith.cmpf ogt
// CHECK: arith.maximumf
// CHECK: arith.select
// CHECK: return %[[R]]#1
func.func @greatest(%x: tensor<4x8xf32>) -> tensor<4xi32> {
  %r = tosa.argmax %x {axis = 1 : i32} : (tensor<4x8xf32>) -> tensor<4xi32>
  return %r : tensor<4xi32>
}

// Padding as attributes.
// CHECK-LABEL: @padded
// CHECK: tensor.pad %{{.*}} low[1, 1] high[0, 1]
func.func @padded(%x: tensor<4x8xf32>) -> tensor<5x10xf32> {
  %s = tosa.const_shape {values = dense<[1, 0, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %v = "tosa.const"() <{values = dense<2.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %r = tosa.pad %x, %s, %v : (tensor<4x8xf32>, !tosa.shape<4>, tensor<1xf32>) -> tensor<5x10xf32>
  return %r : tensor<5x10xf32>
}

// No word has 64 bits.
// CHECK-LABEL: @rescaled
// CHECK-NOT: i64
// CHECK-NOT: mulsi_extended
// CHECK: return
func.func @rescaled(%x: tensor<4x8xi32>) -> tensor<4x8xi8> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %w = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r = tosa.rescale %x, %m, %s, %w, %z {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<4x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<4x8xi8>
  return %r : tensor<4x8xi8>
}
