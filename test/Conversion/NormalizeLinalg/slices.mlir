// RUN: sequin-opt %s --normalize-linalg --split-input-file | FileCheck %s

// A row at a computed place is chosen by its position alone. That the place is one
// is known from its clamps here.

// CHECK-LABEL: func.func @row
// CHECK-NOT: tensor.insert_slice
// CHECK-NOT: tensor.gather
func.func @row(%cache: tensor<16x8xf32>, %row: tensor<1x8xf32>, %at: tensor<i32>) -> tensor<16x8xf32> {
  %c0 = arith.constant 0 : index
  %c15 = arith.constant 15 : index
  %n = tensor.extract %at[] : tensor<i32>
  %0 = arith.index_cast %n : i32 to index
  %1 = arith.maxsi %0, %c0 : index
  %2 = arith.minsi %1, %c15 : index
  %3 = tensor.insert_slice %row into %cache[%2, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<16x8xf32>
  return %3 : tensor<16x8xf32>
}

// -----

// A place that is not known to lie in the tensor is looked up, which ends the run
// where it does not.

// CHECK-LABEL: func.func @unchecked_row
// CHECK-NOT: tensor.insert_slice
// CHECK: tensor.gather
func.func @unchecked_row(%cache: tensor<16x8xf32>, %row: tensor<8xf32>, %at: tensor<i32>) -> tensor<16x8xf32> {
  %n = tensor.extract %at[] : tensor<i32>
  %0 = arith.index_cast %n : i32 to index
  %1 = tensor.insert_slice %row into %cache[%0, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}

// -----

// CHECK-LABEL: func.func @cut
// CHECK-NOT: tensor.extract_slice
// CHECK: tensor.gather
func.func @cut(%x: tensor<16x8xf32>, %at: tensor<i32>) -> tensor<4x8xf32> {
  %n = tensor.extract %at[] : tensor<i32>
  %0 = arith.index_cast %n : i32 to index
  %1 = tensor.extract_slice %x[%0, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// A number that a cast cuts is not known to lie in the tensor, whatever it was before.

// CHECK-LABEL: func.func @cut_number
// CHECK: tensor.gather
func.func @cut_number(%cache: tensor<256x8xf32>, %row: tensor<1x8xf32>, %at: tensor<i32>) -> tensor<256x8xf32> {
  %c0 = arith.constant 0 : index
  %c255 = arith.constant 255 : index
  %n = tensor.extract %at[] : tensor<i32>
  %0 = arith.index_cast %n : i32 to index
  %1 = arith.maxsi %0, %c0 : index
  %2 = arith.minsi %1, %c255 : index
  %3 = arith.index_cast %2 : index to i8
  %zero = arith.constant 0 : i8
  %positive = arith.maxsi %3, %zero : i8
  %4 = arith.index_cast %positive : i8 to index
  %5 = tensor.insert_slice %row into %cache[%4, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<256x8xf32>
  return %5 : tensor<256x8xf32>
}

// -----

// A tensor that is padded and then inserted by steps, where upstream's folding forgets these:
// the padding is steps wide too.

// CHECK-LABEL: func.func @strided_pad
// CHECK-SAME: %[[A:.*]]: tensor<4x5xi16>
// CHECK: %[[PADDED:.*]] = tensor.insert_slice %[[A]] into %{{.*}}[2, 1] [4, 5] [1, 1] : tensor<4x5xi16> into tensor<6x8xi16>
// CHECK: tensor.insert_slice %[[PADDED]] into %{{.*}}[0, 0] [6, 8] [1, 2] : tensor<6x8xi16> into tensor<6x16xi16>
func.func @strided_pad(%a: tensor<4x5xi16>) -> tensor<6x16xi16> {
  %one = arith.constant 1 : i16
  %0 = tensor.pad %a low[2, 1] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : i16
  } : tensor<4x5xi16> to tensor<6x8xi16>
  %1 = tensor.empty() : tensor<6x16xi16>
  %2 = linalg.fill ins(%one : i16) outs(%1 : tensor<6x16xi16>) -> tensor<6x16xi16>
  %3 = tensor.insert_slice %0 into %2[0, 0] [6, 8] [1, 2] : tensor<6x8xi16> into tensor<6x16xi16>
  return %3 : tensor<6x16xi16>
}
