// RUN: sequin-opt %s --normalize-linalg --verify-diagnostics

// All operations that are refused by themselves are told, of all functions, and
// nothing that only follows from them.

func.func @rewrites_and_what_none_knows(%a: tensor<8xi64>, %b: tensor<8xf32>, %i: tensor<4xi32>) -> (tensor<8xi64>, tensor<8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{body computes 'arith.addi' in 'i64', of values that may not fit in i32}}
  %0 = arith.addi %a, %a : tensor<8xi64>
  // A sum of what was refused is looked at by itself: it may not fit either.
  // expected-error@+1 {{body computes 'arith.muli' in 'i64', of values that may not fit in i32}}
  %1 = arith.muli %0, %a : tensor<8xi64>
  // expected-error@+1 {{'tensor.bitcast' op cannot be lowered to tcp}}
  %2 = tensor.bitcast %i : tensor<4xi32> to tensor<4xf32>
  // Nothing is wrong with these.
  %3 = math.exp %b : tensor<8xf32>
  %4 = arith.addf %3, %b : tensor<8xf32>
  return %1, %4, %2 : tensor<8xi64>, tensor<8xf32>, tensor<4xf32>
}

// expected-error@+3 {{argument 0 has type 'tensor<?xf32>'}}
// expected-error@+2 {{argument 1 has element type 'f64'}}
// expected-error@+1 {{result 0 has element type 'f64'}}
func.func @boundary(%a: tensor<?xf32>, %b: tensor<2xf64>) -> tensor<2xf64> {
  return %b : tensor<2xf64>
}

func.func @another(%a: tensor<8xi64>) -> tensor<8xi64> {
  // expected-error@+1 {{body computes 'arith.muli' in 'i64'}}
  %0 = arith.muli %a, %a : tensor<8xi64>
  return %0 : tensor<8xi64>
}
