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

// -----

#axes = #stream.axes<A = 64, B = 4>
func.func @spm_between_chips(%0: !tcp.hbm<i8, #axes, "B", "A">) {
  // expected-error@+1 {{moves SPM from chips "B" to chips "4", SPM moves stay on their chip}}
  %1 = tcp.to_spm %0 at 0 : !tcp.hbm<i8, #axes, "B", "A"> -> !tcp.spm<i8, #axes, "4", "A, B">
  return
}

// -----

#axes = #stream.axes<A = 64>
func.func @stream_axis(%0: !tcp.hbm<i8, #axes, "1", "A">) {
  // expected-error@+1 {{stream mapping "B": }}
  %1 = tcp.to_hbm %0 at 64 stream [#tcp.dma_stream<chip "1", cluster "1", slice "1", time "B", packet "A">]
      : !tcp.hbm<i8, #axes, "1", "A"> -> !tcp.hbm<i8, #axes, "1", "A">
  return
}

// -----

#axes = #stream.axes<A = 64>
func.func @host_stream(%0: !tcp.host<i8, #axes, "A">) {
  // expected-error@+1 {{moves from the host, which has no stream}}
  %1 = tcp.to_hbm %0 at 64 stream [#tcp.dma_stream<chip "1", cluster "1", slice "1", time "1", packet "A">]
      : !tcp.host<i8, #axes, "A"> -> !tcp.hbm<i8, #axes, "1", "A">
  return
}

// -----

#axes = #stream.axes<A = 64, B = 4>
func.func @shuffle_count(%0: !tcp.hbm<i8, #axes, "B", "A">) {
  // expected-error@+1 {{has 3 sources, the tensor is on 4 chips}}
  %1 = tcp.chip_shuffle %0 [1, 2, 0] at 64 : !tcp.hbm<i8, #axes, "B", "A">
  return
}

// -----

#axes = #stream.axes<A = 64, B = 4>
func.func @shuffle_range(%0: !tcp.hbm<i8, #axes, "B", "A">) {
  // expected-error@+1 {{has source chip 4, allowed are 0 to 3}}
  %1 = tcp.chip_shuffle %0 [1, 2, 3, 4] at 64 : !tcp.hbm<i8, #axes, "B", "A">
  return
}

// -----

#axes = #stream.axes<A = 64, B = 4>
func.func @shuffle_twice(%0: !tcp.hbm<i8, #axes, "B", "A">) {
  // expected-error@+1 {{has source chip 1 twice, a shuffle takes every chip once}}
  %1 = tcp.chip_shuffle %0 [1, 1, 3, 0] at 64 : !tcp.hbm<i8, #axes, "B", "A">
  return
}

// -----

#axes = #stream.axes<A = 64, B = 3>
func.func @shuffle_padded(%0: !tcp.hbm<i8, #axes, "B # 4", "A">) {
  // expected-error@+1 {{shuffles chips "B # 4", of which some hold no data}}
  %1 = tcp.chip_shuffle %0 [1, 2, 3, 0] at 64 : !tcp.hbm<i8, #axes, "B # 4", "A">
  return
}

// -----

#axes = #stream.axes<V = 64, S = 4, D = 8>
func.func @index_type(%0: !tcp.hbm<i8, #axes, "1", "V, D">, %1: !tcp.hbm<i16, #axes, "1", "S">) {
  // expected-error@+1 {{has indices of 'i16', allowed is i32}}
  %2 = tcp.gather %0 [%1] "V" at 0 : !tcp.hbm<i8, #axes, "1", "V, D">, !tcp.hbm<i16, #axes, "1", "S"> -> !tcp.hbm<i8, #axes, "1", "S, D">
  return
}

// -----

#axes = #stream.axes<V = 64, S = 4, D = 8>
func.func @index_axis(%0: !tcp.hbm<i8, #axes, "1", "V, D">, %1: !tcp.hbm<i32, #axes, "1", "S">) {
  // expected-error@+1 {{indexes axis 'W', which is not declared}}
  %2 = tcp.gather %0 [%1] "W" at 0 : !tcp.hbm<i8, #axes, "1", "V, D">, !tcp.hbm<i32, #axes, "1", "S"> -> !tcp.hbm<i8, #axes, "1", "S, D">
  return
}

// -----

#axes = #stream.axes<V = 64, S = 4, D = 8>
func.func @index_absent(%0: !tcp.hbm<i8, #axes, "1", "D">, %1: !tcp.hbm<i32, #axes, "1", "S">) {
  // expected-error@+1 {{indexes axis 'V', which the indexed tensor does not have}}
  %2 = tcp.gather %0 [%1] "V" at 0 : !tcp.hbm<i8, #axes, "1", "D">, !tcp.hbm<i32, #axes, "1", "S"> -> !tcp.hbm<i8, #axes, "1", "S, D">
  return
}

// -----

#axes = #stream.axes<V = 64, S = 4, D = 8>
func.func @index_kept(%0: !tcp.hbm<i8, #axes, "1", "V, D">, %1: !tcp.hbm<i32, #axes, "1", "S">) {
  // expected-error@+1 {{indexes axis 'V', which the other tensor has too}}
  %2 = tcp.gather %0 [%1] "V" at 0 : !tcp.hbm<i8, #axes, "1", "V, D">, !tcp.hbm<i32, #axes, "1", "S"> -> !tcp.hbm<i8, #axes, "1", "V, D">
  return
}
