// RUN: sequin-opt %s --lower-tosa --verify-diagnostics

func.func @scattered(%x: tensor<1x9x8xf32>, %i: tensor<1x4xi32>, %u: tensor<1x4x8xf32>) -> tensor<1x9x8xf32> {
  // expected-error@+1 {{failed to legalize operation 'tosa.scatter'}}
  %r = tosa.scatter %x, %i, %u : (tensor<1x9x8xf32>, tensor<1x4xi32>, tensor<1x4x8xf32>) -> tensor<1x9x8xf32>
  return %r : tensor<1x9x8xf32>
}
