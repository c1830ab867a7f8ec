// RUN: sequin-opt %s --linalg-to-tcp=target=rngd | FileCheck %s
// RUN: sequin-opt %s --linalg-to-tcp=target=rngd --tcp-to-config | FileCheck %s --check-prefix=CONFIG

// ROWS: HEL-02

// A matrix product on all 512 slices: clusters share the rows of %a, the slices of a
// cluster differ in the part of the sum and in the columns of %b, whose eight rows side
// by side are stationary. The slices of a ring have different rows of %a and pass
// them around; the inter-slice block adds the parts of the sum and leaves the rows on
// the slices that have added. The rows come in two steps; the second one's are loaded
// while the first one's are multiplied.

// CHECK: #[[$GROUP:axes[0-9]+]] = #stream.axes<M = 128, N = 512, K = 1024, M1 = 2>
// CHECK: #grid = #tcp.grid<#[[$GROUP]], chip "1", cluster "M1", slice "K / [[$KL:[0-9]+]], N / [[$NL:[0-9]+]]">
// CHECK: #grid1 = #tcp.grid<#[[$GROUP]], chip "1", cluster "M1", slice "K / [[$KL]], M % [[$RING:[0-9]+]]">
// CHECK: #grid2 = #tcp.grid<#[[$GROUP]], chip "1", cluster "M1", slice "M / [[$ML:[0-9]+]], N / [[$NL]]">
// CHECK: module attributes {tcp.target = #tcp.target<"rngd">}

// CHECK-LABEL: func.func @main_kernel(
// CHECK-SAME: %[[A:.*]]: !tcp.hbm<bf16, #axes, "1", "D0, D1">, %[[B:.*]]: !tcp.hbm<bf16, #axes1, "1", "D1, D0">) -> !tcp.hbm<f32, #axes2, "1", "D0, D1"> {
// CHECK: %[[OUT:.*]] = tcp.from_address 0
// CHECK: %[[BV:.*]] = tcp.view %[[B]] at 0 : {{.*}} -> !tcp.hbm<bf16, #[[$GROUP]], "1", "N, K">
// CHECK: %[[BDM:.*]] = tcp.to_dm %[[BV]] at 0 : {{.*}} -> !tcp.dm<bf16, #grid, "N % [[$NL]], K % [[$KL]]">
// CHECK: %[[AV:.*]] = tcp.view %[[A]] at 0 : {{.*}} "M1, [M, K] # 262144">
// CHECK: %[[ADM:.*]] = tcp.to_dm %[[AV]] at {{[0-9]+}} : {{.*}} -> !tcp.dm<bf16, #grid1, "M / [[$RING]], K % [[$KL]]">
// CHECK: tcp.begin main %[[BDM]]
// CHECK: tcp.fetch %{{.*}} bf16 "N % 8, N / 8 % [[Q:[0-9]+]], K / 32 % [[P:[0-9]+]]", "K % 32"
// CHECK: %[[TRF:.*]] = tcp.to_trf %{{.*}} Full "N % 8", "N / 8 % [[Q]], K % [[$KL]]"
// CHECK: tcp.begin main %[[ADM]]
// CHECK: tcp.fetch %{{.*}} bf16 "M / [[$RING]], K / 32 % [[P]]", "K % 32"
// CHECK: tcp.switch %{{.*}} Broadcast01 slice1 = [[$RING]] slice0 = 1 time0 = [[P]] "K / [[$KL]], N / [[$NL]]", "M, K / 32 % [[P]]"
// CHECK: tcp.align %{{.*}}, %[[TRF]] "M, K / 32 % [[P]], N / 8 % [[Q]]", "K % 32"
// CHECK: tcp.contract %{{.*}} "1"
// CHECK: tcp.accumulate %{{.*}} Interleaved "M, N / 8 % [[Q]]", "N % 8"
// CHECK: tcp.vector_inter_slice_reduce %{{.*}} Add "M / [[$ML]], N / [[$NL]]", "M % [[$ML]], N / 8 % [[Q]]"
// CHECK: %[[C:.*]] = tcp.commit %{{.*}} at {{[0-9]+}} "M % [[$ML]], N % [[$NL]]"
// CHECK: %[[R:.*]] = tcp.to_hbm_view %[[C]] into %[[OUT]] at 0 as !tcp.hbm<f32, #[[$GROUP]], "1", "M1, [M, N] # 131072">
// CHECK: tcp.align %{{.*}}, %[[TRF]]
// CHECK: %[[R1:.*]] = tcp.to_hbm_view %{{.*}} into %[[R]] at 65536 as
// CHECK: return %[[R1]]

// The result is at 0, the arguments behind it.

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: !tcp.host<bf16, #axes, "D0, D1">, %[[W:.*]]: !tcp.host<bf16, #axes1, "D0, D1">) -> !tcp.host<f32, #axes2, "D0, D1"> attributes {tcp.macs = 268435456 : i64}
// CHECK: %[[XH:.*]] = tcp.to_hbm %[[X]] at 1048576
// CHECK: %[[WH:.*]] = tcp.to_hbm %[[W]] at 2097152
// CHECK: %[[L:.*]] = tcp.launch @main_kernel(%[[XH]], %[[WH]])
// CHECK: tcp.to_host %[[L]]

// CONFIG: tcp.config @main target "rngd"
// CONFIG-NOT: func.func

func.func @main(%a: tensor<512x1024xbf16>, %b: tensor<1024x512xbf16>)
    -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x512xf32>)
      -> tensor<512x512xf32>
  %0 = linalg.matmul
      ins(%a, %b : tensor<512x1024xbf16>, tensor<1024x512xbf16>)
      outs(%init : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
