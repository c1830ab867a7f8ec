// RUN: sequin-opt %s --linalg-to-tcp --split-input-file | FileCheck %s
// RUN: sequin-opt %s --linalg-to-tcp --split-input-file --verify-roundtrip -o /dev/null

// ROWS: HEL-02

// Nothing divides: every axis is padded, the host's tensors are cut to what the
// program has, and i8 takes 64 elements in a computation packet.

// CHECK: #stream.axes<M = 5, K = 64, N = 8>
// CHECK-LABEL: func.func @i8_kernel
// CHECK: tcp.fetch %{{.*}} i8 "N", "K"
// CHECK: tcp.collect %{{.*}} "N, K / 32", "K % 32"
// CHECK: tcp.accumulate %{{.*}} : <main contract i32, #grid, row "N",
// CHECK-LABEL: func.func @i8(
// CHECK-SAME: !tcp.host<i8, #axes, "M, K = 7">, {{.*}}!tcp.host<i8, #axes, "K = 7, N = 3">) -> !tcp.host<i32, #axes, "M, N = 3">
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @i8(%a: tensor<5x7xi8>, %b: tensor<7x3xi8>) -> tensor<5x3xi32> {
    %zero = arith.constant dense<0> : tensor<5x3xi32>
    %0 = linalg.matmul ins(%a, %b : tensor<5x7xi8>, tensor<7x3xi8>)
        outs(%zero : tensor<5x3xi32>) -> tensor<5x3xi32>
    return %0 : tensor<5x3xi32>
  }
}

// -----

// A batch is spread first; its part of a slice would be outermost everywhere.

// CHECK: #stream.axes<B = 1024, M = 16, K = 32, N = 16>
// CHECK: cluster "B / 512", slice "B / 2 % 256">
// CHECK-LABEL: func.func @batch_kernel
// CHECK: tcp.to_dm {{.*}} -> !tcp.dm<bf16, #grid, "B % 2, N, K">
// CHECK: tcp.fetch %{{.*}} bf16 "N % 8, B % 2, N / 8", "K"
// CHECK: tcp.to_trf %{{.*}} Full "N % 8", "B % 2, N / 8, K"
// CHECK: tcp.to_dm {{.*}} -> !tcp.dm<bf16, #grid, "B % 2, M, K">
// CHECK: tcp.align %{{.*}} "B % 2, M, N / 8", "K"
// CHECK: tcp.commit %{{.*}} "B % 2, M, N"
// CHECK: -> !tcp.hbm<f32, #axes, "1", "B, M, N">
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @batch(%a: tensor<1024x16x32xbf16>, %b: tensor<1024x32x16xbf16>)
      -> tensor<1024x16x16xf32> {
    %zero = arith.constant dense<0.0> : tensor<1024x16x16xf32>
    %0 = linalg.batch_matmul
        ins(%a, %b : tensor<1024x16x32xbf16>, tensor<1024x32x16xbf16>)
        outs(%zero : tensor<1024x16x16xf32>) -> tensor<1024x16x16xf32>
    return %0 : tensor<1024x16x16xf32>
  }
}

// -----

// The vector is stationary in one row and copied to every slice; a flit holds one
// sum, and two of its lanes are written.

// CHECK-LABEL: func.func @matvec_kernel
// CHECK: tcp.to_trf %{{.*}} Full "1", "K"
// CHECK: tcp.fetch %{{.*}} bf16 "M % [[ML:[0-9]+]]", "K"
// CHECK: tcp.accumulate %{{.*}} Interleaved "M % [[ML]]", "1 # 8"
// CHECK: tcp.commit %{{.*}} "M % [[ML]], 1 # 2"
// CHECK: tcp.to_hbm {{.*}} -> !tcp.hbm<f32, #axes, "1", "M">
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @matvec(%a: tensor<2048x256xbf16>, %x: tensor<256xbf16>)
      -> tensor<2048xf32> {
    %zero = arith.constant dense<0.0> : tensor<2048xf32>
    %0 = linalg.matvec ins(%a, %x : tensor<2048x256xbf16>, tensor<256xbf16>)
        outs(%zero : tensor<2048xf32>) -> tensor<2048xf32>
    return %0 : tensor<2048xf32>
  }
}

// -----

// The other way round the operands change places.

// CHECK-LABEL: func.func @vecmat_kernel
// CHECK-SAME: %[[W:.*]]: !tcp.hbm<bf16, #axes, "1", "N, K">, %[[X:.*]]: !tcp.hbm<bf16, #axes, "1", "K">)
// CHECK: %[[XD:.*]] = tcp.to_dm %[[X]]
// CHECK: tcp.begin sub %[[XD]]
// CHECK: tcp.to_trf %{{.*}} Full "1", "K"
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @vecmat(%x: tensor<256xbf16>, %a: tensor<256x2048xbf16>)
      -> tensor<2048xf32> {
    %zero = arith.constant dense<0.0> : tensor<2048xf32>
    %0 = linalg.vecmat ins(%x, %a : tensor<256xbf16>, tensor<256x2048xbf16>)
        outs(%zero : tensor<2048xf32>) -> tensor<2048xf32>
    return %0 : tensor<2048xf32>
  }
}

// -----

// CHECK: cluster "1 # 2", slice "1 # 256">
// CHECK-LABEL: func.func @dot_kernel
// CHECK: tcp.align %{{.*}} "K / 32", "K % 32"
// CHECK: tcp.accumulate %{{.*}} Interleaved "1", "1 # 8"
// CHECK: tcp.commit %{{.*}} "1 # 2"
// CHECK: tcp.to_hbm {{.*}} -> !tcp.hbm<f32, #axes, "1", "1">
// CHECK-LABEL: func.func @dot(
// CHECK-SAME: -> !tcp.host<f32, #axes, "1">
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @dot(%a: tensor<2048xbf16>, %b: tensor<2048xbf16>) -> tensor<f32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %0 = linalg.dot ins(%a, %b : tensor<2048xbf16>, tensor<2048xbf16>)
        outs(%zero : tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}

// -----

// Two free dimensions of one operand are two axes. What the sums start from is
// added to them.

// CHECK: #stream.axes<K = 64, M = 32, N = {{[0-9]+}}, N1 = {{[0-9]+}}>
// CHECK-LABEL: func.func @axes_kernel
// CHECK-SAME: %{{.*}}: !tcp.hbm<bf16, #axes, "1", "M, K">, %{{.*}}: !tcp.hbm<bf16, #axes, "1", "N, N1, K">, %{{.*}}: !tcp.hbm<f32, #axes, "1", "M, N, N1">)
// CHECK: tcp.to_trf %{{.*}} Full "N1 % 8"
// CHECK: %[[V:.*]] = tcp.to_vrf
// CHECK: tcp.vector_clip %{{.*}} Add, %[[V]]
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @axes(%a: tensor<64x32xbf16>, %b: tensor<24x40x64xbf16>,
                  %c: tensor<32x24x40xf32>) -> tensor<32x24x40xf32> {
    %0 = linalg.contract
        indexing_maps = [affine_map<(k, n, m, l) -> (k, n)>,
                         affine_map<(k, n, m, l) -> (m, l, k)>,
                         affine_map<(k, n, m, l) -> (n, m, l)>]
        ins(%a, %b : tensor<64x32xbf16>, tensor<24x40x64xbf16>)
        outs(%c : tensor<32x24x40xf32>) -> tensor<32x24x40xf32>
    return %0 : tensor<32x24x40xf32>
  }
}

// -----

// A sum without a second factor is one with ones, made from the first row.

// CHECK-LABEL: func.func @sum_kernel
// CHECK-SAME: %{{.*}}: !tcp.hbm<bf16, #axes, "1", "M, K">, %[[ROW:.*]]: !tcp.hbm<bf16, #axes, "1", "K">)
// CHECK: tcp.to_dm %[[ROW]]
// CHECK: tcp.vector_clip %{{.*}} Min(1.000000e+00 : f32)
// CHECK: tcp.vector_clip %{{.*}} Max(1.000000e+00 : f32)
// CHECK: %[[ONES:.*]] = tcp.commit %{{.*}} "K"
// CHECK: tcp.begin sub %[[ONES]]
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @sum(%a: tensor<128x64xbf16>) -> tensor<128xf32> {
    %zero = arith.constant dense<0.0> : tensor<128xf32>
    %0 = linalg.generic {
        indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<128x64xbf16>) outs(%zero : tensor<128xf32>) {
    ^bb0(%x: bf16, %sum: f32):
      %1 = arith.extf %x : bf16 to f32
      %2 = arith.addf %sum, %1 : f32
      linalg.yield %2 : f32
    } -> tensor<128xf32>
    return %0 : tensor<128xf32>
  }
}

// -----

// A sum of one product is a product, on the vector engine.

// CHECK-LABEL: func.func @outer_kernel
// CHECK-NOT: tcp.to_trf
// CHECK: tcp.vector_fp_binary %{{.*}} MulF0, %{{.*}}!tcp.vrf<f32, #grid, "N
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @outer(%a: tensor<64x1xbf16>, %b: tensor<1x32xbf16>)
      -> tensor<64x32xf32> {
    %zero = arith.constant dense<0.0> : tensor<64x32xf32>
    %0 = linalg.matmul ins(%a, %b : tensor<64x1xbf16>, tensor<1x32xbf16>)
        outs(%zero : tensor<64x32xf32>) -> tensor<64x32xf32>
    return %0 : tensor<64x32xf32>
  }
}

// -----

// One argument in two layouts is two transfers.

// CHECK-LABEL: func.func @layouts(
// CHECK-SAME: %[[A:[^:]*]]: !tcp.host<bf16, #axes, "M, K">
// CHECK: tcp.to_hbm %[[A]] at 0 : {{.*}} -> !tcp.hbm<bf16, #axes, "1", "M, K">
// CHECK: tcp.to_hbm %[[A]] at {{[0-9]+}} : {{.*}} -> !tcp.hbm<bf16, #axes, "1", "K, M">
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @layouts(%a: tensor<64x32xbf16>, %b: tensor<32xbf16>,
                     %c: tensor<64xbf16>) -> (tensor<64xf32>, tensor<32xf32>) {
    %zero0 = arith.constant dense<0.0> : tensor<64xf32>
    %zero1 = arith.constant dense<0.0> : tensor<32xf32>
    %0 = linalg.matvec ins(%a, %b : tensor<64x32xbf16>, tensor<32xbf16>)
        outs(%zero0 : tensor<64xf32>) -> tensor<64xf32>
    %1 = linalg.vecmat ins(%c, %a : tensor<64xbf16>, tensor<64x32xbf16>)
        outs(%zero1 : tensor<32xf32>) -> tensor<32xf32>
    return %0, %1 : tensor<64xf32>, tensor<32xf32>
  }
}

// -----

// The operand whose free axis is innermost in the result is stationary.

// CHECK-LABEL: func.func @swapped_kernel
// CHECK-SAME: -> !tcp.hbm<f32, #axes, "1", "N, M">
// CHECK: tcp.to_trf %{{.*}} Full "M % 8"
// CHECK: tcp.accumulate %{{.*}} Interleaved "N{{[^"]*}}", "M % 8"
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @swapped(%a: tensor<64x32xbf16>, %b: tensor<32x128xbf16>)
      -> tensor<128x64xf32> {
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %0 = linalg.contract
        indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                         affine_map<(m, n, k) -> (k, n)>,
                         affine_map<(m, n, k) -> (n, m)>]
        ins(%a, %b : tensor<64x32xbf16>, tensor<32x128xbf16>)
        outs(%zero : tensor<128x64xf32>) -> tensor<128x64xf32>
    return %0 : tensor<128x64xf32>
  }
}
