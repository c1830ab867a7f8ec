// The groups of a softmax are stages over the same rows: every row comes from
// HBM once, what is between the stages stays in data memory, and neighbouring
// rows go to the DMA engines in turn.

// RUN: sequin-opt %s --linalg-to-tcp=target=rngd --split-input-file | FileCheck %s

// CHECK: [[GRID:#grid[0-9]*]] = #tcp.grid<#{{.*}}, chip "1", cluster "D % 2", slice "D / 2 % 4, D / 8">
// CHECK-LABEL: func.func @softmax_kernel
// CHECK-COUNT-1: tcp.to_dm
// CHECK-NOT: tcp.to_dm
// A maximum: flits lane by lane, then the eight lanes.
// CHECK: tcp.vector_intra_slice_reduce {{.*}} Max "D1"
// CHECK: tcp.vector_intra_slice_reduce {{.*}} Max "D2"
// CHECK: tcp.vector_fp_binary {{.*}} SubF
// CHECK: tcp.vector_fp_unary {{.*}} Exp
// CHECK: tcp.vector_intra_slice_reduce {{.*}} Add "D1"
// CHECK: tcp.vector_intra_slice_reduce {{.*}} Add "D2"
// CHECK: tcp.vector_fp_binary {{.*}} DivF
// CHECK: tcp.to_hbm_view
// CHECK-NOT: tcp.to_hbm_view
// CHECK-LABEL: func.func @softmax
func.func @softmax(%x: tensor<512x2048xf32>) -> tensor<512x2048xf32> {
  %empty = tensor.empty() : tensor<512x2048xf32>
  %result = linalg.softmax dimension(1) ins(%x : tensor<512x2048xf32>) outs(%empty : tensor<512x2048xf32>) -> tensor<512x2048xf32>
  return %result : tensor<512x2048xf32>
}

// -----

// Nine columns are no whole flits: the groups stay apart.

// CHECK-LABEL: func.func @ragged_kernel
// CHECK-COUNT-4: tcp.to_hbm_view
// CHECK-LABEL: func.func @ragged
func.func @ragged(%x: tensor<512x9xf32>) -> tensor<512x9xf32> {
  %empty = tensor.empty() : tensor<512x9xf32>
  %result = linalg.softmax dimension(1) ins(%x : tensor<512x9xf32>) outs(%empty : tensor<512x9xf32>) -> tensor<512x9xf32>
  return %result : tensor<512x9xf32>
}

// -----

// The sums leave the program too, so they have memory in HBM.

// CHECK-LABEL: func.func @read_elsewhere_kernel
// CHECK-COUNT-2: tcp.to_hbm_view
// CHECK-LABEL: func.func @read_elsewhere
func.func @read_elsewhere(%x: tensor<512x2048xf32>) -> (tensor<512xf32>, tensor<512x2048xf32>) {
  %zero = arith.constant 0.0 : f32
  %none = tensor.empty() : tensor<512xf32>
  %start = linalg.fill ins(%zero : f32) outs(%none : tensor<512xf32>) -> tensor<512xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<512x2048xf32>) outs(%start : tensor<512xf32>) dimensions = [1]
  %empty = tensor.empty() : tensor<512x2048xf32>
  %share = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<512x2048xf32>, tensor<512xf32>) outs(%empty : tensor<512x2048xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %d = arith.divf %a, %b : f32
      linalg.yield %d : f32
  } -> tensor<512x2048xf32>
  return %sum, %share : tensor<512xf32>, tensor<512x2048xf32>
}

// -----

// Joined dimensions are the memory that there is: the last stage writes them, and whole
// tiles end where the dimension does.

// CHECK-LABEL: func.func @joined_kernel
// CHECK-COUNT-1: tcp.to_hbm_view
// CHECK-NOT: tcp.to_hbm_view
// CHECK-LABEL: func.func @joined
func.func @joined(%x: tensor<8x512x2048xf32>) -> tensor<4096x2048xf32> {
  %empty = tensor.empty() : tensor<8x512x2048xf32>
  %result = linalg.softmax dimension(2) ins(%x : tensor<8x512x2048xf32>) outs(%empty : tensor<8x512x2048xf32>) -> tensor<8x512x2048xf32>
  %joined = tensor.collapse_shape %result [[0, 1], [2]] : tensor<8x512x2048xf32> into tensor<4096x2048xf32>
  return %joined : tensor<4096x2048xf32>
}

// -----

// Nine rows of eighteen: behind them are the other nine, so that tiles divide
// them.

// CHECK: #grid{{[0-9]*}} = #tcp.grid<#{{.*}}, chip "1", cluster "1 # 2", slice "D, 1 # 128">
// CHECK-LABEL: func.func @apart_kernel
// CHECK: tcp.to_dm {{.*}} -> !tcp.dm<f32, #grid{{[0-9]*}}, "D1, D2, D3">
// CHECK: tcp.to_dm {{.*}} -> !tcp.dm<f32, #grid{{[0-9]*}}, "D1, D2, D3">
// CHECK-COUNT-1: tcp.to_hbm_view
// CHECK-NOT: tcp.to_hbm_view
// CHECK-LABEL: func.func @apart
func.func @apart(%x: tensor<18x64xf32>, %p: tensor<9x64xf32>)
    -> tensor<2x9x64xf32> {
  %rows = tensor.expand_shape %x [[0, 1], [2]] output_shape [2, 9, 64]
      : tensor<18x64xf32> into tensor<2x9x64xf32>
  %empty = tensor.empty() : tensor<2x9x64xf32>
  %sum = linalg.generic {
      indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>,
                       affine_map<(b, i, j) -> (i, j)>,
                       affine_map<(b, i, j) -> (b, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%rows, %p : tensor<2x9x64xf32>, tensor<9x64xf32>)
      outs(%empty : tensor<2x9x64xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %d = arith.addf %a, %b : f32
      linalg.yield %d : f32
  } -> tensor<2x9x64xf32>
  %result = linalg.softmax dimension(2) ins(%sum : tensor<2x9x64xf32>)
      outs(%empty : tensor<2x9x64xf32>) -> tensor<2x9x64xf32>
  return %result : tensor<2x9x64xf32>
}
