// RUN: sequin-opt %s --normalize-linalg | FileCheck %s

// Sums of products with f4E2M1FN weights, however they are said, become one operation: out +
// x * w * scale, or without a scale, in f32.

#id2 = affine_map<(a,b)->(a,b)>
#id3 = affine_map<(a,b,c)->(a,b,c)>
#s3 = affine_map<(a,b,c)->(a,b)>

// Weights are scaled in bf16, which has all products, and reshaped before they are multiplied.
// CHECK-LABEL: func.func @dequant
// CHECK: %[[W:.*]] = tensor.expand_shape %arg1 {{.*}} into tensor<512x16x16xf4E2M1FN>
// CHECK: %[[X:.*]] = tensor.expand_shape %arg0 {{.*}} into tensor<1x16x16xbf16>
// CHECK-NOT: tensor<512x16x16xbf16>
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%[[X]], %[[W]], %arg2 : tensor<1x16x16xbf16>, tensor<512x16x16xf4E2M1FN>, tensor<512x16xf8E4M3FN>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: bf16, %[[B:.*]]: f4E2M1FN, %[[C:.*]]: f8E4M3FN, %[[OUT:.*]]: f32):
// CHECK-NEXT: %[[WA:.*]] = arith.extf %[[A]] : bf16 to f32
// CHECK-NEXT: %[[WB:.*]] = arith.extf %[[B]] : f4E2M1FN to f32
// CHECK-NEXT: %[[AB:.*]] = arith.mulf %[[WA]], %[[WB]] : f32
// CHECK-NEXT: %[[WC:.*]] = arith.extf %[[C]] : f8E4M3FN to f32
// CHECK-NEXT: %[[ABC:.*]] = arith.mulf %[[AB]], %[[WC]] : f32
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[OUT]], %[[ABC]] : f32
// CHECK-NEXT: linalg.yield %[[SUM]] : f32
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @dequant(%x: tensor<1x256xbf16>, %w: tensor<512x256xf4E2M1FN>, %s: tensor<512x16xf8E4M3FN>) -> tensor<1x512xf32> {
  %w3 = tensor.expand_shape %w [[0],[1,2]] output_shape [512,16,16] : tensor<512x256xf4E2M1FN> into tensor<512x16x16xf4E2M1FN>
  %e = tensor.empty() : tensor<512x16x16xbf16>
  %d = linalg.generic {indexing_maps=[#id3,#s3,#id3],iterator_types=["parallel","parallel","parallel"]} ins(%w3,%s: tensor<512x16x16xf4E2M1FN>, tensor<512x16xf8E4M3FN>) outs(%e : tensor<512x16x16xbf16>) {
  ^bb0(%a: f4E2M1FN, %b: f8E4M3FN, %o: bf16):
    %1 = arith.extf %a : f4E2M1FN to bf16
    %2 = arith.extf %b : f8E4M3FN to bf16
    %3 = arith.mulf %1, %2 : bf16
    linalg.yield %3 : bf16
  } -> tensor<512x16x16xbf16>
  %c = tensor.collapse_shape %d [[0],[1,2]] : tensor<512x16x16xbf16> into tensor<512x256xbf16>
  %z = arith.constant 0.0 : f32
  %f = tensor.empty() : tensor<1x512xf32>
  %g = linalg.fill ins(%z : f32) outs(%f : tensor<1x512xf32>) -> tensor<1x512xf32>
  %r = linalg.matmul indexing_maps=[affine_map<(m,n,k)->(m,k)>,affine_map<(m,n,k)->(n,k)>,affine_map<(m,n,k)->(m,n)>] ins(%x,%c : tensor<1x256xbf16>, tensor<512x256xbf16>) outs(%g : tensor<1x512xf32>) -> tensor<1x512xf32>
  return %r : tensor<1x512xf32>
}

// Sums of groups are scaled and added.
// CHECK-LABEL: func.func @twostep
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%arg0, %arg1, %arg2 : tensor<1x16x16xf8E4M3FN>, tensor<512x16x16xf4E2M1FN>, tensor<512x16xf8E4M3FN>)
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @twostep(%x: tensor<1x16x16xf8E4M3FN>, %w: tensor<512x16x16xf4E2M1FN>, %s: tensor<512x16xf8E4M3FN>) -> tensor<1x512xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x512x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x512x16xf32>) -> tensor<1x512x16xf32>
  %p = linalg.generic {indexing_maps=[affine_map<(m,n,g,k)->(m,g,k)>,affine_map<(m,n,g,k)->(n,g,k)>,affine_map<(m,n,g,k)->(m,n,g)>],iterator_types=["parallel","parallel","parallel","reduction"]} ins(%x,%w : tensor<1x16x16xf8E4M3FN>, tensor<512x16x16xf4E2M1FN>) outs(%f : tensor<1x512x16xf32>) {
  ^bb0(%a: f8E4M3FN, %b: f4E2M1FN, %o: f32):
    %1 = arith.extf %a : f8E4M3FN to f32
    %2 = arith.extf %b : f4E2M1FN to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<1x512x16xf32>
  %q = tensor.empty() : tensor<1x512xf32>
  %g = linalg.fill ins(%z : f32) outs(%q : tensor<1x512xf32>) -> tensor<1x512xf32>
  %r = linalg.generic {indexing_maps=[affine_map<(m,n,g)->(m,n,g)>,affine_map<(m,n,g)->(n,g)>,affine_map<(m,n,g)->(m,n)>],iterator_types=["parallel","parallel","reduction"]} ins(%p,%s : tensor<1x512x16xf32>, tensor<512x16xf8E4M3FN>) outs(%g : tensor<1x512xf32>) {
  ^bb0(%a: f32, %b: f8E4M3FN, %o: f32):
    %2 = arith.extf %b : f8E4M3FN to f32
    %3 = arith.mulf %a, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<1x512xf32>
  return %r : tensor<1x512xf32>
}

// No scales: a product like others.
// CHECK-LABEL: func.func @plain
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<4x256xbf16>, tensor<256x512xf4E2M1FN>)
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @plain(%x: tensor<4x256xbf16>, %w: tensor<256x512xf4E2M1FN>) -> tensor<4x512xf32> {
  %z = arith.constant 0.0 : f32
  %f = tensor.empty() : tensor<4x512xf32>
  %g = linalg.fill ins(%z : f32) outs(%f : tensor<4x512xf32>) -> tensor<4x512xf32>
  %r = linalg.matmul ins(%x,%w : tensor<4x256xbf16>, tensor<256x512xf4E2M1FN>) outs(%g : tensor<4x512xf32>) -> tensor<4x512xf32>
  return %r : tensor<4x512xf32>
}

// Everything in f32, the other way around: activations are widened for nothing.
// CHECK-LABEL: func.func @wide
// CHECK: %[[X:.*]] = tensor.expand_shape %arg0 {{.*}} into tensor<2x16x16xbf16>
// CHECK: linalg.generic {{.*}} ins(%[[X]], %arg1, %arg2 : tensor<2x16x16xbf16>, tensor<16x16x512xf4E2M1FN>, tensor<16x512xf8E4M3FN>)
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @wide(%x: tensor<2x256xbf16>, %w: tensor<16x16x512xf4E2M1FN>, %s: tensor<16x512xf8E4M3FN>) -> tensor<2x512xf32> {
  %e = tensor.empty() : tensor<16x16x512xf32>
  %d = linalg.generic {indexing_maps=[#id3,affine_map<(a,b,c)->(a,c)>,#id3],iterator_types=["parallel","parallel","parallel"]} ins(%w,%s: tensor<16x16x512xf4E2M1FN>, tensor<16x512xf8E4M3FN>) outs(%e : tensor<16x16x512xf32>) {
  ^bb0(%a: f4E2M1FN, %b: f8E4M3FN, %o: f32):
    %1 = arith.extf %a : f4E2M1FN to f32
    %2 = arith.extf %b : f8E4M3FN to f32
    %3 = arith.mulf %2, %1 : f32
    linalg.yield %3 : f32
  } -> tensor<16x16x512xf32>
  %c = tensor.collapse_shape %d [[0,1],[2]] : tensor<16x16x512xf32> into tensor<256x512xf32>
  %xe = tensor.empty() : tensor<2x256xf32>
  %xw = linalg.generic {indexing_maps=[#id2,#id2],iterator_types=["parallel","parallel"]} ins(%x: tensor<2x256xbf16>) outs(%xe : tensor<2x256xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %1 = arith.extf %a : bf16 to f32
    linalg.yield %1 : f32
  } -> tensor<2x256xf32>
  %z = arith.constant 0.0 : f32
  %f = tensor.empty() : tensor<2x512xf32>
  %g = linalg.fill ins(%z : f32) outs(%f : tensor<2x512xf32>) -> tensor<2x512xf32>
  %r = linalg.matmul ins(%xw,%c : tensor<2x256xf32>, tensor<256x512xf32>) outs(%g : tensor<2x512xf32>) -> tensor<2x512xf32>
  return %r : tensor<2x512xf32>
}
