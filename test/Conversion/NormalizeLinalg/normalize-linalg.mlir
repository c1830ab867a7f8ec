// RUN: sequin-opt %s --normalize-linalg --split-input-file | FileCheck %s
// RUN: sequin-opt %s --normalize-linalg=allow-bf16 --split-input-file | FileCheck %s --check-prefix=BF16

// Six products of digits, the smallest first; the last one is of the leading digits.
// CHECK: module attributes {sequin.digit_products = 5 : i64}
// CHECK-LABEL: func.func @digits(
// CHECK-SAME: %[[A:.*]]: tensor<8x16xf32>, %[[B:.*]]: tensor<16x4xf32>, %[[C:.*]]: tensor<8x4xf32>
// CHECK: %[[A0:.*]] = linalg.generic {{.*}} ins(%[[A]] : tensor<8x16xf32>)
// CHECK: arith.truncf {{.*}} : f32 to bf16
// CHECK: %[[A1:.*]] = linalg.generic {{.*}} ins(%[[A]], %[[A0]] : tensor<8x16xf32>, tensor<8x16xbf16>)
// CHECK: arith.extf
// CHECK: arith.subf
// CHECK: arith.truncf
// CHECK: linalg.generic {{.*}} ins(%[[A]], %[[A0]], %[[A1]] :
// CHECK: sequin.digit_product = "2,0"
// CHECK: sequin.digit_product = "1,1"
// CHECK: sequin.digit_product = "0,2"
// CHECK: sequin.digit_product = "1,0"
// CHECK: %[[LOW:.*]] = linalg.generic {{.*}}sequin.digit_product = "0,1"
// The product of the first digits, to which nothing is added that is not finite.
// CHECK: linalg.generic {{.*}} ins(%[[LOW]], %[[C]] :
// CHECK: %[[ABOVE:.*]] = arith.maxnumf
// CHECK: %[[FINITE:.*]] = arith.minnumf %[[ABOVE]]
// CHECK: arith.addf %[[FINITE]]
// CHECK: sequin.digit_product = "0,0"
// BF16: module {
// BF16-LABEL: func.func @digits(
// BF16-COUNT-2: arith.truncf
// BF16: arith.addf
// BF16-NOT: digit_product
func.func @digits(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>, %c: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x4xf32>) outs(%c : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// A convolution is a copy of windows and a contraction.
// CHECK: #[[$WINDOW:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 * 2 + d3, d2 + d4 * 3, d5)>
// CHECK-LABEL: func.func @convolution(
// CHECK: linalg.generic {indexing_maps = [#[[$WINDOW]], {{.*}}ins(%{{.*}} : tensor<1x9x9x4xbf16>)
// CHECK-NEXT: ^bb0(%[[IN:.*]]: bf16, %{{.*}}: bf16):
// CHECK-NEXT: linalg.yield %[[IN]]
// CHECK: iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]
// CHECK: arith.extf
// CHECK-NEXT: arith.extf
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: arith.addf
func.func @convolution(%x: tensor<1x9x9x4xbf16>, %w: tensor<3x2x4x8xbf16>) -> tensor<1x4x6x8xf32> {
  %zero = arith.constant dense<0.0> : tensor<1x4x6x8xf32>
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<[1, 3]> : tensor<2xi64>}
    ins(%x, %w : tensor<1x9x9x4xbf16>, tensor<3x2x4x8xbf16>) outs(%zero : tensor<1x4x6x8xf32>) -> tensor<1x4x6x8xf32>
  return %0 : tensor<1x4x6x8xf32>
}

// -----

// Where two computed values meet, one becomes a tensor: over its own loops only.
// CHECK-LABEL: func.func @chains(
// CHECK: %[[SCALE:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<16xf32>)
// CHECK: arith.addf
// CHECK: math.sqrt
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}}, %[[SCALE]] : tensor<8x16xf32>, tensor<8x16xf32>, tensor<16xf32>)
// CHECK: arith.subf
// CHECK: arith.divf
func.func @chains(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>, %v: tensor<16xf32>) -> tensor<8x16xf32> {
  %eps = arith.constant 1.0e-3 : f32
  %empty = tensor.empty() : tensor<8x16xf32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%x, %y, %v : tensor<8x16xf32>, tensor<8x16xf32>, tensor<16xf32>) outs(%empty : tensor<8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %d = arith.subf %a, %b : f32
    %e = arith.addf %c, %eps : f32
    %s = math.sqrt %e : f32
    %r = arith.divf %d, %s : f32
    linalg.yield %r : f32
  } -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// -----

// A comparison with a constant is the sign of a difference.
// CHECK-LABEL: func.func @mask(
// CHECK-SAME: -> tensor<32xi8>
// CHECK: arith.subf
// CHECK-NEXT: arith.minnumf
// CHECK-NEXT: arith.bitcast
// CHECK-NEXT: arith.shrsi
// CHECK-NEXT: arith.andi
// CHECK-NEXT: arith.trunci {{.*}} : i32 to i8
func.func @mask(%x: tensor<32xf32>) -> tensor<32xi1> {
  %k = arith.constant dense<2.0> : tensor<32xf32>
  %0 = arith.cmpf olt, %x, %k : tensor<32xf32>
  return %0 : tensor<32xi1>
}

// -----

// The chain of products with the smallest nests: (a b) c would need 64 x 64 x 64 more.
// CHECK-LABEL: func.func @order(
// CHECK: iterator_types = ["parallel", "reduction"]} ins(%arg1, %arg2 : tensor<64x64xi8>, tensor<64xi8>)
func.func @order(%a: tensor<64x64xi8>, %b: tensor<64x64xi8>, %c: tensor<64xi8>) -> tensor<64xi32> {
  %zero = arith.constant dense<0> : tensor<64xi32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i)>],
    iterator_types = ["parallel", "reduction", "reduction"]}
    ins(%a, %b, %c : tensor<64x64xi8>, tensor<64x64xi8>, tensor<64xi8>) outs(%zero : tensor<64xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i8, %out: i32):
    %0 = arith.extsi %x : i8 to i32
    %1 = arith.extsi %y : i8 to i32
    %2 = arith.extsi %z : i8 to i32
    %3 = arith.muli %0, %1 : i32
    %4 = arith.muli %3, %2 : i32
    %5 = arith.addi %out, %4 : i32
    linalg.yield %5 : i32
  } -> tensor<64xi32>
  return %0 : tensor<64xi32>
}

// -----

// Elements that an index names are rows of a table.
// CHECK-LABEL: func.func @embedding(
// CHECK: tensor.gather %{{.*}}[%{{.*}}] gather_dims([0]) : (tensor<10x6xf32>, tensor<10x1xi32>) -> tensor<10x6xf32>
func.func @embedding(%table: tensor<10x6xf32>, %ids: tensor<2x5xi32>) -> tensor<2x5x6xf32> {
  %empty = tensor.empty() : tensor<2x5x6xf32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
    iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%ids : tensor<2x5xi32>) outs(%empty : tensor<2x5x6xf32>) {
  ^bb0(%in: i32, %out: f32):
    %i = arith.index_cast %in : i32 to index
    %j = linalg.index 2 : index
    %v = tensor.extract %table[%i, %j] : tensor<10x6xf32>
    linalg.yield %v : f32
  } -> tensor<2x5x6xf32>
  return %0 : tensor<2x5x6xf32>
}

// -----

// Strides leave rows and columns that no window reads; what the windows of one row
// read is a slice.
// CHECK-LABEL: func.func @windows_of_a_part(
// CHECK-SAME: %[[X:.*]]: tensor<13x3x4x2xbf16>
// CHECK: tensor.extract_slice %[[X]][0, 0, 0, 0] [13, 2, 4, 2] [1, 1, 1, 1]
// CHECK: linalg.generic
func.func @windows_of_a_part(%x: tensor<13x3x4x2xbf16>, %w: tensor<2x3x2x4xbf16>) -> tensor<13x1x2x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<13x1x2x4xf32>
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<[3, 1]> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%x, %w : tensor<13x3x4x2xbf16>, tensor<2x3x2x4xbf16>) outs(%zero : tensor<13x1x2x4xf32>) -> tensor<13x1x2x4xf32>
  return %0 : tensor<13x1x2x4xf32>
}

// -----

// An index that is a loop and a constant is a slice, too.
#shifted = affine_map<(i, j) -> (3, j + 2)>
#id = affine_map<(i, j) -> (i, j)>
// CHECK-LABEL: func.func @shifted(
// CHECK-SAME: %[[X:.*]]: tensor<5x9xf32>
// CHECK: %[[ROW:.*]] = tensor.extract_slice %[[X]][3, 2] [1, 6] [1, 1] : tensor<5x9xf32> to tensor<1x6xf32>
// CHECK: tensor.collapse_shape %[[ROW]]
// CHECK: math.exp
func.func @shifted(%x: tensor<5x9xf32>) -> tensor<4x6xf32> {
  %empty = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [#shifted, #id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x, %empty : tensor<5x9xf32>, tensor<4x6xf32>) outs(%empty : tensor<4x6xf32>) {
  ^bb0(%in: f32, %unused: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// A maximum over one element is that element, and what it starts from is left out
// if nothing is less.
// CHECK-LABEL: func.func @pool_of_one(
// CHECK-NOT: arith.max
// CHECK: return
func.func @pool_of_one(%x: tensor<1x5x5x3xf32>, %k: tensor<1x1xf32>) -> tensor<1x3x3x3xf32> {
  %least = arith.constant dense<0xFF800000> : tensor<1x3x3x3xf32>
  %0 = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%x, %k : tensor<1x5x5x3xf32>, tensor<1x1xf32>) outs(%least : tensor<1x3x3x3xf32>) -> tensor<1x3x3x3xf32>
  return %0 : tensor<1x3x3x3xf32>
}

// -----

// CHECK-LABEL: func.func @pool_of_one_from(
// CHECK: iterator_types = ["parallel", "parallel", "parallel", "parallel"]
// CHECK: arith.maximumf
// CHECK-NOT: reduction
// CHECK: return
func.func @pool_of_one_from(%x: tensor<1x5x5x3xf32>, %k: tensor<1x1xf32>, %from: tensor<1x3x3x3xf32>) -> tensor<1x3x3x3xf32> {
  %0 = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%x, %k : tensor<1x5x5x3xf32>, tensor<1x1xf32>) outs(%from : tensor<1x3x3x3xf32>) -> tensor<1x3x3x3xf32>
  return %0 : tensor<1x3x3x3xf32>
}

// -----

// A global that nothing uses goes, i64 at the boundary is i32.
// CHECK-NOT: ml_program
// CHECK-LABEL: func.func @boundary(
// CHECK-SAME: tensor<2x5xi32>) -> tensor<2x5xi32>
ml_program.global private mutable @seed(dense<0> : tensor<i64>) : tensor<i64>
func.func @boundary(%a: tensor<2x5xi64>) -> tensor<2x5xi64> {
  %c = arith.constant dense<9> : tensor<2x5xi64>
  %0 = arith.minsi %a, %c : tensor<2x5xi64>
  return %0 : tensor<2x5xi64>
}

// -----

// Rows of one dimension are scattered by a list of i32.
// CHECK-LABEL: func.func @scatter_rows(
// CHECK-SAME: %[[X:.*]]: tensor<3x2x8xf32>, %[[INTO:.*]]: tensor<9x8xf32>, %[[PLACES:.*]]: tensor<3x2x1xi32>
// CHECK-DAG: %[[ROWS:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2]]
// CHECK-DAG: %[[LIST:.*]] = tensor.collapse_shape %[[PLACES]] {{\[\[}}0, 1], [2]]
// CHECK: tensor.scatter %[[ROWS]] into %[[INTO]][%[[LIST]]] scatter_dims([0]) unique
func.func @scatter_rows(%x: tensor<3x2x8xf32>, %into: tensor<9x8xf32>, %places: tensor<3x2x1xi32>) -> tensor<9x8xf32> {
  %0 = tensor.scatter %x into %into[%places] scatter_dims([0]) unique : (tensor<3x2x8xf32>, tensor<9x8xf32>, tensor<3x2x1xi32>) -> tensor<9x8xf32>
  return %0 : tensor<9x8xf32>
}

// -----

// Of several dimensions, every place finds the row that goes there, gathers it, and keeps
// what it has where there is none.
// CHECK-LABEL: func.func @scatter(
// CHECK-SAME: %[[X:.*]]: tensor<3x8xf32>, %[[INTO:.*]]: tensor<5x2x8xf32>
// CHECK: %[[ROW:.*]] = linalg.generic {{.*}}"reduction"]} ins(%{{.*}} : tensor<5x2x3xi8>)
// CHECK: arith.maxsi
// CHECK: %[[CLAMPED:.*]] = linalg.generic {{.*}} ins(%[[ROW]] : tensor<5x2xi32>)
// CHECK: arith.maxsi
// CHECK: tensor.gather %[[X]][%{{.*}}] gather_dims([0])
// CHECK: arith.shrsi
// CHECK: linalg.generic {{.*}} ins(%[[INTO]],
func.func @scatter(%x: tensor<3x8xf32>, %into: tensor<5x2x8xf32>, %places: tensor<3x2xi32>) -> tensor<5x2x8xf32> {
  %0 = tensor.scatter %x into %into[%places] scatter_dims([0, 1]) unique : (tensor<3x8xf32>, tensor<5x2x8xf32>, tensor<3x2xi32>) -> tensor<5x2x8xf32>
  return %0 : tensor<5x2x8xf32>
}

// -----

// Indices that are known to name the only row.
// CHECK: #[[$ROW:.*]] = affine_map<(d0, d1) -> (0, d1)>
// CHECK-LABEL: func.func @gather_of_the_only_row(
// CHECK-NOT: tensor.gather
// CHECK: linalg.generic {indexing_maps = [#[[$ROW]],
func.func @gather_of_the_only_row(%x: tensor<1x8xf32>) -> tensor<4x8xf32> {
  %i = arith.constant dense<0> : tensor<4x1xi32>
  %0 = tensor.gather %x[%i] gather_dims([0]) : (tensor<1x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Others: what is no row of the table is none of its padding either.
// CHECK-LABEL: func.func @gather_of_one_row(
// CHECK: %[[TWO:.*]] = tensor.pad {{.*}} low[0, 0] high[1, 0]
// CHECK: tensor.gather %[[TWO]]
func.func @gather_of_one_row(%x: tensor<1x8xf32>, %i: tensor<4x1xi32>) -> tensor<4x8xf32> {
  %0 = tensor.gather %x[%i] gather_dims([0]) : (tensor<1x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// A bf16 is the upper half of an f32.
// CHECK-LABEL: func.func @bits_of_bf16(
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK-NEXT: %[[BITS:.*]] = arith.bitcast %[[WIDE]] : f32 to i32
// CHECK-NEXT: %[[UPPER:.*]] = arith.shrsi %[[BITS]], %c16_i32
// CHECK-NEXT: arith.trunci %[[UPPER]] : i32 to i16
func.func @bits_of_bf16(%x: tensor<8xbf16>) -> tensor<8xi16> {
  %e = tensor.empty() : tensor<8xi16>
  %0 = linalg.map ins(%x : tensor<8xbf16>) outs(%e : tensor<8xi16>) (%a: bf16, %o: i16) {
    %b = arith.bitcast %a : bf16 to i16
    linalg.yield %b : i16
  }
  return %0 : tensor<8xi16>
}

// -----

// The lower bound first, then the upper one.
// CHECK-LABEL: func.func @clamp(
// CHECK: ^bb0(%[[X:[a-z0-9]+]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[LOW:.*]] = arith.maximumf %[[X]], %cst{{[_0-9]*}} : f32
// CHECK-NEXT: %[[R:.*]] = arith.minimumf %[[LOW]], %cst{{[_0-9]*}} : f32
// CHECK-NEXT: linalg.yield %[[R]]
func.func @clamp(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %low = arith.constant -1.5 : f32
  %high = arith.constant 0.75 : f32
  %0 = linalg.map ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) (%a: f32, %o: f32) {
    %b = math.clampf %a to [%low, %high] : f32
    linalg.yield %b : f32
  }
  return %0 : tensor<8xf32>
}

// -----

// What is 2^31 or more is converted without 2^31, which is the sign bit then.
// CHECK-LABEL: func.func @unsigned(
// CHECK: arith.subf %{{.*}}, %{{.*}} : f32
// CHECK: arith.fptosi {{.*}} : f32 to i32
// CHECK: arith.xori {{.*}} : i32
// CHECK: return
func.func @unsigned(%x: tensor<8xf32>) -> tensor<8xi32> {
  %e = tensor.empty() : tensor<8xi32>
  %0 = linalg.map ins(%x : tensor<8xf32>) outs(%e : tensor<8xi32>) (%a: f32, %o: i32) {
    %b = arith.fptoui %a : f32 to i32
    linalg.yield %b : i32
  }
  return %0 : tensor<8xi32>
}
