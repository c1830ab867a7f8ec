// RUN: sequin-opt %s --convert-linalg-to-tcp="target=rngd argument-layout=row-major record-mappings" --split-input-file | FileCheck %s

// Arguments in the order of their dimensions.

// The second factor lies across the sum. Each of 16 slices side by side brings other
// elements of the sum for the rows of all of them, which are whole units of HBM; they
// exchange them in the sub context, and each turns its own rows in data memory, in the
// main context. The register file is filled from there. Rows of the next step are
// exchanged beside the products of this one.

// CHECK: #[[$BROUGHT:grid[0-9]*]] = #tcp.grid<{{.*}} slice "M1, N2, N1, K % 16">
// CHECK: #[[$OWN:grid[0-9]*]] = #tcp.grid<{{.*}} slice "M1, N2, N1, N3">
// CHECK-LABEL: func.func @turned_kernel
// CHECK-SAME: %[[B:[^:]*]]: !tcp.hbm<bf16, #axes1, "1", "D0, D1">)
// CHECK-NOT: tcp.to_hbm_view
// CHECK: %[[V0:.*]] = tcp.view %[[B]] at 0 : {{.*}} "K, N1, N2, N3, N">
// CHECK: %[[B0:.*]] = tcp.to_dm %[[V0]] {{.*}} -> !tcp.dm<bf16, #[[$BROUGHT]], "K / 16, N3, N">
// CHECK: %[[V1:.*]] = tcp.view %[[B]] at 131072 :
// CHECK: %[[B1:.*]] = tcp.to_dm %[[V1]]
// CHECK: tcp.begin sub %[[B0]]
// CHECK: tcp.fetch %{{.*}} bf16 "K / 16, N3", "N"
// CHECK: tcp.switch %{{.*}} InterTranspose slice1 = 16 slice0 = 1 time0 = 1 "M1, N2, N1, N3", "K / 16, K % 16"
// CHECK: %[[ROWS0:.*]] = tcp.commit %{{.*}} "K, N" : <sub collect bf16, #[[$OWN]],
// CHECK: tcp.begin main %[[ROWS0]]
// CHECK: tcp.fetch %{{.*}} bf16 "K / 4, K % 4", "N"
// CHECK: tcp.transpose %{{.*}} "K / 4, N", "K % 4 # 16"
// CHECK: %[[TURNED0:.*]] = tcp.commit %{{.*}} "N, K # 144"
// CHECK: tcp.begin main %[[TURNED0]]
// CHECK: %[[T0:.*]] = tcp.to_trf %{{.*}} Full "N", "K / 32, K % 32"
// CHECK: tcp.align %{{.*}}, %[[T0]]
// CHECK: tcp.contract
// CHECK: tcp.begin sub %[[B1]]
// CHECK: tcp.switch %{{.*}} InterTranspose slice1 = 16
// CHECK: %[[ROWS1:.*]] = tcp.commit
// CHECK: tcp.begin main %[[ROWS1]]
// CHECK: tcp.transpose
// CHECK: %[[TURNED1:.*]] = tcp.commit
// CHECK: tcp.begin main %[[TURNED1]]
// CHECK: tcp.to_trf
// CHECK: mapping = "{{[^"]*}}; rows turned in DM, brought for 16 slices at once"
func.func @turned(%a: tensor<256x512xbf16>, %b: tensor<512x1024xbf16>)
    -> tensor<256x1024xf32> {
  %zero = arith.constant dense<0.0> : tensor<256x1024xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<256x512xbf16>, tensor<512x1024xbf16>)
      outs(%zero : tensor<256x1024xf32>) -> tensor<256x1024xf32>
  return %0 : tensor<256x1024xf32>
}

// -----

// Where the sum has two dimensions no rows are turned. A copy that lies along it is one
// pass: slices have squares of rows and columns that are whole units of HBM both where
// they are read and where they are written.

// CHECK-LABEL: func.func @across_kernel
// CHECK: tcp.view {{.*}} !tcp.hbm<bf16, #axes{{[0-9]*}}, "1", "D0, D1, D2"> -> {{.*}}"D, D1, D2">
// CHECK: tcp.to_dm {{.*}}"D1, D2 % 128">
// CHECK: tcp.commit {{.*}} "D2 % 128, D1"
// CHECK: %[[COPY:.*]] = tcp.to_hbm_view
// CHECK-NOT: tcp.contract
// CHECK-NOT: tcp.transpose
// CHECK: %[[V:.*]] = tcp.view %[[COPY]]
// CHECK: %[[B:.*]] = tcp.to_dm %[[V]]
// CHECK: tcp.begin main %[[B]]
// CHECK-NOT: tcp.transpose
// CHECK: tcp.to_trf
// CHECK: tcp.contract
func.func @across(%a: tensor<256x4x128xbf16>, %b: tensor<4x128x1024xbf16>)
    -> tensor<256x1024xf32> {
  %zero = arith.constant dense<0.0> : tensor<256x1024xf32>
  %0 = linalg.contract
      indexing_maps = [affine_map<(m, n, j, k) -> (m, j, k)>,
                       affine_map<(m, n, j, k) -> (j, k, n)>,
                       affine_map<(m, n, j, k) -> (m, n)>]
      ins(%a, %b : tensor<256x4x128xbf16>, tensor<4x128x1024xbf16>)
      outs(%zero : tensor<256x1024xf32>) -> tensor<256x1024xf32>
  return %0 : tensor<256x1024xf32>
}

// -----

// Where the other factor is ragged, rings pad it and turn the rows all the same.

// CHECK-LABEL: func.func @ragged_kernel
// CHECK-NOT: tcp.to_hbm_view
// CHECK: tcp.transpose
// CHECK: tcp.to_trf
// CHECK: tcp.contract
// CHECK: tcp.to_hbm_view
func.func @ragged(%a: tensor<255x512xbf16>, %b: tensor<512x1024xbf16>)
    -> tensor<255x1024xf32> {
  %zero = arith.constant dense<0.0> : tensor<255x1024xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<255x512xbf16>, tensor<512x1024xbf16>)
      outs(%zero : tensor<255x1024xf32>) -> tensor<255x1024xf32>
  return %0 : tensor<255x1024xf32>
}

// -----

// Both factors do, and one matrix is copied once for two readers.

// CHECK-LABEL: func.func @both_kernel
// CHECK-COUNT-2: tcp.to_hbm_view
// CHECK: tcp.contract
// CHECK: tcp.to_hbm_view
// CHECK: tcp.contract
// CHECK: tcp.to_hbm_view
// CHECK-NOT: tcp.to_hbm_view
func.func @both(%a: tensor<256x128xbf16>, %b: tensor<256x192xbf16>)
    -> (tensor<128x192xf32>, tensor<192xf32>) {
  %zero = arith.constant dense<0.0> : tensor<128x192xf32>
  %zero1 = arith.constant dense<0.0> : tensor<192xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<256x128xbf16>, tensor<256x192xbf16>)
      outs(%zero : tensor<128x192xf32>) {
    ^bb0(%x: bf16, %y: bf16, %sum: f32):
      %wide = arith.extf %x : bf16 to f32
      %other = arith.extf %y : bf16 to f32
      %product = arith.mulf %wide, %other : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
  } -> tensor<128x192xf32>
  %ones = arith.constant dense<1.0> : tensor<256xbf16>
  %1 = linalg.vecmat ins(%ones, %b : tensor<256xbf16>, tensor<256x192xbf16>)
      outs(%zero1 : tensor<192xf32>) -> tensor<192xf32>
  return %0, %1 : tensor<128x192xf32>, tensor<192xf32>
}

// -----

// Of a small factor packets are picked element by element.

// CHECK-LABEL: func.func @small_kernel
// CHECK: tcp.contract
// CHECK: tcp.to_hbm_view
// CHECK-NOT: tcp.to_hbm_view
func.func @small(%a: tensor<64x64xbf16>, %b: tensor<64x255xbf16>) -> tensor<64x255xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x255xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xbf16>, tensor<64x255xbf16>)
      outs(%zero : tensor<64x255xf32>) -> tensor<64x255xf32>
  return %0 : tensor<64x255xf32>
}

// -----

// Weights of one row of activations are not copied: loads are cut along the sum,
// and the transpose engine turns each of them in DM. The sums of a load are added
// to those of the loads before.

// CHECK-LABEL: func.func @stream_across_kernel
// CHECK-NOT: tcp.to_hbm_view
// CHECK: tcp.to_dm {{.*}}"K1 % 2, K, N">
// CHECK: tcp.transpose
// CHECK: tcp.commit {{.*}} "N, [K1 % 2, K] # 48"
// CHECK: tcp.to_trf {{.*}} FirstHalf
// CHECK: tcp.accumulate
// CHECK: tcp.transpose
// CHECK: tcp.to_trf {{.*}} SecondHalf
// CHECK: tcp.accumulate
// CHECK: tcp.vector_clip {{.*}} Add
// CHECK: tcp.vector_inter_slice_reduce
// CHECK: tcp.to_hbm_view
func.func @stream_across(%x: tensor<1x4096xbf16>, %w: tensor<4096x2048xbf16>)
    -> tensor<1x2048xf32> {
  %zero = arith.constant dense<0.0> : tensor<1x2048xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<1x4096xbf16>, tensor<4096x2048xbf16>)
      outs(%zero : tensor<1x2048xf32>) -> tensor<1x2048xf32>
  return %0 : tensor<1x2048xf32>
}
