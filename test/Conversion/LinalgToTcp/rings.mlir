// Contractions on all slices of both clusters: rings that pass the streamed operand
// around, sums in chunks, steps, sums in parts on slices, and what the plan says of itself.
//
// RUN: sequin-opt %s --split-input-file --linalg-to-tcp="target=rngd record-mappings" | FileCheck %s
// RUN: sequin-opt %s --split-input-file --linalg-to-tcp=target=rngd --verify-roundtrip | FileCheck %s --check-prefix=PLAIN
// PLAIN-NOT: sequin.mappings
// PLAIN-COUNT-1: vector_inter_slice_reduce
// PLAIN-NOT: vector_inter_slice_reduce

// Chunks of the sum, in steps. Slices of a ring have 16 rows each of the stationary
// operand, and take iterations of the stream in turn, which they pass around (Broadcast01).
// Other slices have other parts of the stream. What the host sends lies in HBM as requests
// follow each other. A packet of the stationary operand meets 64 iterations of the stream,
// whose sums are accumulated side by side, so the rows lie packet by packet (TCP, TRF
// Cache), and the sub context can load the next rows to the other half of the register
// file, once the vector engine's operand of the last pass is there.

// CHECK-DAG: #[[$AXES:axes[0-9]*]] = #stream.axes<M = 64, N = 16, K = 256, M1 = 4, M2 = 4, M3 = 2, N1 = 4, N2 = 2, N3 = 8>
// CHECK-DAG: #[[$GRID:grid[0-9]*]] = #tcp.grid<#[[$AXES]], chip "1", cluster "M3", slice "M2, N2, N1, N3">
// CHECK-DAG: #[[$RING:grid[0-9]*]] = #tcp.grid<#[[$AXES]], chip "1", cluster "M3", slice "M2, M">
// CHECK-DAG: #[[$SIDE:grid[0-9]*]] = #tcp.grid<#[[$AXES]], chip "1", cluster "M3", slice "M2, N2, N1, M / 8">
// CHECK-LABEL: func.func @main_kernel(
// CHECK-SAME: %{{.*}}: !tcp.hbm<bf16, #{{.*}}, "1", "D1 / 256, {{[^"]*}}D1 % 128">, %{{.*}}: !tcp.hbm<bf16, #{{.*}}, "1", "D0 / 256, {{[^"]*}}D0 % 128">)
// CHECK: %[[SUMS:.*]] = tcp.from_address {{[0-9]+}} : !tcp.dm<f32, #[[$GRID]], "M1, M, N">
// CHECK: %[[B0:.*]] = tcp.to_dm {{.*}} -> !tcp.dm<bf16, #[[$GRID]], "N, K">
// CHECK: %[[A0:.*]] = tcp.to_dm {{.*}} -> !tcp.dm<bf16, #[[$RING]], "M1, K">
// CHECK: %[[B1:.*]] = tcp.to_dm
// CHECK: %[[A1:.*]] = tcp.to_dm
// CHECK: tcp.begin main %[[B0]]
// CHECK: %[[T0:.*]] = tcp.to_trf %{{.*}} FirstHalf "N % 8", "K / 32, N / 8, K % 32"
// CHECK: %[[A00:.*]] = tcp.tile %[[A0]] "M1" at 0 size 1
// CHECK: tcp.begin main %[[A00]]
// CHECK: tcp.switch %{{.*}} Broadcast01 slice1 = 1 slice0 = 64 time0 = 8 "M2, N2, N1, N3", "K / 32, M"
// CHECK: tcp.align %{{.*}}, %[[T0]] "K / 32, M, N / 8", "K % 32"
// CHECK: tcp.accumulate %{{.*}} Interleaved "M, N / 8", "N % 8"
// CHECK: %[[S0:.*]] = tcp.commit_view %{{.*}} into %[[SUMS]] "M1" at 0
// CHECK: tcp.tile %[[A0]] "M1" at 3
// CHECK: tcp.begin sub %[[B1]]
// CHECK: %[[T1:.*]] = tcp.to_trf %{{.*}} SecondHalf
// The sums so far come through the vector engine's register file, in halves by turns.
// CHECK: tcp.align %{{.*}}, %[[T1]]
// CHECK: %[[P0:.*]] = tcp.tile %{{.*}} "M1" at 0 size 1 "M1 = 1 # 4, M, N"
// CHECK: tcp.begin sub %[[P0]]
// CHECK: %[[V0:.*]] = tcp.to_vrf %{{.*}} at 0
// CHECK: tcp.vector_{{clip|fp_binary}} %{{.*}} Add{{F?}}, %[[V0]]
// CHECK: %[[R0:.*]] = tcp.commit %{{.*}} "M, N"
// CHECK: tcp.to_vrf %{{.*}} at 4096
// Rows of eight slices are put side by side, which makes whole units of HBM.
// CHECK: tcp.begin sub %[[R0]]
// CHECK: tcp.switch %{{.*}} InterTranspose slice1 = 8 slice0 = 1 time0 = {{[0-9]+}} "M2, N2, N1, M / 8"
// CHECK: %[[G0:.*]] = tcp.commit %{{.*}} "M % 8, N3, N"
// CHECK: tcp.to_hbm_view %[[G0]]
// CHECK: mapping = "clusters over the stream; slices: 4 of the stream x 64 of the rows; 16 rows each; 256 of the stream at once, passed around, 64 in a pass; the sum in 4 chunks; 4 steps of 4 passes; register files in halves by turns; rows of 8 slices side by side"
func.func @main(%a: tensor<2048x1024xbf16>, %b: tensor<1024x1024xbf16>) -> tensor<2048x1024xbf16> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2048x1024xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2048x1024xf32>) -> tensor<2048x1024xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<2048x1024xbf16>, tensor<1024x1024xbf16>)
      outs(%init : tensor<2048x1024xf32>) -> tensor<2048x1024xf32>
  %1 = tensor.empty() : tensor<2048x1024xbf16>
  %2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<2048x1024xf32>) outs(%1 : tensor<2048x1024xbf16>) {
  ^bb0(%x: f32, %out: bf16):
    %3 = arith.truncf %x : f32 to bf16
    linalg.yield %3 : bf16
  } -> tensor<2048x1024xbf16>
  return %2 : tensor<2048x1024xbf16>
}

// -----

// A short stream that does not divide, which a pin keeps in one part, as it does the sum: every slice has all of it, nothing is
// passed around. All rows of neighbours come to each of them.

// CHECK-DAG: #[[$SHORT:axes[0-9]*]] = #stream.axes<M = 3, N = 8, K = 512, N1 = {{[0-9]+}}, N2 = 8, N3 = 2, N4 = {{[0-9]+}}>
// CHECK-DAG: #[[$EVERY:grid[0-9]*]] = #tcp.grid<#[[$SHORT]], chip "1", cluster "N3", slice "N2, N1
// CHECK-LABEL: func.func @main_kernel(
// CHECK: tcp.to_dm {{.*}} -> !tcp.dm<i8, #[[$EVERY]], "N, K">
// CHECK: tcp.to_dm {{.*}} -> !tcp.dm<i8, #[[$EVERY]], "M, K">
// CHECK-NOT: tcp.switch
// CHECK: tcp.accumulate
// CHECK: tcp.switch %{{.*}} Broadcast01
// CHECK: mapping = "clusters over rows; slices: 256 of the rows; 8 rows each; 3 of the stream at once, in every slice; 1 step; rows of 8 slices side by side"
func.func @main(%a: tensor<3x512xi8>, %b: tensor<512x4096xi8>) -> tensor<3x4096xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<3x4096xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<3x4096xi32>) -> tensor<3x4096xi32>
  %0 = linalg.matmul {sequin.pin = {parts = array<i64: 1, 0, 1>}} ins(%a, %b : tensor<3x512xi8>, tensor<512x4096xi8>)
      outs(%init : tensor<3x4096xi32>) -> tensor<3x4096xi32>
  return %0 : tensor<3x4096xi32>
}

// -----

// A batch is over slices, too.

// CHECK-LABEL: func.func @main_kernel(
// CHECK: tcp.switch %{{.*}} Broadcast01
// CHECK: mapping = "clusters over {{[a-z ]+}}; slices: {{[0-9]+}} of the batch x {{[0-9]+}} of
func.func @main(%a: tensor<16x512x128xbf16>, %b: tensor<16x128x512xbf16>) -> tensor<16x512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16x512x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x512x512xf32>) -> tensor<16x512x512xf32>
  %0 = linalg.batch_matmul ins(%a, %b : tensor<16x512x128xbf16>, tensor<16x128x512xbf16>)
      outs(%init : tensor<16x512x512xf32>) -> tensor<16x512x512xf32>
  return %0 : tensor<16x512x512xf32>
}

// -----

// A sum over two loops: chunks are of the inner one.

// CHECK-LABEL: func.func @main_kernel(
// CHECK: tcp.to_dm {{.*}} "K, N, K1">
// CHECK: tcp.to_trf %{{.*}} "N % 8", "K, K1 / 32, {{(N / 8, )?}}K1 % 32"
// CHECK: kind = "rings"
func.func @main(%a: tensor<1024x8x128xbf16>, %b: tensor<8x128x2048xbf16>) -> tensor<1024x2048xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1024x2048xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1024x2048xf32>) -> tensor<1024x2048xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, h, k) -> (m, h, k)>,
                                        affine_map<(m, n, h, k) -> (h, k, n)>,
                                        affine_map<(m, n, h, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<1024x8x128xbf16>, tensor<8x128x2048xbf16>) outs(%init : tensor<1024x2048xf32>) {
  ^bb0(%x: bf16, %y: bf16, %out: f32):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.extf %y : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %out, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<1024x2048xf32>
  return %0 : tensor<1024x2048xf32>
}

// -----

// What is pinned is kept, and the rest is searched around it: 512 iterations of the stream
// at once, hence one step.

// CHECK-LABEL: func.func @main_kernel(
// CHECK: tcp.switch %{{.*}} Broadcast01
// CHECK: kind = "rings"
// CHECK-SAME: mapping = "clusters over the stream; {{[^"]*}}; 64 of the stream at once, passed around; 1 step;
func.func @main(%a: tensor<512x1024xbf16>, %b: tensor<1024x512xbf16>) -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.matmul {sequin.pin = {tiles = array<i64: 512, 512, 1024>, parts = array<i64: 0, 0, 1>}} ins(%a, %b : tensor<512x1024xbf16>, tensor<1024x512xbf16>)
      outs(%init : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

// Sixteen parts of the stream, clusters included, and one of the sum.

// CHECK-LABEL: func.func @main_kernel(
// CHECK: kind = "rings"
// CHECK-SAME: mapping = "clusters over {{rows; slices: 16 of the stream x 16|the stream; slices: 8 of the stream x 32}} of the rows;
func.func @main(%a: tensor<512x1024xbf16>, %b: tensor<1024x512xbf16>) -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.matmul {sequin.pin = {parts = array<i64: 16, 0, 1>}} ins(%a, %b : tensor<512x1024xbf16>, tensor<1024x512xbf16>)
      outs(%init : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

// A sum that is pinned to 1000 is not of whole packets on slices: no ring, and the record
// says how it is tiled.

// CHECK-LABEL: func.func @main_kernel(
// CHECK-NOT: tcp.switch
// CHECK: kind = "tiles"
// CHECK-SAME: mapping = "M: 512
func.func @main(%a: tensor<512x1000xbf16>, %b: tensor<1000x512xbf16>) -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.matmul {sequin.pin = {tiles = array<i64: 0, 0, 1000>}} ins(%a, %b : tensor<512x1000xbf16>, tensor<1000x512xbf16>)
      outs(%init : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

// Steps of several chunks: the first and the last ones have few, so that the tensor unit
// starts early and is not alone at the end. A chunk of a step is a part of what is in DM.

// CHECK-DAG: #[[$LOADS:axes[0-9]*]] = #stream.axes<{{.*}}K = 256{{.*}}, K1 = 2
// CHECK-LABEL: func.func @main_kernel(
// CHECK: tcp.to_dm {{.*}} -> !tcp.dm<bf16, #{{.*}}, "N, K">
// CHECK: %[[B:.*]] = tcp.to_dm {{.*}} -> !tcp.dm<bf16, #{{.*}}, "N, K1, K">
// CHECK: tcp.tile %[[B]] "K1" at 0 size 1 "N, K1 = 1 # 2, K"
// CHECK: tcp.tile %[[B]] "K1" at 1 size 1 "N, K1 = 1 # 2, K"
// CHECK: mapping = "{{[^"]*}}; the sum in 16 chunks; {{[0-9]+}} steps of {{[0-9]+}} passes, of up to
func.func @main(%a: tensor<1024x4096xbf16>, %b: tensor<4096x512xbf16>) -> tensor<1024x512xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1024x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  %0 = linalg.matmul {sequin.pin = {tiles = array<i64: 0, 0, 256>}} ins(%a, %b : tensor<1024x4096xbf16>, tensor<4096x512xbf16>)
      outs(%init : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  return %0 : tensor<1024x512xf32>
}

// -----

// More rows than the register file has at once: refills, a part of what is in DM each,
// and results that are complete when the last one is.

// CHECK-LABEL: func.func @main_kernel(
// CHECK: %[[B:.*]] = tcp.to_dm
// CHECK: %[[F:.*]] = tcp.tile %[[B]] "[[N:N[0-9]]]" at 0 size 1
// CHECK: tcp.begin main %[[F]]
// CHECK: tcp.to_trf %{{.*}} FirstHalf
// CHECK: %[[R:.*]] = tcp.from_address {{[0-9]+}} : !tcp.dm<bf16, #{{.*}}, "[[N]], M, N">
// CHECK: %[[R0:.*]] = tcp.commit_view %{{.*}} into %[[R]] "[[N]]" at 0 size 1
// CHECK: %[[G:.*]] = tcp.tile %[[B]] "[[N]]" at 1 size 1
// CHECK: tcp.begin sub %[[G]]
// CHECK: tcp.to_trf %{{.*}} SecondHalf
// CHECK-NOT: tcp.to_hbm_view
// CHECK: tcp.commit_view %{{.*}} into %[[R0]] "[[N]]" at 1 size 1
// CHECK: tcp.to_hbm_view
// CHECK: mapping = "{{[^"]*}}; 32 rows each, 16 at once;
func.func @main(%a: tensor<256x256xbf16>, %b: tensor<256x16384xbf16>) -> tensor<256x16384xbf16> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256x16384xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<256x16384xf32>) -> tensor<256x16384xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<256x256xbf16>, tensor<256x16384xbf16>)
      outs(%init : tensor<256x16384xf32>) -> tensor<256x16384xf32>
  %1 = tensor.empty() : tensor<256x16384xbf16>
  %2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<256x16384xf32>) outs(%1 : tensor<256x16384xbf16>) {
  ^bb0(%x: f32, %out: bf16):
    %3 = arith.truncf %x : f32 to bf16
    linalg.yield %3 : bf16
  } -> tensor<256x16384xbf16>
  return %2 : tensor<256x16384xbf16>
}

// -----

// A long sum of few rows is in parts on the innermost slices, which all have the same rows
// and all of the stream that these meet. The inter-slice block adds what they have on its
// way to the vector engine; the sums are in the first slice. A slice has whole rows of the
// result, 72 columns, which are stored with their padding, in units of HBM.

// CHECK-DAG: #[[$PARTS:grid[0-9]*]] = #tcp.grid<#{{[a-z0-9]*}}, chip "1", cluster "{{M[0-9]}}", slice "[[PARTS:(.*, )?]][[K:K[0-9]]]">
// CHECK-DAG: #[[$ADDED:grid[0-9]*]] = #tcp.grid<#{{[a-z0-9]*}}, chip "1", cluster "{{M[0-9]}}", slice "{{(.*, )?}}1 # {{[0-9]+}}">
// CHECK-LABEL: func.func @main_kernel(
// CHECK: tcp.to_dm {{.*}} -> !tcp.dm<bf16, #[[$PARTS]], "N, K">
// CHECK: tcp.to_dm {{.*}} -> !tcp.dm<bf16, #[[$PARTS]], "M, K">
// CHECK-NOT: tcp.switch
// CHECK: tcp.accumulate %{{.*}} Interleaved
// CHECK-NEXT: tcp.vector_init
// CHECK-NEXT: tcp.vector_inter_slice_reduce %{{.*}} Add "{{(.*, )?}}1 # {{[0-9]+}}"
// CHECK: tcp.commit %{{.*}} "M, N # 128"
// CHECK: tcp.to_hbm_view %{{.*}}"{{(.*, )?}}M, N # 128"> : !tcp.dm<f32, #[[$ADDED]], "M, N # 128">
// CHECK: mapping = "clusters over the stream; slices: {{.*}} of the sum x 1 of the rows; 72 rows each
func.func @main(%a: tensor<100x8192xbf16>, %b: tensor<8192x72xbf16>) -> tensor<100x72xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<100x72xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<100x72xf32>) -> tensor<100x72xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<100x8192xbf16>, tensor<8192x72xbf16>)
      outs(%init : tensor<100x72xf32>) -> tensor<100x72xf32>
  return %0 : tensor<100x72xf32>
}
