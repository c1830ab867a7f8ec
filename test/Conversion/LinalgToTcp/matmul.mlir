// RUN: sequin-opt %s --linalg-to-tcp=target=rngd | FileCheck %s
// RUN: sequin-opt %s --linalg-to-tcp=target=rngd --tcp-to-config | FileCheck %s --check-prefix=CONFIG

// ROWS: HEL-02

// A matrix product on all 512 slices: clusters and quarters of the slices differ in rows of
// %a, other slices in the columns of %b, eight of which are stationary side by side. Slices
// of a ring have different rows of %a and parts of the sum, and pass them around; the pin
// keeps the sum in one slice. The rows
// come in steps; the next one's are loaded while these are multiplied.

// CHECK: #[[$GROUP:axes[0-9]+]] = #stream.axes<M = 16, N = 8, K = 1024, M2 = 4, M3 = 2, N1 = 4, N2 = 2, N3 = 8>
// CHECK: #grid = #tcp.grid<#[[$GROUP]], chip "1", cluster "M3", slice "M2, N2, N1, N3">
// CHECK: #grid1 = #tcp.grid<#[[$GROUP]], chip "1", cluster "M3", slice "M2, K / 256, M">
// CHECK: #grid2 = #tcp.grid<#[[$GROUP]], chip "1", cluster "M3", slice "M2, N2, N1, M / 2">
// CHECK: module attributes {tcp.target = #tcp.target<"rngd">}

// What the host sends lies as it is read: pieces of 256 bytes by turns for clusters and for
// networks of data memory.
// CHECK-LABEL: func.func @main_kernel(
// CHECK-SAME: %[[A:.*]]: !tcp.hbm<bf16, #axes, "1", "D0 / 128, {{.*}}, D1 % 128">, %[[B:.*]]: !tcp.hbm<bf16, #axes1, "1", "D1 / 128, {{.*}}, D0 % 128">) -> !tcp.hbm<f32, #axes2, "1", "D0, D1"> {
// CHECK: %[[OUT:.*]] = tcp.from_address 0
// CHECK: %[[BV:.*]] = tcp.view %[[B]] at 0 : {{.*}} -> !tcp.hbm<bf16, #[[$GROUP]], "1", "N1, N3, N, K / 128, N2, K % 128">
// CHECK: %[[BDM:.*]] = tcp.to_dm %[[BV]] at 0 : {{.*}} -> !tcp.dm<bf16, #grid, "N, K">
// CHECK: %[[AV:.*]] = tcp.view %[[A]] at 0 : {{.*}} "K / 256 % 2, M, K / 128 % 2, M2, K / 512, M3, K % 128">
// CHECK: %[[ADM:.*]] = tcp.to_dm %[[AV]] at {{[0-9]+}} : {{.*}} -> !tcp.dm<bf16, #grid1, "K % 256">
// CHECK: %[[NEXT:.*]] = tcp.to_dm
// CHECK: tcp.begin main %[[BDM]]
// CHECK: tcp.fetch %{{.*}} bf16 "N, K / 32", "K % 32"
// CHECK: %[[TRF:.*]] = tcp.to_trf %{{.*}} Full "N", "K / 32, K % 32"
// CHECK: tcp.begin main %[[ADM]]
// CHECK: tcp.fetch %{{.*}} bf16 "K / 32 % 8", "K % 32"
// CHECK: tcp.switch %{{.*}} Broadcast01 slice1 = 4 slice0 = 16 time0 = 8 "M2, N2, N1, N3", "K / 32, M"
// CHECK: tcp.align %{{.*}}, %[[TRF]] "K / 32, M", "K % 32"
// CHECK: tcp.contract %{{.*}} "1"
// CHECK: tcp.accumulate %{{.*}} Interleaved "M", "N"
// CHECK: %[[C:.*]] = tcp.commit %{{.*}} at [[P0:[0-9]+]] "M, N"
// CHECK: tcp.begin sub %[[C]]
// CHECK: tcp.switch %{{.*}} InterTranspose slice1 = 8 slice0 = 1 time0 = 2 "M2, N2, N1, M / 2", "M % 2, N3"
// CHECK: %[[S:.*]] = tcp.commit %{{.*}} "M % 2, N3, N"
// CHECK: %[[R:.*]] = tcp.to_hbm_view %[[S]] into %[[OUT]] at 0 as !tcp.hbm<f32, #[[$GROUP]], "1", "M2, M3, M, N1, N2, N3, N">
// CHECK: tcp.begin main %[[NEXT]]
// CHECK: tcp.align %{{.*}}, %[[TRF]]
// CHECK-NOT: tcp.commit %{{.*}} at [[P0]] "M, N"
// CHECK: tcp.to_hbm_view %{{.*}} into %[[R]] at 65536 as

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
  %0 = linalg.matmul {sequin.pin = {parts = array<i64: 0, 0, 1>}}
      ins(%a, %b : tensor<512x1024xbf16>, tensor<1024x512xbf16>)
      outs(%init : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
