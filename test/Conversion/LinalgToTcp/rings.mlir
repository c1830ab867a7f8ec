// Contractions on all slices of both clusters: rings that pass the streamed operand
// around, sums in parts, steps, and what the plan says of itself.
//
// RUN: sequin-opt %s --split-input-file --linalg-to-tcp="target=rngd record-mappings" | FileCheck %s
// RUN: sequin-opt %s --split-input-file --linalg-to-tcp=target=rngd --verify-roundtrip | FileCheck %s --check-prefix=PLAIN
// PLAIN-NOT: sequin.mappings

// Four steps. A slice has a part of K and 32 rows of the stationary operand, and its
// share of a tile of rows of %a; slices with the same part of K are a ring, which passes
// the tile around (Broadcast01). The parts of the sum are added, and the slices that have
// added keep rows of the result each: promotion. The tiles of %a are in two or more
// places of DM, and the next one is loaded before a step begins.

// CHECK-DAG: #[[$AXES:axes[0-9]*]] = #stream.axes<M = [[$M:[0-9]+]], N = 1024, K = 1024, M1 = 2>
// CHECK-DAG: #grid = #tcp.grid<#[[$AXES]], chip "1", cluster "M1", slice "K / [[$KL:[0-9]+]], N / [[$NL:[0-9]+]]">
// CHECK-DAG: #grid1 = #tcp.grid<#[[$AXES]], chip "1", cluster "M1", slice "K / [[$KL]], M % [[$RING:[0-9]+]]">
// CHECK-DAG: #grid2 = #tcp.grid<#[[$AXES]], chip "1", cluster "M1", slice "M / [[$ML:[0-9]+]], N / [[$NL]]">
// CHECK-LABEL: func.func @main_kernel(
// CHECK: %[[B:.*]] = tcp.to_dm {{.*}} -> !tcp.dm<bf16, #grid, "N % [[$NL]], K % [[$KL]]">
// CHECK: %[[A0:.*]] = tcp.to_dm %{{.*}} at [[P0:[0-9]+]] : {{.*}} -> !tcp.dm<bf16, #grid1, "M / [[$RING]], K % [[$KL]]">
// CHECK: %[[A1:.*]] = tcp.to_dm %{{.*}} at [[P1:[0-9]+]] : {{.*}} -> !tcp.dm<bf16, #grid1,
// CHECK: tcp.begin main %[[B]]
// CHECK: tcp.to_trf
// CHECK: tcp.begin main %[[A0]]
// CHECK: tcp.switch %{{.*}} Broadcast01 slice1 = [[$RING]] slice0 = 1 time0 = [[PACKETS:[0-9]+]] "K / [[$KL]], N / [[$NL]]", "M, K / 32 % [[PACKETS]]"
// CHECK: tcp.vector_inter_slice_reduce %{{.*}} Add "M / [[$ML]], N / [[$NL]]", "M % [[$ML]],
// CHECK: tcp.commit %{{.*}} at [[R0:[0-9]+]] "M % [[$ML]], N % [[$NL]]"
// CHECK: %[[O1:.*]] = tcp.to_hbm_view
// CHECK: %[[A2:.*]] = tcp.to_dm
// CHECK: tcp.begin main %[[A1]]
// CHECK-NOT: tcp.to_trf
// CHECK: tcp.commit %{{.*}} at [[R1:[0-9]+]] "M
// CHECK: %[[O2:.*]] = tcp.to_hbm_view %{{.*}} into %[[O1]]
// CHECK: %[[A3:.*]] = tcp.to_dm
// CHECK: tcp.begin main %[[A2]]
// The third result is where the first was.
// CHECK: tcp.commit %{{.*}} at [[R0]] "M
// CHECK: %[[O3:.*]] = tcp.to_hbm_view %{{.*}} into %[[O2]]
// CHECK-NOT: tcp.to_dm
// CHECK: tcp.begin main %[[A3]]
// CHECK: tcp.commit %{{.*}} at [[R1]] "M
// CHECK: %[[O4:.*]] = tcp.to_hbm_view %{{.*}} into %[[O3]]
// CHECK: return %[[O4]]
// CHECK: sequin.mappings = [{bound_by = "{{dma|tensor unit}}", complete = true, cycles = {{[0-9]+}} : i64, evaluated = {{[0-9]+}} : i64, feasible = {{[0-9]+}} : i64, group = "contraction", kind = "rings", location = "{{.*}}rings.mlir:{{[0-9:]+}}", mapping = "clusters over the stream; slices: 8 of the sum x 32 of the rows; {{[0-9]+}} rows each; {{[0-9]+}} of the stream at once, passed around; 4 steps, the stream changing first", operation = "linalg.generic", runner_up = {cycles = {{[0-9]+}} : i64, lost_because = "{{.*}}", mapping = "{{.*}}"}}]
func.func @main(%a: tensor<2048x1024xbf16>, %b: tensor<1024x1024xbf16>) -> tensor<2048x1024xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2048x1024xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2048x1024xf32>) -> tensor<2048x1024xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<2048x1024xbf16>, tensor<1024x1024xbf16>)
      outs(%init : tensor<2048x1024xf32>) -> tensor<2048x1024xf32>
  return %0 : tensor<2048x1024xf32>
}

// -----

// The first tile in pieces: the tensor unit begins when a quarter of the rows is there.
// Each piece has places of its own, for what it reads and for what it leaves.

// CHECK-DAG: #[[$PIECES:axes[0-9]*]] = #stream.axes<M = 64, N = 256, K = 8192, N1 = 2, M1 = 4>
// CHECK-LABEL: func.func @main_kernel(
// CHECK: tcp.to_trf
// CHECK: %[[A0:.*]] = tcp.to_dm {{.*}} -> !tcp.dm<bf16, #grid1, "M / 4, K % 128">
// CHECK: %[[A1:.*]] = tcp.to_dm {{.*}} -> !tcp.dm<bf16, #grid1, "M / 4, K % 128">
// CHECK: %[[A2:.*]] = tcp.to_dm {{.*}} -> !tcp.dm<bf16, #grid1, "M / 4, K % 128">
// CHECK: %[[A3:.*]] = tcp.to_dm {{.*}} -> !tcp.dm<bf16, #grid1, "M / 4, K % 128">
// CHECK: tcp.begin main %[[A0]]
// CHECK: tcp.to_hbm_view %{{.*}} at 0 as
// CHECK: tcp.begin main %[[A1]]
// CHECK: tcp.to_hbm_view %{{.*}} at 32768 as
// CHECK: tcp.begin main %[[A2]]
// CHECK: tcp.to_hbm_view %{{.*}} at 65536 as
// CHECK: tcp.begin main %[[A3]]
// CHECK: tcp.to_hbm_view %{{.*}} at 98304 as
// CHECK: return
// CHECK: mapping = "clusters over rows; slices: 64 of the sum x 4 of the rows; 64 rows each; 256 of the stream at once, passed around, the first in 4 pieces; 1 step"
func.func @main(%a: tensor<256x8192xbf16>, %b: tensor<8192x512xbf16>) -> tensor<256x512xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<256x512xf32>) -> tensor<256x512xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<256x8192xbf16>, tensor<8192x512xbf16>)
      outs(%init : tensor<256x512xf32>) -> tensor<256x512xf32>
  return %0 : tensor<256x512xf32>
}

// -----

// Clusters over the rows of the weights: in HBM the halves lie interleaved, row by row,
// so that a request is close to the one of the other cluster. Two places of DM take the
// tiles of the weights in turns.

// CHECK-DAG: #[[$WEIGHTS:axes[0-9]*]] = #stream.axes<M = 8, N = 1024, K = 4096, N1 = 2>
// CHECK-LABEL: func.func @main_kernel(
// CHECK-SAME: %[[B:[a-z0-9]*]]: !tcp.hbm<bf16, #{{[a-z0-9]+}}, "1", "D1 % 2048, D1 / 2048, D0">)
// CHECK: %[[V0:.*]] = tcp.view %[[B]] at 0 : {{.*}} -> !tcp.hbm<bf16, #[[$WEIGHTS]], "1", "N, N1, K">
// CHECK: tcp.to_dm %[[V0]] at 0 :
// CHECK: %[[V1:.*]] = tcp.view %[[B]] at 8388608 : {{.*}} -> !tcp.hbm<bf16, #[[$WEIGHTS]], "1", "N, N1, K">
// CHECK: tcp.to_dm %[[V1]] at {{[1-9][0-9]+}} :
// CHECK: tcp.switch %{{.*}} Broadcast01 slice1 = 8
// CHECK: vector_inter_slice_reduce %{{.*}} Add "1 # 32, N / 128"
// CHECK-LABEL: func.func @main(
// CHECK: tcp.to_hbm %{{.*}} : !tcp.host<bf16, #{{.*}}, "D0, D1"> -> !tcp.hbm<bf16, #{{.*}}, "1", "D1 % 2048, D1 / 2048, D0">
func.func @main(%a: tensor<8x4096xbf16>, %b: tensor<4096x4096xbf16>) -> tensor<8x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x4096xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x4096xf32>) -> tensor<8x4096xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x4096xbf16>, tensor<4096x4096xbf16>)
      outs(%init : tensor<8x4096xf32>) -> tensor<8x4096xf32>
  return %0 : tensor<8x4096xf32>
}

// -----

// A short stream that does not divide: every slice has all of it, nothing is passed
// around.

// CHECK-DAG: #grid = #tcp.grid<#[[$SHORT:axes[0-9]*]], chip "1", cluster "N1", slice "K / 256, N / 32">
// CHECK-DAG: #[[$SHORT]] = #stream.axes<M = 3, N = 512, K = 4096, N1 = 2>
// CHECK-LABEL: func.func @main_kernel(
// CHECK: tcp.to_dm {{.*}} -> !tcp.dm<i8, #grid, "N % 32, K % 256">
// CHECK: tcp.to_dm {{.*}} -> !tcp.dm<i8, #grid, "M, K % 256">
// CHECK-NOT: tcp.switch
// CHECK: tcp.vector_inter_slice_reduce %{{.*}} Add "1 # 16, N / 32", "M, N / 8 % 4"
// CHECK: mapping = "clusters over rows; slices: 16 of the sum x 16 of the rows; 32 rows each; 3 of the stream at once, in every slice; 1 step"
func.func @main(%a: tensor<3x4096xi8>, %b: tensor<4096x1024xi8>) -> tensor<3x1024xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<3x1024xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<3x1024xi32>) -> tensor<3x1024xi32>
  %0 = linalg.matmul ins(%a, %b : tensor<3x4096xi8>, tensor<4096x1024xi8>)
      outs(%init : tensor<3x1024xi32>) -> tensor<3x1024xi32>
  return %0 : tensor<3x1024xi32>
}

// -----

// A batch is over slices, too, inside of the sum: DMA engines, which have the
// outermost slices, read side by side.

// CHECK-DAG: #[[$BATCH:axes[0-9]*]] = #stream.axes<B = 8, M = 256, N = 512, K = 128, B1 = 2>
// CHECK-DAG: #grid = #tcp.grid<#[[$BATCH]], chip "1", cluster "B1", slice "K / 32, B, N / 64">
// CHECK-DAG: #grid1 = #tcp.grid<#[[$BATCH]], chip "1", cluster "B1", slice "K / 32, B, M % 8">
// CHECK-DAG: #grid2 = #tcp.grid<#[[$BATCH]], chip "1", cluster "B1", slice "M / 64, B, N / 64">
// CHECK-LABEL: func.func @main_kernel(
// CHECK: tcp.switch %{{.*}} Broadcast01 slice1 = 8 slice0 = 1 time0 = 1 "K / 32, B, N / 64", "M"
// CHECK: tcp.vector_inter_slice_reduce %{{.*}} Add "M / 64, B, N / 64", "M % 64, N / 8 % 8"
// CHECK: mapping = "clusters over the batch; slices: 8 of the batch x 4 of the sum x 8 of the rows;
func.func @main(%a: tensor<16x512x128xbf16>, %b: tensor<16x128x512xbf16>) -> tensor<16x512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16x512x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x512x512xf32>) -> tensor<16x512x512xf32>
  %0 = linalg.batch_matmul ins(%a, %b : tensor<16x512x128xbf16>, tensor<16x128x512xbf16>)
      outs(%init : tensor<16x512x512xf32>) -> tensor<16x512x512xf32>
  return %0 : tensor<16x512x512xf32>
}

// -----

// A sum over two loops: slices differ in the outer one.

// CHECK-DAG: #[[$HEADS:axes[0-9]*]] = #stream.axes<M = [[M:[0-9]+]], N = [[N:[0-9]+]], K = 8, K1 = 128, {{[MN]}}1 = 2>
// CHECK-DAG: #grid = #tcp.grid<#[[$HEADS]], chip "1", cluster "{{[MN]}}1", slice "K, N / [[$NL:[0-9]+]]">
// CHECK-DAG: #grid1 = #tcp.grid<#[[$HEADS]], chip "1", cluster "{{[MN]}}1", slice "K, M % 32">
// CHECK-LABEL: func.func @main_kernel(
// CHECK: tcp.to_dm {{.*}} -> !tcp.dm<bf16, #grid, "N % [[$NL]], K1">
// CHECK: tcp.to_dm {{.*}} -> !tcp.dm<bf16, #grid1, "M / 32, K1">
// CHECK: tcp.switch %{{.*}} Broadcast01 slice1 = 32 slice0 = 1 time0 = 4 "K, N / [[$NL]]", "M, K1 / 32"
// CHECK: tcp.vector_inter_slice_reduce %{{.*}} Add "M / [[ML:[0-9]+]], N / [[$NL]]", "M % [[ML]]
func.func @main(%a: tensor<256x8x128xbf16>, %b: tensor<8x128x512xbf16>) -> tensor<256x512xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<256x512xf32>) -> tensor<256x512xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, h, k) -> (m, h, k)>,
                                        affine_map<(m, n, h, k) -> (h, k, n)>,
                                        affine_map<(m, n, h, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<256x8x128xbf16>, tensor<8x128x512xbf16>) outs(%init : tensor<256x512xf32>) {
  ^bb0(%x: bf16, %y: bf16, %out: f32):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.extf %y : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %out, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<256x512xf32>
  return %0 : tensor<256x512xf32>
}

// -----

// What is pinned is kept, and the rest is searched around it: 512 rows of the stream at
// once, hence one step; the same product alone takes two (matmul.mlir).

// CHECK-LABEL: func.func @main_kernel(
// CHECK: tcp.switch %{{.*}} Broadcast01
// CHECK: kind = "rings"
// CHECK-SAME: mapping = "clusters over the stream; {{[^"]*}}; 256 of the stream at once, passed around{{[^;]*}}; 1 step"
func.func @main(%a: tensor<512x1024xbf16>, %b: tensor<1024x512xbf16>) -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.matmul {sequin.pin = {tiles = array<i64: 512, 512, 1024>}} ins(%a, %b : tensor<512x1024xbf16>, tensor<1024x512xbf16>)
      outs(%init : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

// Sixteen parts of the sum.

// CHECK: #grid = #tcp.grid<#{{.*}}, chip "1", cluster "M1", slice "K / 64, N / 32">
// CHECK-LABEL: func.func @main_kernel(
// CHECK: kind = "rings"
// CHECK-SAME: mapping = "clusters over the stream; slices: 16 of the sum x 16 of the rows;
func.func @main(%a: tensor<512x1024xbf16>, %b: tensor<1024x512xbf16>) -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.matmul {sequin.pin = {parts = array<i64: 0, 0, 16>}} ins(%a, %b : tensor<512x1024xbf16>, tensor<1024x512xbf16>)
      outs(%init : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

// A sum of 1000 is not of whole packets on slices: no ring, and the record says how it is
// tiled.

// CHECK-LABEL: func.func @main_kernel(
// CHECK-NOT: tcp.switch
// CHECK: kind = "tiles"
// CHECK-SAME: mapping = "M: 512
func.func @main(%a: tensor<512x1000xbf16>, %b: tensor<1000x512xbf16>) -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<512x1000xbf16>, tensor<1000x512xbf16>)
      outs(%init : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

// A sum in two chunks, one after the other. What the host sends lies in HBM chunk by chunk.
// The first chunk leaves its sums in DM, as f32; the sub context loads them to a register
// file, in halves by turns, beside the products of the step before, and the second chunk
// adds them before they are rounded. Its own operands are loaded while the first one's are
// multiplied.

// CHECK-DAG: #[[$CHUNK:axes[0-9]*]] = #stream.axes<M = {{[0-9]+}}, N = {{[0-9]+}}, K = 512, {{[MN]}}1 = 2>
// CHECK-LABEL: func.func @main_kernel(
// CHECK-SAME: %{{.*}}: !tcp.hbm<bf16, #{{[a-z0-9]+}}, "1", "D1 / 512, D0, D1 % 512">, %[[B:.*]]: !tcp.hbm<bf16, #{{[a-z0-9]+}}, "1", "D0 / 512, D1{{.*}}, D0 % 512">
// CHECK: tcp.to_dm
// CHECK: tcp.to_trf %{{.*}} Full
// CHECK: tcp.vector_inter_slice_reduce
// CHECK-NOT: tcp.to_vrf
// CHECK: %[[S0:.*]] = tcp.commit %{{.*}} at [[P0:[0-9]+]] {{.*}}f32
// CHECK-NOT: tcp.to_hbm_view
// CHECK: %[[S1:.*]] = tcp.commit
// CHECK: tcp.vector_inter_slice_reduce
// CHECK: tcp.begin sub %[[S0]]
// CHECK: %[[V0:.*]] = tcp.to_vrf %{{.*}} at 0
// CHECK: tcp.vector_{{clip|fp_binary}} %{{.*}} Add{{F?}}, %[[V0]]
// CHECK: tcp.cast %{{.*}} bf16
// CHECK: tcp.to_hbm_view
// CHECK: tcp.begin sub %[[S1]]
// CHECK: tcp.to_vrf %{{.*}} at 4096
// CHECK: mapping = "{{[^"]*}}; the sum in 2 chunks; 4 steps, the stream changing first
func.func @main(%a: tensor<256x1024xbf16>, %b: tensor<1024x512xbf16>) -> tensor<256x512xbf16> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<256x512xf32>) -> tensor<256x512xf32>
  %0 = linalg.matmul {sequin.pin = {tiles = array<i64: 128, 512, 512>}} ins(%a, %b : tensor<256x1024xbf16>, tensor<1024x512xbf16>)
      outs(%init : tensor<256x512xf32>) -> tensor<256x512xf32>
  %1 = tensor.empty() : tensor<256x512xbf16>
  %2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<256x512xf32>) outs(%1 : tensor<256x512xbf16>) {
  ^bb0(%x: f32, %out: bf16):
    %3 = arith.truncf %x : f32 to bf16
    linalg.yield %3 : bf16
  } -> tensor<256x512xbf16>
  return %2 : tensor<256x512xbf16>
}

// -----

// Few rows in each register file: a pass finds them all in its cache, which leaves the
// banks to the sub context. It loads the next rows to the other half while the main context
// multiplies by these; only the first rows, before there is anything to multiply, come by
// the main context, which is faster.

// CHECK-LABEL: func.func @main_kernel(
// CHECK: tcp.begin main
// CHECK: %[[T0:.*]] = tcp.to_trf %{{.*}} FirstHalf
// CHECK: tcp.align %{{.*}}, %[[T0]] "
// CHECK: tcp.begin sub
// CHECK: %[[T1:.*]] = tcp.to_trf %{{.*}} SecondHalf
// CHECK: tcp.align %{{.*}}, %[[T1]] "
// CHECK: tcp.begin sub
// CHECK: %[[T2:.*]] = tcp.to_trf %{{.*}} FirstHalf
// CHECK: tcp.align %{{.*}}, %[[T2]] "
// CHECK: mapping = "{{[^"]*}}; register files in halves by turns"
func.func @main(%a: tensor<1024x4096xbf16>, %b: tensor<4096x512xbf16>) -> tensor<1024x512xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1024x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  %0 = linalg.matmul {sequin.pin = {tiles = array<i64: 1024, 64, 4096>}} ins(%a, %b : tensor<1024x4096xbf16>, tensor<4096x512xbf16>)
      outs(%init : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  return %0 : tensor<1024x512xf32>
}
