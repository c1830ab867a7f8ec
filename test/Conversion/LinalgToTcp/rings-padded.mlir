// Rings whose loops run past the end of the product: rows, the stream and the sum.
//
// RUN: sequin-opt %s --split-input-file --linalg-to-tcp="target=rngd record-mappings" | FileCheck %s
// RUN: sequin-opt %s --split-input-file --linalg-to-tcp=target=rngd --verify-roundtrip -o /dev/null

// 1000 rows, a sum of 1000, in parts on slices, and 1000 columns are 1024 each. The host's arrays end before, and
// its transfer leaves zeros behind them, so that fetches need no mask. Digits of HBM's order
// count what is padded.

// CHECK-DAG: #stream.axes<D0 = 1024, D1 = 1024>
// CHECK-LABEL: func.func @host_kernel(
// CHECK-NOT: K = {{[0-9]+}} #
// CHECK: tcp.vector_inter_slice_reduce %{{.*}} Add
// CHECK-LABEL: func.func @host(
// CHECK-SAME: !tcp.host<bf16, #{{[a-z0-9]*}}, "D0 = 1000, D1 = 1000">
// CHECK-SAME: -> !tcp.host<f32, #{{[a-z0-9]*}}, "D0 = 1000, D1 = 1000">
// CHECK-SAME: kind = "rings"
// CHECK: tcp.to_hbm %{{.*}} : !tcp.host<bf16, #{{.*}}, "D0 = 1000, D1 = 1000"> -> !tcp.hbm<bf16, #{{.*}}, "1", "D{{[01]}} / {{.*}}D0 {{.*}}">
func.func @host(%a: tensor<1000x1000xbf16>, %b: tensor<1000x1000xbf16>) -> tensor<1000x1000xf32> {
  %z = arith.constant dense<0.0> : tensor<1000x1000xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<1000x1000xbf16>, tensor<1000x1000xbf16>)
      outs(%z : tensor<1000x1000xf32>) -> tensor<1000x1000xf32>
  return %0 : tensor<1000x1000xf32>
}

// -----

// What lies behind the exponentials is whatever memory had, so the end of the last chunk of
// both factors is masked, in the main context.

// CHECK-LABEL: func.func @computed_kernel(
// CHECK: tcp.begin main
// CHECK: tcp.fetch %{{.*}} bf16 "N, K / 32", "K % 32"
// CHECK: tcp.to_trf %{{.*}} FirstHalf
// CHECK: tcp.begin main
// CHECK: tcp.fetch %{{.*}} bf16 "N, K = 488 # 512 / 32", "K = 488 # 512 % 32"
// CHECK: %[[T:.*]] = tcp.to_trf %{{.*}} SecondHalf
// CHECK: tcp.begin main
// CHECK: tcp.fetch %{{.*}} bf16 "K = 488 # 512 / 32", "K = 488 # 512 % 32"
// CHECK: tcp.switch %{{.*}} Broadcast01 slice1 = 1
// CHECK: tcp.align %{{.*}}, %[[T]] "K = 488 # 512 / 32, M", "K = 488 # 512 % 32"
// CHECK: func.func @computed(
#id = affine_map<(i, j) -> (i, j)>
func.func @computed(%a: tensor<256x1000xf32>, %b: tensor<1000x1024xbf16>) -> tensor<256x1024xf32> {
  %e = tensor.empty() : tensor<256x1000xbf16>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<256x1000xf32>) outs(%e : tensor<256x1000xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %2 = math.exp %x : f32
    %3 = arith.truncf %2 : f32 to bf16
    linalg.yield %3 : bf16
  } -> tensor<256x1000xbf16>
  %z = arith.constant dense<0.0> : tensor<256x1024xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<256x1000xbf16>, tensor<1000x1024xbf16>)
      outs(%z : tensor<256x1024xf32>) -> tensor<256x1024xf32>
  return %1 : tensor<256x1024xf32>
}
