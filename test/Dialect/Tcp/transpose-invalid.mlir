// RUN: sequin-opt %s --split-input-file --verify-diagnostics
// ROWS: TRA-02, TRA-03, TRA-04, TRA-11, COM-15

#axes = #stream.axes<C = 8, D = 8, E = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @eight_rows_of_bf16(%0: !tcp.stream<main collect bf16, #grid, "C, D", "E # 16">) {
  // expected-error@+1 {{in_rows is 8, the transpose engine takes at most 4 rows of 'bf16'}}
  %1 = tcp.transpose %0 "C, E", "D # 16" : <main collect bf16, #grid, "C, D", "E # 16">
  return
}

// -----

#axes = #stream.axes<D = 16, E = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @sixteen_rows_of_i8(%0: !tcp.stream<main collect i8, #grid, "D", "E # 32">) {
  // expected-error@+1 {{in_rows is 16, the transpose engine takes at most 8 rows of 'i8'}}
  %1 = tcp.transpose %0 "E", "D # 32" : <main collect i8, #grid, "D", "E # 32">
  return
}

// -----

#axes = #stream.axes<D = 4, E = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @four_rows_of_f32(%0: !tcp.stream<main accumulate f32, #grid, "D", "E">) {
  // expected-error@+1 {{in_rows is 4, the transpose engine takes at most 2 rows of 'f32'}}
  %1 = tcp.transpose %0 "E", "D # 8" : <main accumulate f32, #grid, "D", "E">
  return
}

// -----

#axes = #stream.axes<D = 32, E = 16>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @thirty_two_rows_of_i4(%0: !tcp.stream<main collect i4, #grid, "D", "E # 64">) {
  // expected-error@+1 {{in_rows is 32, the transpose engine takes at most 16 rows of 'i4'}}
  %1 = tcp.transpose %0 "E", "D # 64" : <main collect i4, #grid, "D", "E # 64">
  return
}

// -----

// Three packets side by side.
#axes = #stream.axes<C = 4, D = 3, E = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @twenty_four_columns(%0: !tcp.stream<main collect i8, #grid, "C, D", "E # 32">) {
  // expected-error@+1 {{in_cols is 24, allowed for 'i8' are 8, 16, 32}}
  %1 = tcp.transpose %0 "D, E", "C # 32" : <main collect i8, #grid, "C, D", "E # 32">
  return
}

// -----

#axes = #stream.axes<C = 4, D = 8, E = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @sixty_four_columns(%0: !tcp.stream<main collect i8, #grid, "C, D", "E # 32">) {
  // expected-error@+1 {{in_cols is 64, allowed for 'i8' are 8, 16, 32}}
  %1 = tcp.transpose %0 "D, E", "C # 32" : <main collect i8, #grid, "C, D", "E # 32">
  return
}

// -----

#axes = #stream.axes<C = 4, D = 4, E = 16>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @sixty_four_columns_of_i4(%0: !tcp.stream<main collect i4, #grid, "C, D", "E # 64">) {
  // expected-error@+1 {{in_cols is 64, allowed for 'i4' are 16, 32}}
  %1 = tcp.transpose %0 "D, E", "C # 64" : <main collect i4, #grid, "C, D", "E # 64">
  return
}

// -----

// Only eight of 32 elements of a flit go into the buffer.
#axes = #stream.axes<C = 8, E = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @full_flit(%0: !tcp.stream<main collect i8, #grid, "C", "E">) {
  // expected-error@+1 {{packet "E" holds data at element 8, the transpose engine takes the first 8 elements of 'i8' of each packet}}
  %1 = tcp.transpose %0 "E", "C # 32" : <main collect i8, #grid, "C", "E">
  return
}

// -----

#axes = #stream.axes<C = 8, E = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @short_output(%0: !tcp.stream<main collect i8, #grid, "C", "E # 32">) {
  // expected-error@+1 {{output packet "C" has 8 elements of 'i8', one flit of 32 bytes holds 32}}
  %1 = tcp.transpose %0 "E", "C" : <main collect i8, #grid, "C", "E # 32">
  return
}

// -----

#axes = #stream.axes<C = 8, E = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @trims_data(%0: !tcp.stream<main collect i8, #grid, "C", "E # 32">) {
  // expected-error@+1 {{trims to 4 of 8 columns, which leaves out data: 32 of 64 elements remain}}
  %1 = tcp.transpose %0 "E = 4", "C # 32" : <main collect i8, #grid, "C", "E # 32">
  return
}

// -----

#axes = #stream.axes<C = 8, D = 8, E = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @outer_time(%0: !tcp.stream<main collect i8, #grid, "C, D", "E # 32">) {
  // expected-error@+1 {{into time "E, C", packet "D # 32", which no exchange of the innermost time with the packet does}}
  %1 = tcp.transpose %0 "E, C", "D # 32" : <main collect i8, #grid, "C, D", "E # 32">
  return
}

// -----

#axes = #stream.axes<C = 8, E = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @sub_context(%0: !tcp.stream<sub collect i8, #grid, "C", "E # 32">) {
  // expected-error@+1 {{is in the sub context, which has no transpose engine}}
  %1 = tcp.transpose %0 "E", "C # 32" : <sub collect i8, #grid, "C", "E # 32">
  return
}

// -----

// Elements of nine bits exist before the contraction only.
#axes = #stream.axes<C = 8, E = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @nine_bits(%0: !tcp.stream<main collect i9, #grid, "C", "E # 32">) {
  // expected-error@+1 {{transposes 'i9', the transpose engine takes elements of 4, 8, 16 and 32 bits}}
  %1 = tcp.transpose %0 "E", "C # 32" : <main collect i9, #grid, "C", "E # 32">
  return
}

// -----

#axes = #stream.axes<C = 8, E = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @before_collect(%0: !tcp.stream<main fetch i8, #grid, "C", "E # 32">) {
  // expected-error@+1 {{operand #0 must be stream after collect, accumulate, vector_final or cast}}
  %1 = tcp.transpose %0 "E", "C # 32" : <main fetch i8, #grid, "C", "E # 32">
  return
}
