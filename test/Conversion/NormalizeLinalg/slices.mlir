// RUN: sequin-opt %s --normalize-linalg --split-input-file | FileCheck %s

// A row at a computed place is scattered, by the list of its position; a scatter checks
// positions itself.

// CHECK-LABEL: func.func @row
// CHECK-SAME: %[[CACHE:.*]]: tensor<16x8xf32>, %[[ROW:.*]]: tensor<8xf32>, %[[AT:.*]]: tensor<i32>
// CHECK-DAG: %[[LIST:.*]] = tensor.expand_shape %[[AT]] [] output_shape [1, 1]
// CHECK-DAG: %[[ROWS:.*]] = tensor.expand_shape %[[ROW]] {{\[\[}}0, 1]]
// CHECK: tensor.scatter %[[ROWS]] into %[[CACHE]][%[[LIST]]] scatter_dims([0]) unique
// CHECK-NOT: linalg.generic
func.func @row(%cache: tensor<16x8xf32>, %row: tensor<8xf32>, %at: tensor<i32>) -> tensor<16x8xf32> {
  %n = tensor.extract %at[] : tensor<i32>
  %0 = arith.index_cast %n : i32 to index
  %r = tensor.insert_slice %row into %cache[%0, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

// -----

// A place that is clamped is computed.

// CHECK-LABEL: func.func @clamped_row
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: tensor.scatter
func.func @clamped_row(%cache: tensor<16x8xf32>, %row: tensor<1x8xf32>, %at: tensor<i32>) -> tensor<16x8xf32> {
  %c0 = arith.constant 0 : index
  %c15 = arith.constant 15 : index
  %n = tensor.extract %at[] : tensor<i32>
  %0 = arith.index_cast %n : i32 to index
  %1 = arith.maxsi %0, %c0 : index
  %2 = arith.minsi %1, %c15 : index
  %r = tensor.insert_slice %row into %cache[%2, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

// -----

// Of several rows in the middle, the first dimension of the source is that of the rows.

// CHECK-LABEL: func.func @rows
// CHECK: %[[ROWS:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<2x3x8xi8>) outs(%{{.*}} : tensor<3x2x8xi8>)
// CHECK: tensor.scatter %[[ROWS]] into %{{.*}} scatter_dims([1]) unique : (tensor<3x2x8xi8>, tensor<2x16x8xi8>, tensor<3x1xi32>)
func.func @rows(%cache: tensor<2x16x8xi1>, %row: tensor<2x3x8xi1>, %at: tensor<i64>) -> tensor<2x16x8xi1> {
  %n = tensor.extract %at[] : tensor<i64>
  %0 = arith.index_cast %n : i64 to index
  %r = tensor.insert_slice %row into %cache[0, %0, 0] [2, 3, 8] [1, 1, 1] : tensor<2x3x8xi1> into tensor<2x16x8xi1>
  return %r : tensor<2x16x8xi1>
}

// -----

// A part of a row is chosen by its position. That the place is one is known from its
// clamps here.

// CHECK-LABEL: func.func @part
// CHECK-NOT: tensor.scatter
// CHECK-NOT: tensor.gather
func.func @part(%cache: tensor<16x8xf32>, %row: tensor<1x1xf32>, %at: tensor<i32>) -> tensor<16x8xf32> {
  %c0 = arith.constant 0 : index
  %c15 = arith.constant 15 : index
  %n = tensor.extract %at[] : tensor<i32>
  %0 = arith.index_cast %n : i32 to index
  %1 = arith.maxsi %0, %c0 : index
  %2 = arith.minsi %1, %c15 : index
  %r = tensor.insert_slice %row into %cache[%2, 3] [1, 1] [1, 1] : tensor<1x1xf32> into tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

// -----

// A place that is not known to lie in the tensor is looked up, which ends the run
// where it does not.

// CHECK-LABEL: func.func @unchecked_part
// CHECK-NOT: tensor.insert_slice
// CHECK: tensor.gather
func.func @unchecked_part(%cache: tensor<16x8xf32>, %row: tensor<1x1xf32>, %at: tensor<i32>) -> tensor<16x8xf32> {
  %n = tensor.extract %at[] : tensor<i32>
  %0 = arith.index_cast %n : i32 to index
  %r = tensor.insert_slice %row into %cache[%0, 3] [1, 1] [1, 1] : tensor<1x1xf32> into tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

// -----

// Half bytes, the only row, and very many short rows are no scatter.

// CHECK-LABEL: func.func @half_bytes
// CHECK-NOT: tensor.scatter
func.func @half_bytes(%cache: tensor<16x8xi4>, %row: tensor<1x8xi4>, %at: tensor<i32>) -> tensor<16x8xi4> {
  %n = tensor.extract %at[] : tensor<i32>
  %0 = arith.index_cast %n : i32 to index
  %r = tensor.insert_slice %row into %cache[%0, 0] [1, 8] [1, 1] : tensor<1x8xi4> into tensor<16x8xi4>
  return %r : tensor<16x8xi4>
}

// CHECK-LABEL: func.func @only_row
// CHECK-NOT: tensor.scatter
func.func @only_row(%cache: tensor<1x8xf32>, %row: tensor<1x8xf32>, %at: tensor<i32>) -> tensor<1x8xf32> {
  %n = tensor.extract %at[] : tensor<i32>
  %0 = arith.index_cast %n : i32 to index
  %r = tensor.insert_slice %row into %cache[%0, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<1x8xf32>
  return %r : tensor<1x8xf32>
}

// CHECK-LABEL: func.func @most_rows
// CHECK: tensor.scatter
func.func @most_rows(%cache: tensor<1024x8xf32>, %row: tensor<64x8xf32>, %at: tensor<i32>) -> tensor<1024x8xf32> {
  %n = tensor.extract %at[] : tensor<i32>
  %0 = arith.index_cast %n : i32 to index
  %r = tensor.insert_slice %row into %cache[%0, 0] [64, 8] [1, 1] : tensor<64x8xf32> into tensor<1024x8xf32>
  return %r : tensor<1024x8xf32>
}

// CHECK-LABEL: func.func @too_many_rows
// CHECK-NOT: tensor.scatter
func.func @too_many_rows(%cache: tensor<1024x8xf32>, %row: tensor<65x8xf32>, %at: tensor<i32>) -> tensor<1024x8xf32> {
  %n = tensor.extract %at[] : tensor<i32>
  %0 = arith.index_cast %n : i32 to index
  %r = tensor.insert_slice %row into %cache[%0, 0] [65, 8] [1, 1] : tensor<65x8xf32> into tensor<1024x8xf32>
  return %r : tensor<1024x8xf32>
}

// CHECK-LABEL: func.func @many_long_rows
// CHECK: tensor.scatter
func.func @many_long_rows(%cache: tensor<1024x16xf32>, %row: tensor<65x16xf32>, %at: tensor<i32>) -> tensor<1024x16xf32> {
  %n = tensor.extract %at[] : tensor<i32>
  %0 = arith.index_cast %n : i32 to index
  %r = tensor.insert_slice %row into %cache[%0, 0] [65, 16] [1, 1] : tensor<65x16xf32> into tensor<1024x16xf32>
  return %r : tensor<1024x16xf32>
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
func.func @cut_number(%cache: tensor<256x8xf32>, %row: tensor<1x4xf32>, %at: tensor<i32>) -> tensor<256x8xf32> {
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
  %5 = tensor.insert_slice %row into %cache[%4, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<256x8xf32>
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
