// RUN: not sequin-opt %s --linalg-to-csl="grid=257,256 target=wse3 distribution=y,x;y,x;y,x entry=panels" 2>&1 | FileCheck %s --check-prefix=PANELS
// RUN: not sequin-opt %s --linalg-to-csl="grid=2,2 target=wse3 distribution=y,x;x entry=slice" 2>&1 | FileCheck %s --check-prefix=SLICE

// PEs count panels in 16 bits.
// PANELS: contraction-invalid.mlir:[[@LINE+2]]:{{.*}} error: {{.*}} does not fit a grid of 257 x 256 PEs: runs as SUMMA in 65792 panels on this grid, at most 65535 are possible
func.func @panels(%a: tensor<600x600xf32>, %b: tensor<600x600xf32>, %c: tensor<600x600xf32>) -> tensor<600x600xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<600x600xf32>, tensor<600x600xf32>)
    outs(%c : tensor<600x600xf32>) -> tensor<600x600xf32>
  return %r : tensor<600x600xf32>
}

// What is beside the slice would be added.
func.func @slice(%a: tensor<8x16xf32>, %x: tensor<16xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %s = tensor.extract_slice %a[0, 0] [8, 8] [1, 1] : tensor<8x16xf32> to tensor<8x8xf32>
  %t = tensor.extract_slice %x[0] [8] [1] : tensor<16xf32> to tensor<8xf32>
  // SLICE: contraction-invalid.mlir:[[@LINE+1]]:{{.*}} error: {{.*}} contracts a part of a tensor along a dimension that would have to be cut; copy it first
  %r = linalg.matvec ins(%s, %t : tensor<8x8xf32>, tensor<8xf32>) outs(%o : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
