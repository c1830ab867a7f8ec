// RUN: rm -rf %t && split-file %s %t
// RUN: sequin-opt %t/operand.mlir --linalg-to-tcp=target=rngd | FileCheck %t/operand.mlir
// RUN: sequin-opt %t/turned.mlir --linalg-to-tcp=target=rngd | FileCheck %t/turned.mlir
// RUN: sequin-opt %t/digits.mlir --linalg-to-tcp=target=rngd | FileCheck %t/digits.mlir
// RUN: sequin-opt %t/sum.mlir --linalg-to-tcp=target=rngd | FileCheck %t/sum.mlir
// RUN: sequin-opt %t/sum.mlir --convert-linalg-to-tcp="target=rngd argument-layout=row-major" | FileCheck %t/sum.mlir --check-prefix=PINNED
// RUN: %python -c "import numpy, sys; [numpy.save(sys.argv[1] + '/' + '-'.join(map(str, shape)), (numpy.arange(numpy.prod(shape)) * 7 %% 16 - 8).astype('i1').reshape(shape)) for shape in [(31, 74), (31,), (32, 17), (24, 40), (48, 70), (70, 96), (5, 8), (1, 48), (4, 48)]]" %t
// RUN: sequin-run %t/operand.mlir --target rngd --input %t/31-74.npy --input %t/31.npy --verify
// RUN: sequin-run %t/turned.mlir --target rngd --input %t/32-17.npy --verify
// RUN: sequin-run %t/digits.mlir --target rngd --input %t/24-40.npy --verify
// RUN: sequin-run %t/sum.mlir --target rngd --input %t/48-70.npy --input %t/70-96.npy --verify
// RUN: sequin-run %t/sum.mlir --target rngd --argument-layout=row-major --input %t/48-70.npy --input %t/70-96.npy --verify
// RUN: sequin-run %t/operand.mlir --target rngd --argument-layout=row-major --input %t/31-74.npy --input %t/31.npy --verify
// RUN: sequin-run %t/turned.mlir --target rngd --argument-layout=row-major --input %t/32-17.npy --verify
// RUN: sequin-run %t/chain.mlir --target rngd --input %t/5-8.npy --verify
// RUN: sequin-run %t/insert.mlir --target rngd --input %t/1-48.npy --input %t/4-48.npy --verify

// ROWS: SIL-26

// Two i4 share a byte, and the fetch engine takes whole bytes: packets run along
// the contiguous dimension, or a pass makes i8 of the tensor first.

//--- operand.mlir
// An operand that does not change along the packets is read element by element.
// CHECK-LABEL: func.func @main_kernel
// CHECK: tcp.fetch %{{.*}} i32 "D / 8", "D % 8" : <main begin i4
// CHECK: tcp.cast %{{.*}} i8
// CHECK: tcp.fetch %{{.*}} i32 "D % 8", "1 # 8" : <main begin i8
func.func @main(%a: tensor<31x74xi32>, %b: tensor<31xi4>) -> tensor<31x74xi32> {
  %e = tensor.empty() : tensor<31x74xi32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>,
                       affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<31x74xi32>, tensor<31xi4>) outs(%e : tensor<31x74xi32>) {
  ^bb0(%x: i32, %y: i4, %o: i32):
    %1 = arith.extsi %y : i4 to i32
    %2 = arith.muli %x, %1 : i32
    linalg.yield %2 : i32
  } -> tensor<31x74xi32>
  return %0 : tensor<31x74xi32>
}

//--- turned.mlir
// The argument lies as the result does.
// CHECK-LABEL: func.func @main_kernel
// CHECK-SAME: !tcp.hbm<i4, #{{.*}}, "1", "D1, D0 # 128">
// CHECK-COUNT-1: tcp.fetch
// CHECK-NOT: tcp.fetch
// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<32x17xi4>) -> tensor<17x32xi8> {
  %e = tensor.empty() : tensor<17x32xi8>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (n, m)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<32x17xi4>) outs(%e : tensor<17x32xi8>) {
  ^bb0(%x: i4, %o: i8):
    %1 = arith.extsi %x : i4 to i8
    linalg.yield %1 : i8
  } -> tensor<17x32xi8>
  return %0 : tensor<17x32xi8>
}

//--- digits.mlir
// What is narrowed to i4 lies in one way only, whoever reads it.
// CHECK-LABEL: func.func @main_kernel
// CHECK: tcp.cast %{{.*}} i4
// CHECK: tcp.fetch %{{.*}} i32 {{.*}} : <main begin i4
// CHECK: tcp.cast %{{.*}} i8
// CHECK: tcp.fetch %{{.*}} i32 {{.*}} : <main begin i8
func.func @main(%a: tensor<24x40xi32>) -> tensor<40x24xi32> {
  %e = tensor.empty() : tensor<24x40xi4>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<24x40xi32>) outs(%e : tensor<24x40xi4>) {
  ^bb0(%x: i32, %o: i4):
    %1 = arith.trunci %x : i32 to i4
    linalg.yield %1 : i4
  } -> tensor<24x40xi4>
  %f = tensor.empty() : tensor<40x24xi32>
  %2 = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (n, m)>, affine_map<(m, n) -> (n, m)>,
                       affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%0, %a : tensor<24x40xi4>, tensor<24x40xi32>) outs(%f : tensor<40x24xi32>) {
  ^bb0(%x: i4, %y: i32, %o: i32):
    %3 = arith.extsi %x : i4 to i32
    %4 = arith.addi %y, %3 : i32
    linalg.yield %4 : i32
  } -> tensor<40x24xi32>
  return %2 : tensor<40x24xi32>
}

//--- sum.mlir
// Factors stay what they are where packets run along the sum.
// CHECK-LABEL: func.func @main_kernel
// CHECK-NOT: i8
// CHECK: tcp.contract
// PINNED-LABEL: func.func @main_kernel
// PINNED: tcp.cast %{{.*}} i8
// PINNED: tcp.contract
func.func @main(%a: tensor<48x70xi4>, %b: tensor<70x96xi4>) -> tensor<48x96xi32> {
  %zero = arith.constant dense<0> : tensor<48x96xi32>
  %0 = linalg.matmul ins(%a, %b : tensor<48x70xi4>, tensor<70x96xi4>)
      outs(%zero : tensor<48x96xi32>) -> tensor<48x96xi32>
  return %0 : tensor<48x96xi32>
}

//--- chain.mlir
// Eight i4 between two passes are less than a commit writes.
func.func @main(%a: tensor<5x8xi32>) -> tensor<5x8xi32> {
  %e = tensor.empty() : tensor<5x8xi4>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<5x8xi32>) outs(%e : tensor<5x8xi4>) {
  ^bb0(%x: i32, %o: i4):
    %1 = arith.trunci %x : i32 to i4
    linalg.yield %1 : i4
  } -> tensor<5x8xi4>
  %f = tensor.empty() : tensor<5x8xi32>
  %2 = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<5x8xi4>) outs(%f : tensor<5x8xi32>) {
  ^bb0(%x: i4, %o: i32):
    %3 = arith.extsi %x : i4 to i32
    %c = arith.constant 3 : i32
    %4 = arith.muli %3, %c : i32
    linalg.yield %4 : i32
  } -> tensor<5x8xi32>
  return %2 : tensor<5x8xi32>
}

//--- insert.mlir
// What is only moved has packets of a flit.
func.func @main(%a: tensor<1x48xi4>, %b: tensor<4x48xi4>) -> tensor<4x48xi4> {
  %0 = tensor.insert_slice %a into %b[0, 0] [1, 48] [1, 1] : tensor<1x48xi4> into tensor<4x48xi4>
  return %0 : tensor<4x48xi4>
}
