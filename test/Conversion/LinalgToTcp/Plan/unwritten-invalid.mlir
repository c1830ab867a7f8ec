// RUN: sequin-opt %s --tcp-plan-emit-kernels --verify-diagnostics

// A plan returns what a group has written, or an argument.

module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  // expected-error@+1 {{plan 'main' returns 't', which no group writes}}
  plan.program @main(tensor<8x64xf32>) -> tensor<8x64xf32> returns [@t] {
    plan.tensor @t layout<order = [1, 0]> : tensor<8x64xf32>
  }
}
