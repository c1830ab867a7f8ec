// RUN: sequin-opt %s --split-input-file --verify-diagnostics
// ROWS: MAP-12, SIL-51

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

// -----

// Parts of one axis are digits of one number, in all dimensions together.
#axes = #stream.axes<A = 8, B = 512>
// expected-error@+1 {{axis 'A' is walked twice: 'A' of chip 'A' and 'A % 4' of element 'B, A % 4' hold the same indices of it; each part of an axis has one place in all dimensions together, as in 'A / n' and 'A % n'}}
func.func private @chips_and_memory(!tcp.hbm<i8, #axes, "A", "B, A % 4">)

// -----

#axes = #stream.axes<A = 8, B = 512>
// expected-error@+1 {{axis 'A' is walked twice: 'A' of element 'A, A' and 'A' of element 'A, A'}}
func.func private @diagonal(!tcp.host<i8, #axes, "A, A">)

// -----

#axes = #stream.axes<A = 12>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2 # 256">
// expected-error@+1 {{axis 'A' is walked twice: 'A % 3' of element 'A % 3' and 'A / 2 # 256' of slice 'A / 2 # 256'}}
func.func private @digits_that_meet(!tcp.dm<i8, #grid, "A % 3">)

// -----

#axes = #stream.axes<A = 8, B = 512>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "B / 2">
// expected-error@+1 {{axis 'B' is walked twice: 'B % 2' of row 'B % 2' and 'B % 8' of packet 'B % 8'}}
func.func private @rows(!tcp.stream<main align i8, #grid, row "B % 2", "A", "B % 8">)

// -----

// What a group is made of is the group's.
#axes = #stream.axes<A = 5, B = 3>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "[A, B] # 16 / 4 # 256">
// expected-error@+1 {{axis 'B' is walked twice: 'B' of slice '[A, B] # 16 / 4 # 256' and 'B' of element '[A, B] # 16 % 4, B'}}
func.func private @group(!tcp.dm<i8, #grid, "[A, B] # 16 % 4, B">)

// -----

#axes = #stream.axes<A = 5, B = 3>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "[A, B] # 16 / 4 # 256">
// expected-error@+1 {{group '[A, B]' is walked twice: '[A, B] = 8' of element '[A, B] # 16 % 8' and '[A, B] # 16 / 4 # 256' of slice}}
func.func private @parts_of_a_group(!tcp.vrf<i32, #grid, "[A, B] # 16 % 8">)

// -----

#axes = #stream.axes<W = 8, F = 3>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "F # 256">
// expected-error@+1 {{axis 'F' is walked twice: 'F # 256' of slice 'F # 256' and 'F' of element '$(W:1, F:1)'}}
func.func private @sliding(!tcp.dm<i8, #grid, "$(W:1, F:1)">)

// -----

#axes = #stream.axes<A = 4294967296, B = 3>
// expected-error@+1 {{slice mapping "A / 8" has 536870912 positions, a grid has at most 65536 at each level}}
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8">
func.func private @more_slices_than_any(!tcp.dm<i8, #grid, "A % 8">)

// -----

#axes = #stream.axes<A = 1099511627777>
// expected-error@+1 {{element mapping "A" has 1099511627777 positions, allowed are at most 2^40}}
func.func private @longer_than_any(!tcp.hbm<i8, #axes, "1", "A">)
