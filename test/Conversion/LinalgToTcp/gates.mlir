// RUN: sequin-opt %s --linalg-to-tcp=target=rngd | FileCheck %s

// A gate of two large products is no group of its own: the steps up to the second product
// follow the first one, looking back at its sums, and what they leave is an operand of the
// second product's.

// CHECK-LABEL: func.func @gate_kernel
// CHECK: tcp.contract
// CHECK: tcp.vector_fp_unary {{.*}} Exp
// CHECK: tcp.vector_fp_binary {{.*}} DivF
// CHECK: tcp.to_hbm_view {{.*}} as !tcp.hbm<f32
// CHECK: tcp.contract
// CHECK: tcp.vector_fp_binary {{.*}} MulF0, %
// CHECK-NOT: Exp
// CHECK: tcp.cast {{.*}} bf16
// CHECK-NOT: Exp
// CHECK-LABEL: func.func @gate(
func.func @gate(%x: tensor<1024x1024xbf16>, %v: tensor<1024x1024xbf16>, %w: tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16> {
  %zero = arith.constant dense<0.0> : tensor<1024x1024xf32>
  %one = arith.constant 1.0 : f32
  %g = linalg.matmul ins(%x, %v : tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) outs(%zero : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %u = linalg.matmul ins(%x, %w : tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) outs(%zero : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %empty = tensor.empty() : tensor<1024x1024xbf16>
  %h = linalg.generic {indexing_maps = [affine_map<(t, f) -> (t, f)>, affine_map<(t, f) -> (t, f)>, affine_map<(t, f) -> (t, f)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%g, %u : tensor<1024x1024xf32>, tensor<1024x1024xf32>) outs(%empty : tensor<1024x1024xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %n = arith.negf %a : f32
    %p = math.exp %n : f32
    %d = arith.addf %p, %one : f32
    %q = arith.divf %a, %d : f32
    %r = arith.mulf %q, %b : f32
    %t = arith.truncf %r : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<1024x1024xbf16>
  return %h : tensor<1024x1024xbf16>
}
