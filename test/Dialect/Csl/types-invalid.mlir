// RUN: sequin-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{unknown machine "wse1", known are wse2, wse3}}
module attributes {csl.target = #csl.target<"wse1">} {}

// -----

// expected-error@+1 {{'csl.target' must be a #csl.target, found "wse2"}}
module attributes {csl.target = "wse2"} {}

// -----

// expected-error@+1 {{has 'csl.target', which belongs on a module}}
func.func private @f() attributes {csl.target = #csl.target<"wse2">}

// -----

// expected-error@+1 {{has unknown attribute 'csl.machine'}}
func.func private @f() attributes {csl.machine = 1 : i64}

// -----

// expected-error@+1 {{a many-item pointer points to elements, found '!csl.array<4xf32>'}}
func.func private @f(!csl.ptr<many !csl.array<4xf32>>)

// -----

// expected-error@+1 {{a pointer to a function is const and to one}}
func.func private @f(!csl.ptr<() -> ()>)

// -----

// expected-error@+1 {{nothing of type '!csl.fifo<i16>' is in memory}}
func.func private @f(!csl.ptr<!csl.fifo<i16>>)

// -----

// expected-error@+1 {{an array has at least one dimension}}
func.func private @f(!csl.array<f32>)

// -----

// expected-error@+1 {{the elements of an array are no arrays, found '!csl.array<4xf32>'}}
func.func private @f(!csl.array<2x!csl.array<4xf32>>)

// -----

func.func private @at_limit(!csl.array<65536xi16>)
// expected-error@+1 {{an array has more than 65536 elements}}
func.func private @past_limit(!csl.array<65537xi16>)

// -----

// expected-error@+1 {{an array has more than 65536 elements}}
func.func private @f(!csl.array<9000000000000000000x9000000000000000000xi16>)

// -----

// expected-error@+1 {{struct "p" has field 'x' twice}}
func.func private @f(!csl.struct<"p" {x : i16, x : f32}>)

// -----

// expected-error@+1 {{struct "p" has field 'x' of type '!csl.xdsr', which is not in memory}}
func.func private @f(!csl.struct<"p" {x : !csl.xdsr}>)

// -----

// expected-error@+1 {{packed struct "p" has field 'x' of type '!csl.array<2xi16>', allowed are integers, floats, enums, pointers and packed structs}}
func.func private @f(!csl.struct<packed "p" {x : !csl.array<2xi16>}>)

// -----

// expected-error@+1 {{enum "e" has 'a' = 256, which 'i8' does not hold}}
func.func private @f(!csl.enum<"e" : i8 {a = 256}>)

// -----

// expected-error@+1 {{enum "e" has 'a' twice}}
func.func private @f(!csl.enum<"e" : i8 {a = 1, a = 2}>)

// -----

// expected-error@+2 {{expected one of [dest, src0, src1, fifo_dest, fifo_src1]}}
// expected-error@+1 {{failed to parse}}
func.func private @f(!csl.dsr<src2>)

// -----

// expected-error@+1 {{enum "big" has base type 'i65', allowed are integers of 1 to 64 bits}}
func.func private @f(!csl.enum<"big" : i65 {a = 0}>)

// -----

// expected-error@+1 {{a FIFO holds numbers of 16 or 32 bits, found 'vector<2xf32>'}}
func.func private @f(!csl.fifo<vector<2xf32>>)

// -----

// expected-error@+1 {{a FIFO holds numbers of 16 or 32 bits, found 'i8'}}
func.func private @f(!csl.fifo<i8>)
