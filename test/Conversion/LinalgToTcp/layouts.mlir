// RUN: sequin-opt %s --convert-linalg-to-tcp=target=rngd --split-input-file | FileCheck %s
// RUN: sequin-opt %s --linalg-to-tcp=target=rngd --split-input-file --verify-roundtrip -o /dev/null

// Which dimension of a tensor is contiguous in HBM. Pins keep products from rings and
// weight streams, for which the host sends digits of dimensions.

// Each of two contractions sums over another dimension of one argument: it is sent
// twice, once in each layout.

// CHECK-LABEL: func.func @twice_kernel
// CHECK-SAME: !tcp.hbm<bf16, #axes, "1", "D0, D1">
// CHECK-SAME: !tcp.hbm<bf16, #axes, "1", "D1, D0">
// CHECK-LABEL: func.func @twice(
// CHECK-SAME: %[[A:[^:]*]]: !tcp.host<bf16, #axes, "D0, D1">
// CHECK: tcp.to_hbm %[[A]] at [[FIRST:[0-9]+]] : {{.*}} -> !tcp.hbm<bf16, #axes, "1", "D0, D1">
// CHECK-NOT: tcp.to_hbm %[[A]] at [[FIRST]] :
// CHECK: tcp.to_hbm %[[A]] at {{[0-9]+}} : {{.*}} -> !tcp.hbm<bf16, #axes, "1", "D1, D0">
func.func @twice(%a: tensor<64x32xbf16>, %b: tensor<32xbf16>, %c: tensor<64xbf16>)
    -> (tensor<64xf32>, tensor<32xf32>) {
  %zero0 = arith.constant dense<0.0> : tensor<64xf32>
  %zero1 = arith.constant dense<0.0> : tensor<32xf32>
  %0 = linalg.matvec {sequin.pin = {tiles = array<i64: 64, 0>}} ins(%a, %b : tensor<64x32xbf16>, tensor<32xbf16>)
      outs(%zero0 : tensor<64xf32>) -> tensor<64xf32>
  %1 = linalg.vecmat {sequin.pin = {tiles = array<i64: 32, 0>}} ins(%c, %a : tensor<64xbf16>, tensor<64x32xbf16>)
      outs(%zero1 : tensor<32xf32>) -> tensor<32xf32>
  return %0, %1 : tensor<64xf32>, tensor<32xf32>
}

// -----

// The same with a matrix and itself, in one operation.

// CHECK-LABEL: func.func @square(
// CHECK-SAME: %[[A:[^:]*]]: !tcp.host<bf16, #axes, "D0, D1{{[^"]*}}">
// CHECK-COUNT-2: tcp.to_hbm %[[A]]
func.func @square(%a: tensor<64x64xbf16>) -> tensor<64x64xf32> {
  %init = arith.constant dense<0.0> : tensor<64x64xf32>
  %0 = linalg.matmul ins(%a, %a : tensor<64x64xbf16>, tensor<64x64xbf16>)
      outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// An intermediate is in HBM once. Its two readers sum over different dimensions, so
// one of them reads columns: DM holds its part as it lies in HBM, and the fetch
// engine steps over rows.

// CHECK-LABEL: func.func @transposed_kernel
// CHECK: %[[T:.*]] = tcp.to_hbm_view {{.*}} !tcp.hbm<bf16, #{{.*}}, "1", "D0, D1">
// CHECK: tcp.view %[[T]] at 0 : {{.*}} "M, K">
// CHECK: tcp.to_dm {{.*}} "{{(M % [0-9]+, )?}}K">
// CHECK: tcp.contract
// CHECK: %[[V:.*]] = tcp.view %[[T]] at 0 : {{.*}} "K, M">
// CHECK: %[[DM:.*]] = tcp.to_dm %[[V]] {{.*}} "K, M % [[ML:[0-9]+]]">
// CHECK: %[[S:.*]] = tcp.begin main %[[DM]]
// CHECK: tcp.fetch %[[S]] bf16 "M % [[ML]], N / 8{{( % [0-9]+)?}}, K / 32", "K % 32"
// CHECK: tcp.contract
func.func @transposed(%a: tensor<64x128xf32>, %b: tensor<128x96xbf16>,
                      %c: tensor<64x96xbf16>)
    -> (tensor<64x96xf32>, tensor<128x96xf32>) {
  %init0 = arith.constant dense<0.0> : tensor<64x96xf32>
  %init1 = arith.constant dense<0.0> : tensor<128x96xf32>
  %empty = tensor.empty() : tensor<64x128xbf16>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<64x128xf32>) outs(%empty : tensor<64x128xbf16>) {
  ^bb0(%x: f32, %out: bf16):
    %3 = arith.truncf %x : f32 to bf16
    linalg.yield %3 : bf16
  } -> tensor<64x128xbf16>
  %1 = linalg.matmul {sequin.pin = {tiles = array<i64: 0, 128, 0>}} ins(%0, %b : tensor<64x128xbf16>, tensor<128x96xbf16>)
      outs(%init0 : tensor<64x96xf32>) -> tensor<64x96xf32>
  %2 = linalg.contract
      indexing_maps = [affine_map<(m, n, k) -> (k, m)>,
                       affine_map<(m, n, k) -> (k, n)>,
                       affine_map<(m, n, k) -> (m, n)>]
      {sequin.pin = {tiles = array<i64: 0, 128, 0>}} ins(%0, %c : tensor<64x128xbf16>, tensor<64x96xbf16>)
      outs(%init1 : tensor<128x96xf32>) -> tensor<128x96xf32>
  return %1, %2 : tensor<64x96xf32>, tensor<128x96xf32>
}

// -----

// With one reader the producer writes the dimension that this one sums over
// contiguous, and takes its operands the other way round for that.

// CHECK-LABEL: func.func @chained_kernel
// CHECK: %[[T:.*]] = tcp.to_hbm_view {{.*}} as !tcp.hbm<bf16, #{{.*}}, "1", "M, N"> : {{.*}}, !tcp.hbm<bf16, #{{.*}}, "1", "D1, D0">
// CHECK: tcp.view %[[T]] at 0 : {{.*}} -> !tcp.hbm<bf16, #{{.*}}, "1", "M, K">
func.func @chained(%a: tensor<64x32xbf16>, %b: tensor<32x128xbf16>,
                   %c: tensor<64x96xbf16>) -> tensor<128x96xf32> {
  %init = arith.constant dense<0.0> : tensor<64x128xf32>
  %init1 = arith.constant dense<0.0> : tensor<128x96xf32>
  %0 = linalg.matmul {sequin.pin = {parts = array<i64: 0, 64, 0>}} ins(%a, %b : tensor<64x32xbf16>, tensor<32x128xbf16>)
      outs(%init : tensor<64x128xf32>) -> tensor<64x128xf32>
  %empty = tensor.empty() : tensor<64x128xbf16>
  %1 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<64x128xf32>) outs(%empty : tensor<64x128xbf16>) {
  ^bb0(%x: f32, %out: bf16):
    %3 = arith.truncf %x : f32 to bf16
    linalg.yield %3 : bf16
  } -> tensor<64x128xbf16>
  %2 = linalg.contract
      indexing_maps = [affine_map<(m, n, k) -> (k, m)>,
                       affine_map<(m, n, k) -> (k, n)>,
                       affine_map<(m, n, k) -> (m, n)>]
      {sequin.pin = {tiles = array<i64: 0, 128, 0>}} ins(%1, %c : tensor<64x128xbf16>, tensor<64x96xbf16>)
      outs(%init1 : tensor<128x96xf32>) -> tensor<128x96xf32>
  return %2 : tensor<128x96xf32>
}

// -----

// Nobody reads the result, so either factor can be stationary. Few columns would be read
// once for each of many parts of the rows: the rows are stationary, and the result has
// columns that are contiguous.

// CHECK-LABEL: func.func @tall_kernel
// CHECK: tcp.to_hbm_view {{.*}}, !tcp.hbm<f32, #{{.*}}, "1", "D1, D0">
func.func @tall(%a: tensor<4096x256xbf16>, %b: tensor<256x192xbf16>) -> tensor<4096x192xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4096x192xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4096x192xf32>) -> tensor<4096x192xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<4096x256xbf16>, tensor<256x192xbf16>)
      outs(%init : tensor<4096x192xf32>) -> tensor<4096x192xf32>
  return %0 : tensor<4096x192xf32>
}

// -----

// Pinned sizes are those of loops in their roles.

// CHECK-LABEL: func.func @pinned_kernel
// CHECK: tcp.to_hbm_view {{.*}}, !tcp.hbm<f32, #{{.*}}, "1", "D0, D1">
func.func @pinned(%a: tensor<4096x256xbf16>, %b: tensor<256x192xbf16>) -> tensor<4096x192xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4096x192xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4096x192xf32>) -> tensor<4096x192xf32>
  %0 = linalg.matmul {sequin.pin = {tiles = array<i64: 0, 0, 256>}} ins(%a, %b : tensor<4096x256xbf16>, tensor<256x192xbf16>)
      outs(%init : tensor<4096x192xf32>) -> tensor<4096x192xf32>
  return %0 : tensor<4096x192xf32>
}

// -----

// Rows of a matrix are padded to 64 bytes in HBM; the host's array is not.

// CHECK-LABEL: func.func @rows_kernel
// CHECK-SAME: !tcp.hbm<f32, #axes, "1", "D0, D1 # 32">
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: !tcp.host<f32, #axes, "D0, D1">
func.func @rows(%a: tensor<16x24xf32>) -> tensor<16x24xf32> {
  %empty = tensor.empty() : tensor<16x24xf32>
  %0 = linalg.add ins(%a, %a : tensor<16x24xf32>, tensor<16x24xf32>)
      outs(%empty : tensor<16x24xf32>) -> tensor<16x24xf32>
  return %0 : tensor<16x24xf32>
}

// -----

// DMA reads whole words of 8 bytes. A reader that starts at an odd f32, or takes
// every second one, wants the other dimension contiguous.

// CHECK-LABEL: func.func @odd_kernel
// CHECK-SAME: (%[[A:[^:]*]]: !tcp.hbm<f32, #axes, "1", "D1, D0">)
// CHECK: tcp.view %[[A]] at 192 : {{.*}} "D1, D">
func.func @odd(%a: tensor<64x64xf32>) -> tensor<64x16xf32> {
  %0 = tensor.extract_slice %a[0, 3] [64, 16] [1, 1]
      : tensor<64x64xf32> to tensor<64x16xf32>
  return %0 : tensor<64x16xf32>
}

// -----

// With both dimensions read so, every element has a word of its own.

// CHECK-LABEL: func.func @apart_kernel
// CHECK-SAME: (%[[A:[^:]*]]: !tcp.hbm<f32, #axes, "1", "D0, D1, 1 # 2">)
// CHECK: %[[V:.*]] = tcp.view %[[A]] at 518 : {{.*}} "D, [D1, 1 # 2] # 256">
// CHECK: tcp.to_dm %[[V]] {{.*}} "D1, 1 # 2">
// CHECK: tcp.fetch %{{.*}} f32 "D1 / 8", "D1 % 8"
func.func @apart(%a: tensor<64x64xf32>) -> tensor<8x16xf32> {
  %0 = tensor.extract_slice %a[4, 3] [8, 16] [2, 1]
      : tensor<64x64xf32> to tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
