// RUN: sequin-opt %s --split-input-file --verify-diagnostics
// ROWS: MAP-24

#axes = #stream.axes<A = 2048>
func.func @types_differ(%0: !tcp.host<i32, #axes, "A">) {
  // expected-error@+1 {{moves 'i32' elements to a tensor of 'i8'}}
  %1 = tcp.to_hbm %0 at 0 : !tcp.host<i32, #axes, "A"> -> !tcp.hbm<i8, #axes, "1", "A">
  return
}

// -----

#axes = #stream.axes<A = 2048>
func.func @misaligned(%0: !tcp.host<i32, #axes, "A">) {
  // expected-error@+1 {{address 2 is not a multiple of the element size, 4 bytes}}
  %1 = tcp.to_hbm %0 at 2 : !tcp.host<i32, #axes, "A"> -> !tcp.hbm<i32, #axes, "1", "A">
  return
}

// -----

#axes = #stream.axes<A = 2048>
#other = #stream.axes<A = 1024>
func.func @axes_differ(%0: !tcp.host<i32, #axes, "A">) {
  // expected-error@+1 {{source has axes}}
  %1 = tcp.to_hbm %0 at 0 : !tcp.host<i32, #axes, "A"> -> !tcp.hbm<i32, #other, "1", "A">
  return
}

// -----

#axes = #stream.axes<A = 2048>
func.func @unknown_kernel(%0: !tcp.hbm<i32, #axes, "1", "A">) {
  // expected-error@+1 {{launches 'kernel', which is not a function of this module}}
  tcp.launch @kernel(%0) : (!tcp.hbm<i32, #axes, "1", "A">) -> ()
  return
}

// -----

#axes = #stream.axes<A = 2048>
// expected-note@+1 {{kernel defined here}}
func.func private @kernel(!tcp.hbm<i8, #axes, "1", "A">)
func.func @argument_mismatch(%0: !tcp.hbm<i32, #axes, "1", "A">) {
  // expected-error@+1 {{arguments are}}
  tcp.launch @kernel(%0) : (!tcp.hbm<i32, #axes, "1", "A">) -> ()
  return
}
