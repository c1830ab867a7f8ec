// RUN: sequin-opt %s --linalg-to-tcp=target=rngd --split-input-file --verify-diagnostics

// A sum is written in chunks, one after the other: one of very many is refused before it is
// written.

func.func @main(%a: tensor<4x1073741824xbf16>, %b: tensor<1073741824x4xbf16>, %z: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error-re@+1 {{takes {{[0-9]+}} steps of its kernel one after the other; 32768 are allowed in a program, of which 32768 are left: reduce in several operations}}
  %c = linalg.matmul ins(%a, %b : tensor<4x1073741824xbf16>, tensor<1073741824x4xbf16>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}
