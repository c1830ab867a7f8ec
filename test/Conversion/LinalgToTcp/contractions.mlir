// RUN: sequin-opt %s --convert-linalg-to-tcp --split-input-file | FileCheck %s
// RUN: sequin-opt %s --linalg-to-tcp --split-input-file --verify-roundtrip -o /dev/null

// ROWS: HEL-02

// Contractions by tiles and the roles of their loops; pins keep from rings what these
// would take. Operands have the summed dimension
// contiguous; what takes part in no sum is spread over the slices.

// Nothing divides: rows are padded to eight, which is five rows of the host's array
// and three that nobody looks at. Seven summed elements are fetched with a mask of
// zeros up to the computation packet, 64 for i8. The longer free dimension is rows,
// so the first operand is the stationary one and the result is transposed in HBM. One
// slice writes it all: its rows are less than a unit.

// CHECK: #stream.axes<N = 8, M = 3, K = 7>
// CHECK: slice "1 # 256">
// CHECK-LABEL: func.func @i8_kernel
// CHECK-SAME: (%[[A:[^:]*]]: !tcp.hbm<i8, #axes, "1", "D0, D1 # 64">
// CHECK: %[[AV:.*]] = tcp.view %[[A]]
// CHECK: tcp.to_dm %[[AV]] {{.*}} -> !tcp.dm<i8, #grid, "N, K # 8">
// CHECK: tcp.begin main
// CHECK: tcp.fetch %{{.*}} i8 "N", "K # 64"
// CHECK: tcp.collect %{{.*}} "N, K # 64 / 32", "K # 64 % 32"
// CHECK: tcp.to_trf %{{.*}} Full "N", "K # 64"
// CHECK: tcp.accumulate %{{.*}} Interleaved "M", "N" : <main contract i32, #grid, row "N",
// CHECK: tcp.to_hbm_view {{.*}} "M, N # 16">
// CHECK-LABEL: func.func @i8(
// CHECK-SAME: !tcp.host<i8, #axes, "D0 = 5, D1">, {{.*}}!tcp.host<i8, #axes1, "D0, D1">) -> !tcp.host<i32, #axes2, "D0 = 5, D1"> attributes {tcp.macs = 105 : i64}
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @i8(%a: tensor<5x7xi8>, %b: tensor<7x3xi8>) -> tensor<5x3xi32> {
    %zero = arith.constant dense<0> : tensor<5x3xi32>
    %0 = linalg.matmul ins(%a, %b : tensor<5x7xi8>, tensor<7x3xi8>)
        outs(%zero : tensor<5x3xi32>) -> tensor<5x3xi32>
    return %0 : tensor<5x3xi32>
  }
}

// -----

// A packet of bf16 is 32 elements: the sum of 77 ends with 13 of them and zeros,
// which the sub context cannot make.

// CHECK-LABEL: func.func @ragged_kernel
// CHECK: tcp.to_dm {{.*}} -> !tcp.dm<bf16, #grid, "N, K # 80">
// CHECK: tcp.begin main
// CHECK: tcp.fetch %{{.*}} bf16 "N % 8, N / 8, K # 96 / 32", "K # 96 % 32"
// CHECK: tcp.to_trf %{{.*}} Full "N % 8", "N / 8, K # 96"
// CHECK: tcp.begin main
// CHECK: tcp.align %{{.*}} "{{(M % [0-9]+, )?}}N / 8, K # 96 / 32", "K # 96 % 32"
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @ragged(%a: tensor<64x77xbf16>, %b: tensor<77x24xbf16>)
      -> tensor<64x24xf32> {
    %zero = arith.constant dense<0.0> : tensor<64x24xf32>
    %0 = linalg.matmul {sequin.pin = {tiles = array<i64: 0, 0, 77>}} ins(%a, %b : tensor<64x77xbf16>, tensor<77x24xbf16>)
        outs(%zero : tensor<64x24xf32>) -> tensor<64x24xf32>
    return %0 : tensor<64x24xf32>
  }
}

// -----

// A batch is spread first; its part of a slice is outermost everywhere.

// CHECK: #stream.axes<B = 1024, M = 16, N = 16, K = 32>
// CHECK: cluster "B / 512", slice "B / 2 % 256">
// CHECK-LABEL: func.func @batch_kernel
// CHECK: tcp.to_dm {{.*}} -> !tcp.dm<bf16, #grid, "B % 2, N, K">
// CHECK: tcp.fetch %{{.*}} bf16 "N % 8, B % 2, N / 8", "K"
// CHECK: tcp.to_trf %{{.*}} Full "N % 8", "B % 2, N / 8, K"
// CHECK: tcp.to_dm {{.*}} -> !tcp.dm<bf16, #grid, "B % 2, M, K">
// CHECK: tcp.align %{{.*}} "B % 2, M, N / 8", "K"
// CHECK: tcp.commit %{{.*}} "B % 2, M, N"
// CHECK: tcp.to_hbm_view {{.*}} "B, M, N">
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @batch(%a: tensor<1024x16x32xbf16>, %b: tensor<1024x32x16xbf16>)
      -> tensor<1024x16x16xf32> {
    %zero = arith.constant dense<0.0> : tensor<1024x16x16xf32>
    %0 = linalg.batch_matmul {sequin.pin = {tiles = array<i64: 1024, 0, 0, 0>}}
        ins(%a, %b : tensor<1024x16x32xbf16>, tensor<1024x32x16xbf16>)
        outs(%zero : tensor<1024x16x16xf32>) -> tensor<1024x16x16xf32>
    return %0 : tensor<1024x16x16xf32>
  }
}

// -----

// The matrix has the free dimension, so it is stationary, eight rows at a time, and
// the vector is streamed in every slice.

// CHECK: #stream.axes<N = 2048, K = 256>
// CHECK: slice "N / 16 # 256">
// CHECK-LABEL: func.func @matvec_kernel
// CHECK-SAME: (%[[A:[^:]*]]: !tcp.hbm<bf16, #axes, "1", "D0, D1">, %[[X:[^:]*]]: !tcp.hbm<bf16, #axes1, "1", "D0">)
// CHECK: %[[AV:.*]] = tcp.view %[[A]]
// CHECK: %[[AD:.*]] = tcp.to_dm %[[AV]]
// CHECK: tcp.begin sub %[[AD]]
// CHECK: tcp.to_trf %{{.*}} Full "N % 8", "N / 8 % 2, K"
// CHECK: %[[XV:.*]] = tcp.view %[[X]]
// CHECK: tcp.to_dm %[[XV]] {{.*}} -> !tcp.dm<bf16, #grid, "K">
// CHECK: tcp.accumulate %{{.*}} Interleaved "N / 8 % 2", "N % 8"
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @matvec(%a: tensor<2044x256xbf16>, %x: tensor<256xbf16>)
      -> tensor<2044xf32> {
    %zero = arith.constant dense<0.0> : tensor<2044xf32>
    %0 = linalg.matvec {sequin.pin = {tiles = array<i64: 2048, 0>}} ins(%a, %x : tensor<2044x256xbf16>, tensor<256xbf16>)
        outs(%zero : tensor<2044xf32>) -> tensor<2044xf32>
    return %0 : tensor<2044xf32>
  }
}

// -----

// The other way round the operands change places, and the matrix comes to HBM
// transposed.

// CHECK-LABEL: func.func @vecmat_kernel
// CHECK-SAME: %[[X:[^:]*]]: !tcp.hbm<bf16, #axes, "1", "D0">, %[[W:[^:]*]]: !tcp.hbm<bf16, #axes1, "1", "D1, D0">)
// CHECK: %[[WV:.*]] = tcp.view %[[W]]
// CHECK: %[[WD:.*]] = tcp.to_dm %[[WV]]
// CHECK: tcp.begin sub %[[WD]]
// CHECK: tcp.to_trf %{{.*}} Full "N % 8", "N / 8 % 2, K"
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @vecmat(%x: tensor<256xbf16>, %a: tensor<256x2044xbf16>)
      -> tensor<2044xf32> {
    %zero = arith.constant dense<0.0> : tensor<2044xf32>
    %0 = linalg.vecmat {sequin.pin = {tiles = array<i64: 2048, 0>}} ins(%x, %a : tensor<256xbf16>, tensor<256x2044xbf16>)
        outs(%zero : tensor<2044xf32>) -> tensor<2044xf32>
    return %0 : tensor<2044xf32>
  }
}

// -----

// No free dimension: one slice, one row, and a flit with one sum, of which eight
// bytes are written.

// CHECK: cluster "1 # 2", slice "1 # 256">
// CHECK-LABEL: func.func @dot_kernel
// CHECK: tcp.to_trf %{{.*}} Full "1", "K"
// CHECK: tcp.align %{{.*}} "K / 32", "K % 32"
// CHECK: tcp.accumulate %{{.*}} Interleaved "1", "1 # 8"
// CHECK: tcp.commit %{{.*}} "1 # 2"
// CHECK: tcp.to_hbm_view {{.*}} "1 # 2">
// CHECK-LABEL: func.func @dot(
// CHECK-SAME: -> !tcp.host<f32, #{{.*}}, "1">
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @dot(%a: tensor<2048xbf16>, %b: tensor<2048xbf16>) -> tensor<f32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %0 = linalg.dot ins(%a, %b : tensor<2048xbf16>, tensor<2048xbf16>)
        outs(%zero : tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}

// -----

// Two free dimensions of one operand are two loops, the last one rows. What the
// sums start from is added to them. The sum is pinned to one slice. A ring pads the second one from 40 to 64: eight slices of eight rows.

// CHECK: slice "M1, N, N2">
// CHECK-LABEL: func.func @axes_kernel
// CHECK-SAME: %{{.*}}: !tcp.hbm<bf16, #axes, "1", "{{.*}}D0">, %{{.*}}: !tcp.hbm<bf16, #axes1, "1", "D0, D1, D2">, %[[C:[^:]*]]: !tcp.hbm<f32,
// CHECK: tcp.view %[[C]]
// CHECK: tcp.to_trf %{{.*}} "N1", "K / 32, K % 32"
// CHECK: tcp.accumulate
// CHECK: %[[V:.*]] = tcp.to_vrf
// CHECK: tcp.vector_clip %{{.*}} Add, %[[V]]
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @axes(%a: tensor<64x32xbf16>, %b: tensor<24x40x64xbf16>,
                  %c: tensor<32x24x40xf32>) -> tensor<32x24x40xf32> {
    %0 = linalg.contract
        indexing_maps = [affine_map<(k, n, m, l) -> (k, n)>,
                         affine_map<(k, n, m, l) -> (m, l, k)>,
                         affine_map<(k, n, m, l) -> (n, m, l)>]
        {sequin.pin = {parts = array<i64: 1, 0, 0, 0>}}
        ins(%a, %b : tensor<64x32xbf16>, tensor<24x40x64xbf16>)
        outs(%c : tensor<32x24x40xf32>) -> tensor<32x24x40xf32>
    return %0 : tensor<32x24x40xf32>
  }
}

// -----

// The operand whose free dimension is innermost in the result is stationary, where sizes
// are pinned.

// CHECK-LABEL: func.func @swapped_kernel
// CHECK-SAME: (%[[A:[^:]*]]: !tcp.hbm<bf16, #axes, "1", "{{.*}}D0 % 8, D1">
// CHECK: tcp.view %[[A]] {{.*}} "N1, {{(N2, )?}}N, K">
// CHECK: tcp.to_trf %{{.*}} Full "N", "K"
// CHECK: tcp.accumulate %{{.*}} Interleaved "M", "N"
// CHECK: tcp.to_hbm_view {{.*}} "{{.*}}, M, N1, {{(N2, )?}}N">
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @swapped(%a: tensor<64x32xbf16>, %b: tensor<32x128xbf16>)
      -> tensor<128x64xf32> {
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %0 = linalg.contract
        indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                         affine_map<(m, n, k) -> (k, n)>,
                         affine_map<(m, n, k) -> (n, m)>]
        {sequin.pin = {tiles = array<i64: 0, 0, 32>}}
        ins(%a, %b : tensor<64x32xbf16>, tensor<32x128xbf16>)
        outs(%zero : tensor<128x64xf32>) -> tensor<128x64xf32>
    return %0 : tensor<128x64xf32>
  }
}

// -----

// Both factors are one tensor in one layout: it is moved to DM once.

// CHECK-LABEL: func.func @norms_kernel
// CHECK: %[[A:.*]] = tcp.to_dm
// CHECK: tcp.begin sub %[[A]]
// CHECK: tcp.to_trf %{{.*}} Full "1", "K"
// CHECK-NOT: tcp.to_dm
// CHECK: tcp.begin main %[[A]]
// CHECK: tcp.contract
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @norms(%a: tensor<8x32xbf16>) -> tensor<8xf32> {
    %init = arith.constant dense<0.0> : tensor<8xf32>
    %0 = linalg.contract
        indexing_maps = [affine_map<(m, k) -> (m, k)>,
                         affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>]
        ins(%a, %a : tensor<8x32xbf16>, tensor<8x32xbf16>)
        outs(%init : tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

// A window makes the address of a row the sum of two loops, which together are no
// mapping. The sum goes over the window in chunks of one iteration, each added to
// what the one before has left; what it has left takes turns in two places of DM.

// CHECK-LABEL: func.func @convolution_kernel
// CHECK-SAME: (%[[A:[^:]*]]: !tcp.hbm<bf16, #axes, "1", "D0, D1">, %[[W:[^:]*]]: !tcp.hbm<bf16, #axes1, "1", "D0, D2, D1">)
// CHECK: tcp.view %[[W]] at 0
// CHECK: tcp.view %[[A]] at 0
// CHECK: tcp.contract
// CHECK: %[[SUM0:.*]] = tcp.commit %{{.*}} at 0 "
// CHECK: tcp.view %[[W]] at 1024
// CHECK: tcp.view %[[A]] at 64
// CHECK: tcp.contract
// CHECK: tcp.begin sub %[[SUM0]]
// CHECK: %[[SO_FAR:.*]] = tcp.to_vrf
// CHECK: tcp.vector_clip %{{.*}} Add, %[[SO_FAR]]
// CHECK: %[[SUM1:.*]] = tcp.commit %{{.*}} at 256 "
// CHECK: tcp.view %[[A]] at 128
// CHECK: tcp.begin sub %[[SUM1]]
// CHECK: tcp.commit %{{.*}} at 0 "
// CHECK: tcp.view %[[A]] at 192
// CHECK: tcp.commit %{{.*}} at 256 "
// CHECK: tcp.view %[[A]] at 256
// CHECK: %[[LAST:.*]] = tcp.commit
// CHECK-NEXT: tcp.to_hbm_view %[[LAST]]
// CHECK-NOT: tcp.contract
// CHECK: return
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @convolution(%a: tensor<20x64xbf16>, %w: tensor<5x64x16xbf16>)
      -> tensor<16x16xf32> {
    %zero = arith.constant dense<0.0> : tensor<16x16xf32>
    %0 = linalg.generic {
        indexing_maps = [affine_map<(x, f, d, c) -> (x + d, c)>,
                         affine_map<(x, f, d, c) -> (d, c, f)>,
                         affine_map<(x, f, d, c) -> (x, f)>],
        iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
        ins(%a, %w : tensor<20x64xbf16>, tensor<5x64x16xbf16>)
        outs(%zero : tensor<16x16xf32>) {
    ^bb0(%x: bf16, %y: bf16, %out: f32):
      %1 = arith.extf %x : bf16 to f32
      %2 = arith.extf %y : bf16 to f32
      %3 = arith.mulf %1, %2 : f32
      %4 = arith.addf %out, %3 : f32
      linalg.yield %4 : f32
    } -> tensor<16x16xf32>
    return %0 : tensor<16x16xf32>
  }
}
