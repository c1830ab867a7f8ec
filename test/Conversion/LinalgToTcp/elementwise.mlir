// RUN: sequin-opt %s --linalg-to-tcp --split-input-file | FileCheck %s
// RUN: sequin-opt %s --linalg-to-tcp --split-input-file --verify-roundtrip -o /dev/null
// RUN: sequin-opt %s --linalg-to-tcp=argument-layout=row-major --split-input-file | FileCheck %s --check-prefix=MAJOR

// ROWS: HEL-06, HEL-07

// The second operand of an integer multiplication is in the VRF; multiplication,
// addition and shift are ALUs of one stage, and maximum comes after it.

// CHECK-LABEL: func.func @integers_kernel
// CHECK-SAME: %[[A:[^:]*]]: !tcp.hbm<i32, #axes, "1", "D0">, %[[B:[^:]*]]: !tcp.hbm<i32, #axes, "1", "D0">)
// CHECK: %[[AV:.*]] = tcp.view %[[A]] at 0
// CHECK: tcp.to_dm %[[AV]]
// CHECK: tcp.fetch %{{.*}} i32 "D / 8 % 8", "D % 8"
// CHECK: %[[BV:.*]] = tcp.view %[[B]] at 0
// CHECK: tcp.to_dm %[[BV]]
// CHECK: %[[V:.*]] = tcp.to_vrf %{{.*}} at 0 "D % 64"
// CHECK: tcp.vector_fxp %{{.*}} MulInt, %[[V]]
// CHECK: tcp.vector_fxp %{{.*}} AddFxp(3 : i32)
// CHECK: tcp.vector_fxp %{{.*}} ArithRightShift(7 : i32)
// CHECK: tcp.vector_clip %{{.*}} Max(3 : i32)
// CHECK: tcp.vector_final
// CHECK: tcp.commit %{{.*}} "D % 64"
// CHECK-LABEL: func.func @integers(
// CHECK-SAME: tcp.macs = 0 : i64
#id = affine_map<(i) -> (i)>
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @integers(%a: tensor<2048xi32>, %b: tensor<2048xi32>)
      -> tensor<2048xi32> {
    %c3 = arith.constant 3 : i32
    %c7 = arith.constant 7 : i32
    %empty = tensor.empty() : tensor<2048xi32>
    %0 = linalg.generic {indexing_maps = [#id, #id, #id],
                         iterator_types = ["parallel"]}
        ins(%a, %b : tensor<2048xi32>, tensor<2048xi32>)
        outs(%empty : tensor<2048xi32>) {
    ^bb0(%x: i32, %y: i32, %out: i32):
      %1 = arith.muli %x, %y : i32
      %2 = arith.addi %1, %c3 : i32
      %3 = arith.shrsi %2, %c7 : i32
      %4 = arith.maxsi %3, %c3 : i32
      linalg.yield %4 : i32
    } -> tensor<2048xi32>
    return %0 : tensor<2048xi32>
  }
}

// -----

// f32 arithmetic is on four lanes. The second subtraction needs the adder again:
// a second pass reads what the first one left in DM. A constant minuend swaps the
// operands.

// CHECK-LABEL: func.func @floats_kernel
// CHECK: %[[V:.*]] = tcp.to_vrf
// CHECK: tcp.vector_split %{{.*}} "{{.*}}D1 / 4 % 2", "D1 % 4"
// CHECK: tcp.vector_fp_binary %{{.*}} AddF, %[[V]]
// CHECK: tcp.vector_fp_binary %{{.*}} MulF0(2.000000e+00 : f32)
// CHECK: tcp.vector_fp_binary %{{.*}} MulF1(3.000000e+00 : f32)
// CHECK: tcp.vector_concat %{{.*}} "{{.*}}", "D1 % 8"
// CHECK-NEXT: tcp.vector_final
// CHECK: %[[T:.*]] = tcp.commit
// CHECK: tcp.begin main %[[T]]
// CHECK: tcp.vector_fp_binary %{{.*}} SubF mode Mode10(2.000000e+00 : f32)
// CHECK: tcp.vector_concat
// CHECK: tcp.vector_clip %{{.*}} Max(3.000000e+00 : f32)
// CHECK: tcp.vector_clip %{{.*}} Add(3.000000e+00 : f32)
// CHECK: tcp.to_hbm_view
#id = affine_map<(i, j) -> (i, j)>
#columns = affine_map<(i, j) -> (j)>
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @floats(%a: tensor<64x48xf32>, %b: tensor<48xf32>)
      -> tensor<64x48xf32> {
    %c2 = arith.constant 2.0 : f32
    %c3 = arith.constant 3.0 : f32
    %empty = tensor.empty() : tensor<64x48xf32>
    %0 = linalg.generic {indexing_maps = [#id, #columns, #id],
                         iterator_types = ["parallel", "parallel"]}
        ins(%a, %b : tensor<64x48xf32>, tensor<48xf32>)
        outs(%empty : tensor<64x48xf32>) {
    ^bb0(%x: f32, %y: f32, %out: f32):
      %1 = arith.addf %x, %y : f32
      %2 = arith.mulf %1, %c2 : f32
      %3 = arith.mulf %2, %c3 : f32
      %4 = arith.subf %c2, %3 : f32
      %5 = arith.maximumf %4, %c3 : f32
      %6 = arith.addf %5, %c3 : f32
      linalg.yield %6 : f32
    } -> tensor<64x48xf32>
    return %0 : tensor<64x48xf32>
  }
}

// -----

// bf16 is widened by the fetch, in the VRF too, and rounded after each operation.
// The second operand of both is moved to DM once.

// CHECK-LABEL: func.func @rounded_kernel
// CHECK: tcp.fetch %{{.*}} f32 {{.*}} : <main begin bf16
// CHECK: %[[B:.*]] = tcp.to_dm
// CHECK: tcp.begin sub %[[B]]
// CHECK: tcp.fetch %{{.*}} f32 {{.*}} : <sub begin bf16
// CHECK: tcp.to_vrf {{.*}} : <sub collect f32
// CHECK: tcp.vector_clip %{{.*}} Add
// CHECK: tcp.cast %{{.*}} bf16 "D % 8 # 16"
// CHECK: tcp.commit
// CHECK: tcp.fetch %{{.*}} f32 {{.*}} : <main begin bf16
// CHECK-NOT: tcp.to_dm
// CHECK: tcp.begin sub %[[B]]
// CHECK: tcp.vector_fp_binary %{{.*}} MulF0
// CHECK: tcp.cast %{{.*}} bf16
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @rounded(%a: tensor<4096xbf16>, %b: tensor<4096xbf16>)
      -> tensor<4096xbf16> {
    %empty = tensor.empty() : tensor<4096xbf16>
    %0 = linalg.add ins(%a, %b : tensor<4096xbf16>, tensor<4096xbf16>)
        outs(%empty : tensor<4096xbf16>) -> tensor<4096xbf16>
    %1 = linalg.mul ins(%0, %b : tensor<4096xbf16>, tensor<4096xbf16>)
        outs(%empty : tensor<4096xbf16>) -> tensor<4096xbf16>
    return %1 : tensor<4096xbf16>
  }
}

// -----

// An integer is widened, converted and scaled in one pass.

// CHECK-LABEL: func.func @dequantized_kernel
// CHECK: tcp.fetch %{{.*}} i32 {{.*}} : <main begin i8
// CHECK: tcp.vector_fxp_to_fp %{{.*}} 31
// CHECK: tcp.vector_split
// CHECK: tcp.vector_fp_binary %{{.*}} MulF0(5.000000e-01 : f32)
#id = affine_map<(i) -> (i)>
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @dequantized(%a: tensor<4096xi8>) -> tensor<4096xf32> {
    %half = arith.constant 0.5 : f32
    %empty = tensor.empty() : tensor<4096xf32>
    %0 = linalg.generic {indexing_maps = [#id, #id],
                         iterator_types = ["parallel"]}
        ins(%a : tensor<4096xi8>) outs(%empty : tensor<4096xf32>) {
    ^bb0(%x: i8, %out: f32):
      %1 = arith.sitofp %x : i8 to f32
      %2 = arith.mulf %1, %half : f32
      linalg.yield %2 : f32
    } -> tensor<4096xf32>
    return %0 : tensor<4096xf32>
  }
}

// -----

// A square has its operand on both sides. An operand that only the outer loop
// indexes is one element for all lanes in the VRF.

// CHECK-LABEL: func.func @twice_kernel
// CHECK-SAME: %[[A:[^:]*]]: !tcp.hbm<f32, #axes, "1", "D0, D1">, %[[B:[^:]*]]: !tcp.hbm<f32, #axes1, "1", "D0">)
// CHECK: %[[AV:.*]] = tcp.view %[[A]] at 0
// CHECK: tcp.to_dm %[[AV]]
// CHECK: %[[BV:.*]] = tcp.view %[[B]] at 0
// CHECK: tcp.to_dm %[[BV]]
// CHECK: %[[VB:.*]] = tcp.to_vrf %{{.*}} "D % 2, 1 # 8"
// CHECK-NOT: tcp.to_vrf
// CHECK: tcp.vector_fp_binary %{{.*}} MulF0 mode Mode00 :
// CHECK: tcp.vector_fp_binary %{{.*}} AddF, %[[VB]]
#id = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @twice(%a: tensor<1024x512xf32>, %b: tensor<1024xf32>)
      -> tensor<1024x512xf32> {
    %empty = tensor.empty() : tensor<1024x512xf32>
    %0 = linalg.generic {indexing_maps = [#id, #rows, #id],
                         iterator_types = ["parallel", "parallel"]}
        ins(%a, %b : tensor<1024x512xf32>, tensor<1024xf32>)
        outs(%empty : tensor<1024x512xf32>) {
    ^bb0(%x: f32, %y: f32, %out: f32):
      %1 = arith.mulf %x, %x : f32
      %2 = arith.addf %1, %y : f32
      linalg.yield %2 : f32
    } -> tensor<1024x512xf32>
    return %0 : tensor<1024x512xf32>
  }
}

// -----

// A transposition is only another name for the elements; what leaves the function
// is copied. An argument comes in the order of the result; one that lies in rows is
// fetched along the other dimension.

// CHECK-LABEL: func.func @transposed_kernel
// CHECK-SAME: %{{.*}}: !tcp.hbm<i8, #axes, "1", "D1, D0 # 64">
// CHECK: tcp.fetch %{{.*}} i8 "1", "D1"
// CHECK: tcp.commit %{{.*}} "D1"
// MAJOR-LABEL: func.func @transposed_kernel
// MAJOR: tcp.to_dm {{.*}} -> !tcp.dm<i8, #grid, "D1, D % 8">
// MAJOR: tcp.fetch %{{.*}} i8 "D % 8", "D1"
// MAJOR: tcp.commit %{{.*}} "D % 8, D1"
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @transposed(%a: tensor<24x40xi8>) -> tensor<40x24xi8> {
    %empty = tensor.empty() : tensor<40x24xi8>
    %0 = linalg.transpose ins(%a : tensor<24x40xi8>)
        outs(%empty : tensor<40x24xi8>) permutation = [1, 0]
    return %0 : tensor<40x24xi8>
  }
}
