// RUN: sequin-opt %s | sequin-opt | FileCheck %s
// ROWS: VEC-02, VEC-06, VEC-15, VEC-16, VEC-17, VEC-21, VEC-23, VEC-26, VEC-32, ERR-65, ERR-66, ERR-67

#axes = #stream.axes<A = 512, S = 16, I = 2, K = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
#wide = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "S / 4">

// The manual's shape semantics: [T], [P] -> [T, P / 4], [P % 4] and back.
// CHECK-LABEL: func @split
func.func @split(%0: !tcp.stream<main vector_branch i32, #wide, "S % 4", "A % 8">)
    -> !tcp.stream<main vector_widen i32, #wide, "S % 4", "A % 8"> {
  // CHECK: tcp.vector_split %{{.*}} "S % 4, A / 4 % 2", "A % 4" : <main vector_branch i32
  %1 = tcp.vector_split %0 "S % 4, A / 4 % 2", "A % 4" : <main vector_branch i32, #wide, "S % 4", "A % 8">
  // CHECK: tcp.vector_concat %{{.*}} "S % 4", "A % 8"
  %2 = tcp.vector_concat %1 "S % 4", "A % 8" : <main vector_narrow i32, #wide, "S % 4, A / 4 % 2", "A % 4">
  return %2 : !tcp.stream<main vector_widen i32, #wide, "S % 4", "A % 8">
}

// [T], [P] -> [T], [P = 4] and [T], [P] -> [T], [P # 8]; every unit of the float
// cluster once: exp(sqrt(((x + 1) * 2) * 3)), then the division.
// CHECK-LABEL: func @float_path
func.func @float_path(%0: !tcp.stream<main vector_branch f32, #grid, "1", "A % 2 # 8">)
    -> !tcp.stream<main vector_final f32, #grid, "1", "A % 2 # 8"> {
  // CHECK: tcp.vector_stash
  %s = tcp.vector_stash %0 : <main vector_branch f32, #grid, "1", "A % 2 # 8">
  // CHECK: tcp.vector_trim_way4 %{{.*}} "A % 2 # 4"
  %1 = tcp.vector_trim_way4 %s "A % 2 # 4" : <main vector_branch f32, #grid, "1", "A % 2 # 8">
  // CHECK: tcp.vector_fp_binary %{{.*}} AddF(1.000000e+00 : f32) :
  %2 = tcp.vector_fp_binary %1 AddF (1.0 : f32) : <main vector_narrow f32, #grid, "1", "A % 2 # 4">
  %3 = tcp.vector_fp_binary %2 MulF0 (2.0 : f32) : <main vector_fp f32, #grid, "1", "A % 2 # 4">
  // CHECK: tcp.vector_fp_binary %{{.*}} MulF1 mode Mode10(stash) group One :
  %4 = tcp.vector_fp_binary %3 MulF1 mode Mode10 (stash) group One : <main vector_fp f32, #grid, "1", "A % 2 # 4">
  // CHECK: tcp.vector_fp_unary %{{.*}} Sqrt :
  %5 = tcp.vector_fp_unary %4 Sqrt : <main vector_fp f32, #grid, "1", "A % 2 # 4">
  // CHECK: tcp.vector_fp_unary %{{.*}} Exp mode Mode1(4.000000e+00 : f32) branch [0, 15] :
  %6 = tcp.vector_fp_unary %5 Exp mode Mode1 (4.0 : f32) branch [0, 15] : <main vector_fp f32, #grid, "1", "A % 2 # 4">
  // CHECK: tcp.vector_fp_div %{{.*}} DivF(3.000000e+00 : f32) : <main vector_fp f32
  %7 = tcp.vector_fp_div %6 DivF (3.0 : f32) : <main vector_fp f32, #grid, "1", "A % 2 # 4">
  // CHECK: tcp.vector_pad_way8 %{{.*}} "A % 2 # 8" : <main vector_fp_div f32
  %8 = tcp.vector_pad_way8 %7 "A % 2 # 8" : <main vector_fp_div f32, #grid, "1", "A % 2 # 4">
  // CHECK: tcp.vector_clip %{{.*}} AbsMax(0.000000e+00 : f32)
  %9 = tcp.vector_clip %8 AbsMax (0.0 : f32) : <main vector_widen f32, #grid, "1", "A % 2 # 8">
  %10 = tcp.vector_final %9 : <main vector_clip f32, #grid, "1", "A % 2 # 8">
  return %10 : !tcp.stream<main vector_final f32, #grid, "1", "A % 2 # 8">
}

// Every branch mode, the logger and the operand register.
// CHECK-LABEL: func @branches
func.func @branches(%0: !tcp.stream<main vector_init i32, #wide, "S % 4", "A % 8">,
                    %1: !tcp.stream<main vector_init i32, #wide, "S % 4", "A % 8">,
                    %2: !tcp.stream<main vector_init i32, #wide, "S % 4", "A % 8">,
                    %3: !tcp.stream<main vector_init i32, #wide, "S % 4", "A % 8">) {
  // CHECK: tcp.vector_intra_slice_branch %{{.*}} Comparison [#tcp.cmp<Less, 0 : i32>, #tcp.cmp<Never>] :
  %4 = tcp.vector_intra_slice_branch %0 Comparison [#tcp.cmp<Less, 0 : i32>, #tcp.cmp<Never>]
      : <main vector_init i32, #wide, "S % 4", "A % 8">
  // CHECK: %{{.*}}, %[[IDS:.*]] = tcp.vector_branch_log %{{.*}} at 256 "S % 4, A % 8"
  %5, %ids = tcp.vector_branch_log %4 at 256 "S % 4, A % 8" : <main vector_branch i32, #wide, "S % 4", "A % 8">
  // CHECK: tcp.vector_intra_slice_branch %{{.*}} AxisToggle axis "S" :
  %6 = tcp.vector_intra_slice_branch %1 AxisToggle axis "S" : <main vector_init i32, #wide, "S % 4", "A % 8">
  // CHECK: tcp.vector_intra_slice_branch %{{.*}} ValidCount :
  %7 = tcp.vector_intra_slice_branch %2 ValidCount : <main vector_init i32, #wide, "S % 4", "A % 8">
  // CHECK: tcp.vector_intra_slice_branch %{{.*}} Vrf, %[[IDS]] : <main vector_init i32, {{.*}}>, !tcp.vrf<i4,
  %8 = tcp.vector_intra_slice_branch %3 Vrf, %ids
      : <main vector_init i32, #wide, "S % 4", "A % 8">, !tcp.vrf<i4, #wide, "S % 4, A % 8">
  // CHECK: tcp.vector_logic %{{.*}} BitAnd(255 : i32) :
  %9 = tcp.vector_logic %5 BitAnd (255 : i32) : <main vector_branch i32, #wide, "S % 4", "A % 8">
  // CHECK: tcp.vector_fxp %{{.*}} AddFxp(operand_read) branch [1, 2] write_operand [0, 1] :
  %10 = tcp.vector_fxp %9 AddFxp (operand_read) branch [1, 2] write_operand [0, 1]
      : <main vector_logic i32, #wide, "S % 4", "A % 8">
  // CHECK: tcp.vector_filter %{{.*}} group Zero "1", "K" :
  %11 = tcp.vector_filter %10 group Zero "1", "K" : <main vector_fxp i32, #wide, "S % 4", "A % 8">
  %12 = tcp.vector_final %11 : <main vector_filter i32, #wide, "1", "K">
  return
}

// CHECK-LABEL: func @pair
func.func @pair(%0: !tcp.stream<main vector_init f32, #grid, "I", "A % 2 # 8">,
                %vrf: !tcp.vrf<f32, #grid, "A % 2">) {
  // CHECK: tcp.vector_intra_slice_unzip %{{.*}} "I", "1 # 2", "1"
  %1 = tcp.vector_intra_slice_unzip %0 "I", "1 # 2", "1" : <main vector_init f32, #grid, "I", "A % 2 # 8">
  %2 = tcp.vector_trim_way4 %1 "A % 2 # 4" : <main vector_branch f32, #grid, "1", "A % 2 # 8">
  // CHECK: tcp.vector_fp_unary %{{.*}} Exp groups [true, false] :
  %3 = tcp.vector_fp_unary %2 Exp groups [true, false] : <main vector_narrow f32, #grid, "1", "A % 2 # 4">
  // CHECK: tcp.vector_fp_binary %{{.*}} AddF(1.000000e+00 : f32 | skip) :
  %4 = tcp.vector_fp_binary %3 AddF (1.0 : f32 | skip) : <main vector_fp f32, #grid, "1", "A % 2 # 4">
  // CHECK: tcp.vector_fp_binary %{{.*}} MulF1(skip | vrf), %{{.*}} : <main vector_fp f32, {{.*}}>, !tcp.vrf<f32
  %5 = tcp.vector_fp_binary %4 MulF1 (skip | vrf), %vrf
      : <main vector_fp f32, #grid, "1", "A % 2 # 4">, !tcp.vrf<f32, #grid, "A % 2">
  // CHECK: tcp.vector_fp_zip %{{.*}} MulF0 mode Mode10 :
  %6 = tcp.vector_fp_zip %5 MulF0 mode Mode10 : <main vector_fp f32, #grid, "1", "A % 2 # 4">
  %7 = tcp.vector_pad_way8 %6 "A % 2 # 8" : <main vector_fp f32, #grid, "1", "A % 2 # 4">
  %8 = tcp.vector_final %7 : <main vector_widen f32, #grid, "1", "A % 2 # 8">
  return
}

// CHECK-LABEL: func @ternary
func.func @ternary(%0: !tcp.stream<main vector_narrow f32, #grid, "1", "A % 2 # 4">,
                   %vrf: !tcp.vrf<f32, #grid, "A % 2">) {
  // CHECK: tcp.vector_fp_ternary %{{.*}} FmaF mode Mode021(2.000000e+00 : f32, vrf), %{{.*}} :
  %1 = tcp.vector_fp_ternary %0 FmaF mode Mode021 (2.0 : f32, vrf), %vrf
      : <main vector_narrow f32, #grid, "1", "A % 2 # 4">, !tcp.vrf<f32, #grid, "A % 2">
  return
}
