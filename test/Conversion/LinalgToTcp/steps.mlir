// RUN: sequin-opt %s --convert-linalg-to-tcp=target=rngd | FileCheck %s
// RUN: sequin-opt %s --convert-linalg-to-tcp=target=rngd --verify-roundtrip -o /dev/null

// Chains in core form, step by step. test/integration/linalg/steps.py runs every one.

#id = affine_map<(i) -> (i)>

// The bits of what comes and of what goes: other names of the tensors in DM.

// CHECK-LABEL: func.func @abs_kernel
// CHECK: %[[IN:.*]] = tcp.to_dm
// CHECK: %[[BITS:.*]] = tcp.bitcast %[[IN]] : !tcp.dm<f32, {{.*}} -> !tcp.dm<i32,
// CHECK: tcp.begin main %[[BITS]]
// CHECK: tcp.vector_logic %{{.*}} BitAnd(2147483647 : i32)
// CHECK: %[[OUT:.*]] = tcp.commit
// CHECK: %[[NUMBER:.*]] = tcp.bitcast %[[OUT]] : !tcp.dm<i32, {{.*}} -> !tcp.dm<f32,
// CHECK: tcp.to_hbm_view %[[NUMBER]]
func.func @abs(%a: tensor<256xf32>) -> tensor<256xf32> {
  %empty = tensor.empty() : tensor<256xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<256xf32>) outs(%empty : tensor<256xf32>) {
  ^bb0(%x: f32, %out: f32):
    %mask = arith.constant 0x7FFFFFFF : i32
    %1 = arith.bitcast %x : f32 to i32
    %2 = arith.andi %1, %mask : i32
    %r = arith.bitcast %2 : i32 to f32
    linalg.yield %r : f32
  } -> tensor<256xf32>
  return %0 : tensor<256xf32>
}

// Bits between steps end a pass; the next one fetches the tensor by its other name.

// CHECK-LABEL: func.func @between_kernel
// CHECK: tcp.vector_fp_binary %{{.*}} MulF0
// CHECK: %[[FIRST:.*]] = tcp.commit %{{.*}} at [[PLACE:[0-9]+]]
// CHECK: %[[BITS:.*]] = tcp.bitcast %[[FIRST]]
// CHECK: tcp.begin main %[[BITS]]
// CHECK: tcp.vector_logic %{{.*}} BitXor(-2147483648 : i32)
// CHECK: %[[SECOND:.*]] = tcp.commit
// CHECK: %[[NUMBER:.*]] = tcp.bitcast %[[SECOND]]
// CHECK: tcp.begin main %[[NUMBER]]
// CHECK: tcp.vector_clip %{{.*}} Add,
// CHECK: tcp.commit
func.func @between(%a: tensor<256xf32>, %b: tensor<256xf32>) -> tensor<256xf32> {
  %empty = tensor.empty() : tensor<256xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<256xf32>, tensor<256xf32>) outs(%empty : tensor<256xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %sign = arith.constant -2147483648 : i32
    %1 = arith.mulf %x, %y : f32
    %2 = arith.bitcast %1 : f32 to i32
    %3 = arith.xori %2, %sign : i32
    %4 = arith.bitcast %3 : i32 to f32
    %r = arith.addf %4, %y : f32
    linalg.yield %r : f32
  } -> tensor<256xf32>
  return %0 : tensor<256xf32>
}

// Bits of a second operand, once it is widened.

// CHECK-LABEL: func.func @operand_kernel
// CHECK: %[[V:.*]] = tcp.to_vrf %{{.*}} : <sub collect f32
// CHECK: %[[BITS:.*]] = tcp.bitcast %[[V]] : !tcp.vrf<f32, {{.*}} -> !tcp.vrf<i32,
// CHECK: tcp.vector_logic %{{.*}} BitXor, %[[BITS]]
func.func @operand(%a: tensor<256xi32>, %b: tensor<256xbf16>) -> tensor<256xi32> {
  %empty = tensor.empty() : tensor<256xi32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<256xi32>, tensor<256xbf16>) outs(%empty : tensor<256xi32>) {
  ^bb0(%x: i32, %y: bf16, %out: i32):
    %1 = arith.extf %y : bf16 to f32
    %2 = arith.bitcast %1 : f32 to i32
    %r = arith.xori %x, %2 : i32
    linalg.yield %r : i32
  } -> tensor<256xi32>
  return %0 : tensor<256xi32>
}

// What is widened first is widened by a pass of its own.

// CHECK-LABEL: func.func @widened_bits_kernel
// CHECK: tcp.fetch %{{.*}} f32 {{.*}} : <main begin bf16
// CHECK: %[[WIDE:.*]] = tcp.commit %{{.*}} : <main collect f32
// CHECK: %[[BITS:.*]] = tcp.bitcast %[[WIDE]]
// CHECK: tcp.begin main %[[BITS]]
// CHECK: tcp.vector_fxp %{{.*}} ArithRightShift(16 : i32)
func.func @widened_bits(%a: tensor<256xbf16>) -> tensor<256xi32> {
  %empty = tensor.empty() : tensor<256xi32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<256xbf16>) outs(%empty : tensor<256xi32>) {
  ^bb0(%x: bf16, %out: i32):
    %c = arith.constant 16 : i32
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.bitcast %1 : f32 to i32
    %r = arith.shrsi %2, %c : i32
    linalg.yield %r : i32
  } -> tensor<256xi32>
  return %0 : tensor<256xi32>
}

// The value before on both sides needs no operand.

// CHECK-LABEL: func.func @both_sides_kernel
// CHECK-NOT: tcp.to_vrf
// CHECK: tcp.vector_fp_binary %{{.*}} MulF0 mode Mode00 :
// CHECK: tcp.vector_fp_binary %{{.*}} MulF1 mode Mode00 :
// CHECK: tcp.vector_{{.*}} mode Mode00 :
func.func @both_sides(%a: tensor<256xf32>) -> tensor<256xf32> {
  %empty = tensor.empty() : tensor<256xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<256xf32>) outs(%empty : tensor<256xf32>) {
  ^bb0(%x: f32, %out: f32):
    %1 = arith.mulf %x, %x : f32
    %2 = arith.mulf %1, %1 : f32
    %r = arith.addf %2, %2 : f32
    linalg.yield %r : f32
  } -> tensor<256xf32>
  return %0 : tensor<256xf32>
}

// The value is a factor: two operands in the VRF, or one and a constant. The adder
// of the first step is the one of the fused operations: each has its own pass.

// CHECK-LABEL: func.func @fma_factor_kernel
// CHECK: %[[Y:.*]] = tcp.to_vrf
// CHECK: %[[Z:.*]] = tcp.to_vrf
// CHECK: tcp.vector_fp_ternary %{{.*}} FmaF(vrf, vrf), %[[Y]], %[[Z]] :
// CHECK: %[[Y2:.*]] = tcp.to_vrf
// CHECK: tcp.vector_fp_ternary %{{.*}} FmaF(5.000000e-01 : f32, vrf), %[[Y2]] :
func.func @fma_factor(%a: tensor<256xf32>, %b: tensor<256xf32>, %c: tensor<256xf32>)
    -> tensor<256xf32> {
  %empty = tensor.empty() : tensor<256xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b, %c : tensor<256xf32>, tensor<256xf32>, tensor<256xf32>)
      outs(%empty : tensor<256xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %out: f32):
    %k = arith.constant 0.5 : f32
    %1 = arith.addf %x, %k : f32
    %2 = math.fma %y, %1, %z : f32
    %r = math.fma %2, %k, %y : f32
    linalg.yield %r : f32
  } -> tensor<256xf32>
  return %0 : tensor<256xf32>
}

// The value is what is added.

// CHECK-LABEL: func.func @fma_summand_kernel
// CHECK: %[[Y:.*]] = tcp.to_vrf
// CHECK: tcp.vector_fp_binary %{{.*}} MulF0 mode Mode00
// CHECK: tcp.vector_fp_ternary %{{.*}} FmaF mode Mode120(vrf, 5.000000e-01 : f32), %[[Y]] :
func.func @fma_summand(%a: tensor<256xf32>, %b: tensor<256xf32>) -> tensor<256xf32> {
  %empty = tensor.empty() : tensor<256xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<256xf32>, tensor<256xf32>) outs(%empty : tensor<256xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %k = arith.constant 0.5 : f32
    %1 = arith.mulf %x, %x : f32
    %r = math.fma %y, %k, %1 : f32
    linalg.yield %r : f32
  } -> tensor<256xf32>
  return %0 : tensor<256xf32>
}

// The value is two of the three, which leaves the first operand unread, or all three:
// the third then comes from the stash.

// CHECK-LABEL: func.func @fma_twice_kernel
// CHECK: tcp.vector_fp_ternary %{{.*}} FmaF mode Mode002(0.000000e+00 : f32, 5.000000e-01 : f32) :
// CHECK: tcp.vector_fp_ternary %{{.*}} FmaF mode Mode020(0.000000e+00 : f32, 5.000000e-01 : f32) :
// CHECK: %[[S:.*]] = tcp.vector_stash
// CHECK: tcp.vector_fp_ternary %[[S]] FmaF mode Mode002(0.000000e+00 : f32, stash) :
func.func @fma_twice(%a: tensor<256xf32>) -> tensor<256xf32> {
  %empty = tensor.empty() : tensor<256xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<256xf32>) outs(%empty : tensor<256xf32>) {
  ^bb0(%x: f32, %out: f32):
    %k = arith.constant 0.5 : f32
    %1 = math.fma %x, %x, %k : f32
    %2 = math.fma %k, %1, %1 : f32
    %r = math.fma %2, %2, %2 : f32
    linalg.yield %r : f32
  } -> tensor<256xf32>
  return %0 : tensor<256xf32>
}

// Narrowing alone is the cast engine.

// CHECK-LABEL: func.func @narrow_kernel
// CHECK-NOT: tcp.vector_
// CHECK: tcp.cast %{{.*}} i8 "D % 8 # 32"
// CHECK: tcp.commit
func.func @narrow(%a: tensor<256xi32>) -> tensor<256xi8> {
  %empty = tensor.empty() : tensor<256xi8>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<256xi32>) outs(%empty : tensor<256xi8>) {
  ^bb0(%x: i32, %out: i8):
    %r = arith.trunci %x : i32 to i8
    linalg.yield %r : i8
  } -> tensor<256xi8>
  return %0 : tensor<256xi8>
}

// Eight i4 are half of what a commit writes: they are committed apart, and put
// together by another fetch.

// CHECK-LABEL: func.func @nibbles_kernel
// CHECK: tcp.cast %{{.*}} i4 "D % 8 # 64"
// CHECK: %[[APART:.*]] = tcp.commit %{{.*}} "D / 8, D % 8 # 16"
// CHECK: tcp.begin main %[[APART]]
// CHECK: tcp.fetch %{{.*}} i4 "D / 16", "D % 16"
// CHECK: %[[DENSE:.*]] = tcp.commit %{{.*}} "D" :
// CHECK: tcp.to_hbm_view %[[DENSE]]
func.func @nibbles(%a: tensor<256xi32>) -> tensor<256xi4> {
  %empty = tensor.empty() : tensor<256xi4>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<256xi32>) outs(%empty : tensor<256xi4>) {
  ^bb0(%x: i32, %out: i4):
    %c = arith.constant -1 : i32
    %1 = arith.xori %x, %c : i32
    %r = arith.trunci %1 : i32 to i4
    linalg.yield %r : i4
  } -> tensor<256xi4>
  return %0 : tensor<256xi4>
}

// One exponential in a pass. However many passes, two places hold what is between them.

// CHECK-LABEL: func.func @alternating_kernel
// CHECK: tcp.commit %{{.*}} at [[FIRST:[0-9]+]] "
// CHECK: tcp.commit %{{.*}} at [[SECOND:[0-9]+]] "
// CHECK: tcp.commit %{{.*}} at [[FIRST]] "
// CHECK: tcp.commit %{{.*}} at [[SECOND]] "
// CHECK: tcp.commit %{{.*}} at [[LAST:[0-9]+]] "
func.func @alternating(%a: tensor<256xf32>) -> tensor<256xf32> {
  %empty = tensor.empty() : tensor<256xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<256xf32>) outs(%empty : tensor<256xf32>) {
  ^bb0(%x: f32, %out: f32):
    %1 = math.exp %x : f32
    %2 = math.exp %1 : f32
    %3 = math.exp %2 : f32
    %4 = math.exp %3 : f32
    %r = math.exp %4 : f32
    linalg.yield %r : f32
  } -> tensor<256xf32>
  return %0 : tensor<256xf32>
}
