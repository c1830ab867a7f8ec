// RUN: sequin-opt %s --split-input-file --verify-diagnostics
// ROWS: MAP-12

#axes = #stream.axes<A = 2048>
// expected-error@+1 {{element mapping "B": }}
func.func private @axis_without_size(!tcp.host<i32, #axes, "B">)

// -----

#axes = #stream.axes<A = 2048>
// expected-error@+1 {{element mapping "A / 3": }}
func.func private @does_not_divide(!tcp.host<i32, #axes, "A / 3">)

// -----

#axes = #stream.axes<A = 2048>
// expected-error@+1 {{slice mapping "A % 100": }}
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A % 100">
func.func private @grid(!tcp.dm<i32, #grid, "A">)

// -----

#axes = #stream.axes<A = 2048>
// expected-error@+1 {{element type 'i64' is not one of the machine's}}
func.func private @element_type(!tcp.host<i64, #axes, "A">)

// -----

#axes = #stream.axes<A = 2048>
// expected-error@+1 {{element type 'i5' exists in streams only, not in a memory}}
func.func private @i5_in_memory(!tcp.hbm<i5, #axes, "1", "A">)

// -----

#axes = #stream.axes<A = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
// expected-error@+1 {{TRF tensor has element type 'f32', the contraction engine takes}}
func.func private @trf_of_f32(!tcp.trf<f32, #grid, "1", "A">)

// -----

#axes = #stream.axes<A = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
// expected-error@+1 {{VRF tensor has element type 'bf16', the vector engine works on i32 and f32}}
func.func private @vrf_of_bf16(!tcp.vrf<bf16, #grid, "A">)

// -----

#axes = #stream.axes<A = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
// expected-error@+1 {{stream after align needs a row mapping}}
func.func private @align_without_rows(!tcp.stream<main align bf16, #grid, "A / 32", "A % 32">)

// -----

#axes = #stream.axes<A = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
// expected-error@+1 {{stream after fetch has no row mapping}}
func.func private @fetch_with_rows(!tcp.stream<main fetch bf16, #grid, row "1", "A / 32", "A % 32">)

// -----

// expected-error@+1 {{unknown machine "rngd2", known are}}
module attributes {tcp.target = #tcp.target<"rngd2">} {}

// -----

// expected-error@+1 {{has unknown attribute 'tcp.targt'}}
module attributes {tcp.targt = "rngd"} {}

// -----

// expected-error@+1 {{target has 0 chips, machine "rngd" allows 1 to}}
module attributes {tcp.target = #tcp.target<"rngd", chips = 0>} {}
