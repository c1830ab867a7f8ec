// RUN: sequin-opt %s --normalize-linalg --split-input-file | FileCheck %s

// Both sides of a branch are computed. An element that a side reads at an index
// that is affine in the loops comes from a padded tensor, so that it is there in
// all iterations.

// CHECK-LABEL: func.func @joined
// CHECK-SAME: (%[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<6xf32>)
// CHECK-DAG: %[[PA:.*]] = tensor.pad %[[A]] low[0] high[6]
// CHECK-DAG: %[[PB:.*]] = tensor.pad %[[B]] low[4] high[0]
// CHECK-NOT: tensor.gather
// CHECK-NOT: scf.if
func.func @joined(%a: tensor<4xf32>, %b: tensor<6xf32>) -> tensor<10xf32> {
  %c4 = arith.constant 4 : index
  %0 = tensor.empty() : tensor<10xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%0 : tensor<10xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %c = arith.cmpi slt, %i, %c4 : index
    %r = scf.if %c -> (f32) {
      %x = tensor.extract %a[%i] : tensor<4xf32>
      scf.yield %x : f32
    } else {
      %j = arith.subi %i, %c4 : index
      %y = tensor.extract %b[%j] : tensor<6xf32>
      scf.yield %y : f32
    }
    linalg.yield %r : f32
  } -> tensor<10xf32>
  return %1 : tensor<10xf32>
}

// -----

// Another index is clamped.

// CHECK-LABEL: func.func @looked_up
// CHECK: tensor.gather
// CHECK-NOT: scf.if
func.func @looked_up(%table: tensor<8xf32>, %at: tensor<16xi32>) -> tensor<16xf32> {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<16xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%at : tensor<16xi32>) outs(%0 : tensor<16xf32>) {
  ^bb0(%n: i32, %out: f32):
    %c = arith.cmpi sge, %n, %c0 : i32
    %r = scf.if %c -> (f32) {
      %i = arith.index_cast %n : i32 to index
      %x = tensor.extract %table[%i] : tensor<8xf32>
      scf.yield %x : f32
    } else {
      scf.yield %zero : f32
    }
    linalg.yield %r : f32
  } -> tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// A tensor that one loop walks along several dimensions would be padded to many times
// what is read of it; its indices are clamped.

// CHECK-LABEL: func.func @diagonal
// CHECK-NOT: tensor<4096x4096
func.func @diagonal(%x: tensor<4x4xf32>) -> tensor<4096xf32> {
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<4096xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%0 : tensor<4096xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %c = arith.cmpi slt, %i, %c4 : index
    %r = scf.if %c -> (f32) {
      %e = tensor.extract %x[%i, %i] : tensor<4x4xf32>
      scf.yield %e : f32
    } else {
      scf.yield %zero : f32
    }
    linalg.yield %r : f32
  } -> tensor<4096xf32>
  return %1 : tensor<4096xf32>
}
