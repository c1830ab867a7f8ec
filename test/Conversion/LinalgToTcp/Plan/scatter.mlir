// Rows that are scattered into an argument: what reads it behind the scatter reads what was
// written, so no group moves across. One pass after the other, from plans that are there.
//
// RUN: sequin-opt %s --tcp-plan-fuse-groups --verify-roundtrip --mlir-print-local-scope | FileCheck %s --check-prefix=FUSE
// RUN: sequin-opt %s --tcp-plan-choose-layouts=argument-layout=chosen --verify-roundtrip --mlir-print-local-scope | FileCheck %s --check-prefix=LAYOUT
// RUN: sequin-opt %s --tcp-plan-choose-layouts=argument-layout=row-major --verify-roundtrip --mlir-print-local-scope | FileCheck %s --check-prefix=PINNED
// RUN: sequin-opt %s --tcp-plan-choose-layouts --tcp-plan-fuse-rows --verify-roundtrip --mlir-print-local-scope | FileCheck %s --check-prefix=ROWS
// RUN: sequin-opt %s --tcp-plan-choose-layouts --tcp-plan-choose-mappings --verify-roundtrip --mlir-print-local-scope | FileCheck %s --check-prefix=MAP
// RUN: sequin-opt %s --tcp-plan-choose-layouts --tcp-plan-choose-mappings --tcp-plan-assign-memory --verify-roundtrip --mlir-print-local-scope | FileCheck %s --check-prefix=MEMORY
// RUN: sequin-opt %s --tcp-plan-choose-layouts --tcp-plan-choose-mappings --tcp-plan-record-mappings --verify-roundtrip --mlir-print-local-scope | FileCheck %s --check-prefix=RECORD
// RUN: sequin-opt %s --tcp-plan-choose-layouts --tcp-plan-choose-mappings --tcp-plan-assign-memory --tcp-plan-emit-kernels --mlir-print-local-scope | FileCheck %s --check-prefix=EMIT
// RUN: sequin-opt %s --tcp-plan-choose-layouts --tcp-plan-choose-mappings --tcp-plan-assign-memory --tcp-plan-emit-kernels --tcp-check-machine -o /dev/null

module attributes {tcp.target = #tcp.target<"rngd">} {

// The row is 8 requests of 256 bytes: the start of a DMA command, and two cycles for each,
// which go to 8 engines and more; HBM reads and writes 2,048 bytes in less.
// MAP-LABEL: plan.program @row
// MAP: plan.group scatter of "tensor.scatter" note "in the memory of argument 0" loops [#plan.loop<name = "D">, #plan.loop<extent = 1024, tile = 1024, local = 1024, name = "D1">] record <cycles = 503>
// MEMORY-LABEL: plan.program @row
// MEMORY: plan.tensor @cache argument 0 layout <inner = 1, order = [0, 1], allocated = [2048, 1024], strides = [1024, 1], size = 2097152> : tensor<2048x1024xbf16>
// RECORD-LABEL: plan.program @row
// RECORD-SAME: cycles = 503 : i64, {{.*}}group = "scatter", kind = "rows", {{.*}}mapping = "D: 1; D1: 1024; in the memory of argument 0"
// EMIT-LABEL: func.func @row_kernel(
// EMIT-SAME: %[[CACHE:.*]]: !tcp.hbm<bf16, {{.*}}"D0, D1">, %[[ROW:.*]]: !tcp.hbm<bf16, {{.*}}"D1">, %[[AT:.*]]: !tcp.hbm<i32, {{.*}}"1 # 16">)
// EMIT: %[[R:.*]] = tcp.view %[[ROW]] at 0
// EMIT: %[[I:.*]] = tcp.view %[[AT]] at 0
// EMIT: %[[C:.*]] = tcp.view %[[CACHE]] at 0 : {{.*}}<V = 2048, D1 = 1024>, "1", "V, D1">
// EMIT: %[[NEW:.*]] = tcp.scatter %[[R]][%[[I]]] "V" into %[[C]]
// EMIT: %[[RESULT:.*]] = tcp.view %[[NEW]] at 0
// EMIT: return %[[RESULT]]
plan.program @row (tensor<2048x1024xbf16>, tensor<1x1024xbf16>, tensor<i32>) -> tensor<2048x1024xbf16> returns [@cache] {
  plan.tensor @cache argument 0 : tensor<2048x1024xbf16>
  plan.tensor @row argument 1 : tensor<1x1024xbf16>
  plan.tensor @at argument 2 : tensor<i32>
  plan.group scatter of "tensor.scatter" note "in the memory of argument 0" loops [#plan.loop<>, #plan.loop<extent = 1024>] {
    %0 = plan.read @row affine_map<(d0, d1) -> (d0, d1)> : bf16
    %1 = plan.read @at affine_map<(d0, d1) -> ()> : i32
    %2 = plan.head %0, %1 : (bf16, i32) -> bf16
    plan.write %2 to @cache affine_map<(d0, d1) -> (0, d1)> : bf16
  }
}

// What is made of the old value is not computed where it is used: there the cache is another one.
// FUSE-LABEL: plan.program @before
// FUSE: plan.group stream of "linalg.exp"
// FUSE: plan.group scatter
// FUSE: plan.group stream of "linalg.tanh"
plan.program @before (tensor<32x16xf32>, tensor<1x16xf32>, tensor<i32>) -> (tensor<32x16xf32>, tensor<32x16xf32>) returns [@cache, @out] {
  plan.tensor @cache argument 0 : tensor<32x16xf32>
  plan.tensor @row argument 1 : tensor<1x16xf32>
  plan.tensor @at argument 2 : tensor<i32>
  plan.tensor @double : tensor<32x16xf32>
  plan.tensor @out : tensor<32x16xf32>
  plan.group stream of "linalg.exp" loops [#plan.loop<extent = 32>, #plan.loop<extent = 16>] {
    %0 = plan.read @cache affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.head %0 : (f32) -> f32
    %2 = plan.step function Exp(%1) : (f32) -> f32
    plan.write %2 to @double affine_map<(d0, d1) -> (d0, d1)> : f32
  }
  plan.group scatter of "tensor.scatter" loops [#plan.loop<>, #plan.loop<extent = 16>] {
    %0 = plan.read @row affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.read @at affine_map<(d0, d1) -> ()> : i32
    %2 = plan.head %0, %1 : (f32, i32) -> f32
    plan.write %2 to @cache affine_map<(d0, d1) -> (0, d1)> : f32
  }
  plan.group stream of "linalg.tanh" loops [#plan.loop<extent = 32>, #plan.loop<extent = 16>] {
    %0 = plan.read @double affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.head %0 : (f32) -> f32
    %2 = plan.step function Tanh(%1) : (f32) -> f32
    plan.write %2 to @out affine_map<(d0, d1) -> (d0, d1)> : f32
  }
}

// The same of stages over rows: without the scatter they are one group.
// ROWS-LABEL: plan.program @stages
// ROWS: plan.group reduction of "linalg.reduce"
// ROWS: plan.group scatter
// ROWS: plan.group stream of "linalg.sub"
// ROWS-LABEL: plan.program @apart
// ROWS: plan.group scatter
// ROWS: plan.group rows
plan.program @stages (tensor<4096x256xf32>, tensor<1x256xf32>, tensor<i32>, tensor<4096x256xf32>) -> (tensor<4096x256xf32>, tensor<4096x256xf32>) returns [@cache, @out] {
  plan.tensor @cache argument 0 : tensor<4096x256xf32>
  plan.tensor @row argument 1 : tensor<1x256xf32>
  plan.tensor @at argument 2 : tensor<i32>
  plan.tensor @other argument 3 : tensor<4096x256xf32>
  plan.tensor @most : tensor<4096xf32>
  plan.tensor @out : tensor<4096x256xf32>
  plan.group reduction of "linalg.reduce" loops [#plan.loop<extent = 4096>, #plan.loop<extent = 256, reduced>] {
    %0 = plan.read @cache affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.head combines max %0 : (f32) -> f32
    plan.write %1 to @most affine_map<(d0, d1) -> (d0)> : f32
  }
  plan.group scatter of "tensor.scatter" loops [#plan.loop<>, #plan.loop<extent = 256>] {
    %0 = plan.read @row affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.read @at affine_map<(d0, d1) -> ()> : i32
    %2 = plan.head %0, %1 : (f32, i32) -> f32
    plan.write %2 to @cache affine_map<(d0, d1) -> (0, d1)> : f32
  }
  plan.group stream of "linalg.sub" loops [#plan.loop<extent = 4096>, #plan.loop<extent = 256>] {
    %0 = plan.read @other affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.head %0 : (f32) -> f32
    %2 = plan.read @most affine_map<(d0, d1) -> (d0)> : f32
    %3 = plan.step arithmetic sub(%1, %2) : (f32, f32) -> f32
    plan.write %3 to @out affine_map<(d0, d1) -> (d0, d1)> : f32
  }
}
plan.program @apart (tensor<4096x256xf32>, tensor<1x256xf32>, tensor<i32>, tensor<4096x256xf32>) -> (tensor<4096x256xf32>, tensor<4096x256xf32>) returns [@cache, @out] {
  plan.tensor @cache argument 0 : tensor<4096x256xf32>
  plan.tensor @row argument 1 : tensor<1x256xf32>
  plan.tensor @at argument 2 : tensor<i32>
  plan.tensor @other argument 3 : tensor<4096x256xf32>
  plan.tensor @most : tensor<4096xf32>
  plan.tensor @out : tensor<4096x256xf32>
  plan.group reduction of "linalg.reduce" loops [#plan.loop<extent = 4096>, #plan.loop<extent = 256, reduced>] {
    %0 = plan.read @other affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.head combines max %0 : (f32) -> f32
    plan.write %1 to @most affine_map<(d0, d1) -> (d0)> : f32
  }
  plan.group scatter of "tensor.scatter" loops [#plan.loop<>, #plan.loop<extent = 256>] {
    %0 = plan.read @row affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.read @at affine_map<(d0, d1) -> ()> : i32
    %2 = plan.head %0, %1 : (f32, i32) -> f32
    plan.write %2 to @cache affine_map<(d0, d1) -> (0, d1)> : f32
  }
  plan.group stream of "linalg.sub" loops [#plan.loop<extent = 4096>, #plan.loop<extent = 256>] {
    %0 = plan.read @other affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.head %0 : (f32) -> f32
    %2 = plan.read @most affine_map<(d0, d1) -> (d0)> : f32
    %3 = plan.step arithmetic sub(%1, %2) : (f32, f32) -> f32
    plan.write %3 to @out affine_map<(d0, d1) -> (d0, d1)> : f32
  }
}

// A sum over positions wants these side by side. Where writing a row then takes less than a
// copy of all, the row is written so, element by element; where the layout is pinned, the
// sum reads a copy of what was written.
// LAYOUT-LABEL: plan.program @values
// LAYOUT: plan.tensor @cache argument 0 layout <inner = 1, order = [0, 2, 1]> : tensor<8x2048x128xbf16>
// LAYOUT: plan.group scatter
// LAYOUT-NEXT: plan.read
// LAYOUT-NOT: plan.group stream
// LAYOUT: plan.group contraction
// PINNED-LABEL: plan.program @values
// PINNED: plan.tensor @cache argument 0 layout <inner = 2, order = [0, 1, 2]> : tensor<8x2048x128xbf16>
// PINNED: plan.group scatter
// PINNED: plan.group stream of "func.func"
// PINNED: plan.read @cache
// PINNED: plan.write %{{.*}} to @[[COPY:.*]] affine_map
// PINNED: plan.group contraction
// PINNED: plan.read @[[COPY]]
plan.program @values (tensor<8x2048x128xbf16>, tensor<8x1x128xbf16>, tensor<i32>, tensor<8x8x2048xbf16>) -> (tensor<8x2048x128xbf16>, tensor<8x8x128xf32>) returns [@cache, @out] {
  plan.tensor @cache argument 0 : tensor<8x2048x128xbf16>
  plan.tensor @row argument 1 : tensor<8x1x128xbf16>
  plan.tensor @at argument 2 : tensor<i32>
  plan.tensor @weights argument 3 : tensor<8x8x2048xbf16>
  plan.tensor @out : tensor<8x8x128xf32>
  plan.group scatter of "tensor.scatter" loops [#plan.loop<>, #plan.loop<extent = 8>, #plan.loop<extent = 128>] {
    %0 = plan.read @row affine_map<(d0, d1, d2) -> (d1, d0, d2)> : bf16
    %1 = plan.read @at affine_map<(d0, d1, d2) -> ()> : i32
    %2 = plan.head %0, %1 : (bf16, i32) -> bf16
    plan.write %2 to @cache affine_map<(d0, d1, d2) -> (d1, 0, d2)> : bf16
  }
  plan.group contraction of "linalg.generic" loops [#plan.loop<extent = 8>, #plan.loop<extent = 8>, #plan.loop<extent = 2048, reduced>, #plan.loop<extent = 128>] {
    %0 = plan.read @weights affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)> : bf16
    %1 = plan.read @cache affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)> : bf16
    %2 = plan.head %0, %1 : (bf16, bf16) -> f32
    plan.write %2 to @out affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)> : f32
  }
}

// Of fewer positions, rings that turn the rows in DM take less than writing across them.
// LAYOUT-LABEL: plan.program @turned
// LAYOUT: plan.tensor @cache argument 0 layout <inner = 2, order = [0, 1, 2]> : tensor<8x512x128xbf16>
// LAYOUT-NOT: plan.group stream
// LAYOUT: plan.group contraction
// LAYOUT: plan.read @cache
plan.program @turned (tensor<8x512x128xbf16>, tensor<8x1x128xbf16>, tensor<i32>, tensor<8x8x512xbf16>) -> (tensor<8x512x128xbf16>, tensor<8x8x128xf32>) returns [@cache, @out] {
  plan.tensor @cache argument 0 : tensor<8x512x128xbf16>
  plan.tensor @row argument 1 : tensor<8x1x128xbf16>
  plan.tensor @at argument 2 : tensor<i32>
  plan.tensor @weights argument 3 : tensor<8x8x512xbf16>
  plan.tensor @out : tensor<8x8x128xf32>
  plan.group scatter of "tensor.scatter" loops [#plan.loop<>, #plan.loop<extent = 8>, #plan.loop<extent = 128>] {
    %0 = plan.read @row affine_map<(d0, d1, d2) -> (d1, d0, d2)> : bf16
    %1 = plan.read @at affine_map<(d0, d1, d2) -> ()> : i32
    %2 = plan.head %0, %1 : (bf16, i32) -> bf16
    plan.write %2 to @cache affine_map<(d0, d1, d2) -> (d1, 0, d2)> : bf16
  }
  plan.group contraction of "linalg.generic" loops [#plan.loop<extent = 8>, #plan.loop<extent = 8>, #plan.loop<extent = 512, reduced>, #plan.loop<extent = 128>] {
    %0 = plan.read @weights affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)> : bf16
    %1 = plan.read @cache affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)> : bf16
    %2 = plan.head %0, %1 : (bf16, bf16) -> f32
    plan.write %2 to @out affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)> : f32
  }
}

}
