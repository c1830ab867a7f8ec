// Emission takes the plan as it is: tiles over which scf.for goes, parts on slices, places
// in HBM; the attributes of the program are the host function's.
//
// RUN: sequin-opt %s --tcp-plan-emit-kernels | FileCheck %s
// RUN: sequin-opt %s --tcp-plan-emit-kernels --tcp-check-machine -o /dev/null
// RUN: sed 's/size = 8000/size = 0/' %s | not sequin-opt --tcp-plan-emit-kernels 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: error: plan 'main': 'a' has no place in HBM; run tcp-plan-assign-memory first

module attributes {tcp.target = #tcp.target<"rngd">} {

// CHECK: #[[$AXES:axes[0-9]*]] = #stream.axes<D = 50, D1 = 80>
// CHECK-LABEL: func.func @main_kernel(
// CHECK: %[[OUT:.*]] = tcp.from_address 65536
// CHECK: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[TWO]]
// CHECK: tcp.to_dm
// CHECK: tcp.vector_fp_unary {{.*}}Exp
// CHECK: tcp.to_hbm_view
// CHECK-LABEL: func.func private @main(
// CHECK-SAME: attributes {note, tcp.macs = 12 : i64}
// CHECK: tcp.launch @main_kernel
plan.program @main (tensor<100x77xf32>) -> tensor<100x77xf32> returns [@out] macs 12 attributes {note, sym_visibility = "private"} {
  plan.tensor @a argument 0 layout <inner = 1, order = [0, 1], allocated = [100, 80], strides = [80, 1], size = 8000> : tensor<100x77xf32>
  plan.tensor @out layout <inner = 1, order = [0, 1], allocated = [100, 80], strides = [80, 1], size = 8000, address = 65536> : tensor<100x77xf32>
  plan.group stream of "linalg.exp" loops [#plan.loop<extent = 100, tile = 50, parts = 50, name = "D">, #plan.loop<extent = 77, tile = 80, local = 80, name = "D1">] tiling <packet = d1> {
    %0 = plan.read @a affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.head %0 : (f32) -> f32
    %2 = plan.step function Exp(%1) : (f32) -> f32
    plan.write %2 to @out affine_map<(d0, d1) -> (d0, d1)> : f32
  }
}

}
