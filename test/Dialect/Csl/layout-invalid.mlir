// RUN: sequin-opt %s --split-input-file --verify-diagnostics

// ROWS: FAB-008, FAB-011, FAB-021, FAB-022, FAB-033, FAB-051, FAB-058, FAB-060
// ROWS: FAB-072, FAB-078, BLT-068, BLT-069, AMB-015, AMB-016
// ROWS: RPC-001

module attributes {csl.target = #csl.target<"wse3">} {
  // expected-error@+1 {{is 763 x 1, wse3 has 762 x 1172 PEs}}
  csl.layout 763 x 1 {}
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  // expected-error@+1 {{of width 4 at offset 4 does not fit on a fabric of 7}}
  csl.layout 4 x 1 fabric 7 x 3 at 4, 1 {}
}

// -----

csl.program @pe {}
// expected-error@+1 {{gives PE (1, 0) no code}}
csl.layout 2 x 1 {
  csl.tile_code @pe at <0, 0>
}

// -----

csl.program @pe {}
csl.layout 2 x 1 {
  // expected-note@+1 {{given here}}
  csl.tile_code @pe at <0 to 2, 0>
  // expected-error@+1 {{gives PE (1, 0) code that it has already}}
  csl.tile_code @pe at <1, 0>
}

// -----

csl.program @pe {}
// expected-note@+1 {{rectangle is here}}
csl.layout 2 x 1 {
  // expected-error@+1 {{reaches x = 2, the rectangle has 0 to 1}}
  csl.tile_code @pe at <0 to 3, 0>
}

// -----

csl.layout 2 x 1 {
  // expected-error@+1 {{names program @pe, which does not exist}}
  csl.tile_code @pe at <0 to 2, 0>
}

// -----

// expected-note@+1 {{defined here}}
func.func private @pe()
csl.layout 1 x 1 {
  // expected-error@+1 {{names program @pe, which is a 'func.func'}}
  csl.tile_code @pe at <0, 0>
}

// -----

// expected-note@+1 {{program is here}}
csl.program @pe {}
csl.layout 1 x 1 {
  // expected-error@+1 {{gives parameter 'n', which @pe does not have}}
  csl.tile_code @pe at <0, 0> params {n = 1 : i16}
}

// -----

csl.program @pe {
  // expected-note@+1 {{declared without a default here}}
  csl.param @n : i16
}
csl.layout 1 x 1 {
  // expected-error@+1 {{gives no value for parameter 'n'}}
  csl.tile_code @pe at <0, 0>
}

// -----

csl.program @pe {
  csl.param @n : i16
}
csl.layout 1 x 1 {
  // expected-error@+1 {{gives parameter 'n' as 1 : i32, expected a value of type 'i16'}}
  csl.tile_code @pe at <0, 0> params {n = 1 : i32}
}

// -----

csl.program @pe {
  csl.param @n : i16
}
csl.layout 2 x 3 {
  // expected-error@+1 {{gives parameter 'n' values of type 'tensor<2x3xi16>', expected tensor<3x2x'i16'>}}
  csl.tile_code @pe at <0 to 2, 0 to 3> params {n = dense<0> : tensor<2x3xi16>}
}

// -----

csl.program @pe {
  csl.param @n : f32
}
csl.layout 2 x 3 {
  // expected-error@+1 {{gives parameter 'n' of type 'f32' as an integer map}}
  csl.tile_code @pe at <0 to 2, 0 to 3> params {n = affine_map<(x, y) -> (x)>}
}

// -----

csl.program @pe {}
csl.layout 1 x 1 {
  csl.tile_code @pe at <0, 0>
  // expected-error@+1 {{direction WEST is given twice}}
  csl.color_config 1 at <0, 0> routes <rx [WEST, WEST]>
}

// -----

csl.layout 1 x 1 {
  // expected-error@+1 {{routes 1024 has bits above the 10 that mean directions}}
  csl.color_config 1 at <0, 0> routes <0x400>
}

// -----

// All bits set is the last that means something.
csl.program @pe {}
csl.layout 1 x 1 {
  csl.tile_code @pe at <0, 0>
  csl.color_config 1 at <0, 0> routes <0x3ff>
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {}
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
    csl.color_config 23 at <0, 0> routes <>
    // expected-error@+1 {{color is 24, wse2 allows 0 to 23}}
    csl.color_config 24 at <0, 0> routes <>
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {}
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
    csl.color_config 9 at <0, 0> routes <rx RAMP tx EAST> switches <pos1 = #csl.position<tx WEST>>
    csl.color_config 21 at <0, 0> routes <rx RAMP tx EAST> switches <pos1 = #csl.position<tx WEST>>
    // expected-error@+1 {{has switches on color 10, wse3 has them on colors 0 1 2 3 4 5 6 7 8 9 12 13 16 17 20 21}}
    csl.color_config 10 at <0, 0> routes <rx RAMP tx EAST> switches <pos1 = #csl.position<tx WEST>>
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {}
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
    csl.color_config 10 at <0, 0> routes <rx RAMP tx EAST> switches <pos1 = #csl.position<tx WEST>>
    // One side repeats the routes, and another the position before.
    csl.color_config 11 at <0, 0> routes <rx RAMP tx EAST> switches <pos1 = #csl.position<rx RAMP tx WEST>, pos2 = #csl.position<rx NORTH tx WEST>>
    // expected-error@+1 {{has pos2 with other rx and other tx than the position before, wse2 replaces one of them}}
    csl.color_config 12 at <0, 0> routes <rx RAMP tx EAST> switches <pos1 = #csl.position<tx WEST>, pos2 = #csl.position<rx NORTH tx EAST>>
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {}
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
    csl.color_config 12 at <0, 0> routes <rx RAMP tx EAST> switches <pos1 = #csl.position<rx NORTH tx WEST>>
    // expected-error@+1 {{swaps colors, which wse3 does not do}}
    csl.color_config 3 at <0, 0> routes <rx WEST swap_x>
  }
}

// -----

// expected-error@+1 {{a switch position receives from one direction, 2 are given}}
#p = #csl.position<rx [WEST, EAST]>

// -----

// expected-error@+1 {{a switch position has rx, tx or both; one that is invalid is left out}}
#p = #csl.position<>

// -----

// expected-error@+1 {{a switch position sends nowhere}}
#p = #csl.position<tx []>

// -----

// expected-error@+1 {{current is 4, switch positions are 0 to 3}}
#s = #csl.switches<current = 4>

// -----

// expected-error@+1 {{current is 2, and that position is invalid}}
#s = #csl.switches<pos1 = #csl.position<rx WEST>, current = 2>

// -----

// expected-error@+1 {{a counter filter has no limit2, its fields are count_data, count_control, filter_control, init_counter, limit1, max_counter}}
#f = #csl.filter<kind = counter, limit2 = 3>

// -----

// expected-error@+1 {{a sparse_counter filter has no filter_control, its fields are count_data, count_control, init_counter, limit1, limit2, max_counter}}
#f = #csl.filter<kind = sparse_counter, filter_control = true>

// -----

// expected-error@+1 {{a range filter has no count_data, its fields are min_idx, max_idx}}
#f = #csl.filter<kind = range, count_data = true>

// -----

// expected-error@+1 {{max_counter is 65536, allowed are 0 to 65535}}
#f = #csl.filter<kind = counter, max_counter = 65536>

// -----

// A counter never is beyond its limit.
// expected-error@+1 {{init_counter is 5, allowed are 0 to limit1, which is 4}}
#f = #csl.filter<kind = counter, limit1 = 4, init_counter = 5>

// -----

// limit1 of a counter is 0 unless it is given; a sparse counter without one is off.
#g = #csl.filter<kind = sparse_counter, init_counter = 1>
// expected-error@+1 {{init_counter is 1, allowed are 0 to limit1, which is 0}}
#f = #csl.filter<kind = counter, init_counter = 1>

// -----

// expected-error@+1 {{x is 3 to 3, which is no PE}}
#r = #csl.region<3 to 3, 0>

// -----

// expected-error@+1 {{y has step 0, allowed are 1 to 65536}}
#r = #csl.region<3, 0 to 4 step 0>

// -----

// expected-error@+1 {{x is 0 to 65537, coordinates are 0 to 65535}}
#r = #csl.region<0 to 65537, 0>

// -----

csl.program @pe {}
csl.layout 1 x 1 {
  csl.tile_code @pe at <0, 0>
  // expected-note@+1 {{exported here}}
  csl.export_name "A" : f32
  // expected-error@+1 {{exports "A" a second time}}
  csl.export_name "A" : f32 mutable
}

// -----

csl.layout 1 x 1 {
  // expected-error@+1 {{exports a name of type 'i65', allowed are pointers, numbers of up to 64 bits, ids, directions and DSDs}}
  csl.export_name "A" : i65
}

// -----

csl.layout 1 x 1 {
  // expected-error@+1 {{'csl.unsigned_parts' has 1 flags, the function has 2 inputs and results}}
  csl.export_name "f" : (i16) -> i16 {csl.unsigned_parts = array<i1: true>}
}

// -----

csl.layout 1 x 1 {
  // expected-error@+1 {{exports a function of 16 arguments, allowed are up to 15}}
  csl.export_name "f" : (i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16) -> ()
}

// -----

csl.layout 1 x 1 {
  // expected-error@+1 {{is at the RAMP of a PE, expected a link}}
  csl.stream "s" color 3 to_host at 0, 0 RAMP
}

// -----

csl.layout 1 x 1 {
  // expected-error@+1 {{is not for a csl.layout, which holds csl.tile_code, csl.color_config, csl.export_name and csl.stream}}
  %x = csl.constant 3 : !csl.color
}

// -----

// expected-error@+1 {{is 65536 x 1, a side is at most 65535}}
csl.layout 65536 x 1 {}

// -----

module {
  csl.program @pe {}
  // expected-note@+1 {{rectangle is here}}
  csl.layout 2 x 1 {
    csl.tile_code @pe at <0 to 2, 0>
    // expected-error@+1 {{reaches x = 2, the rectangle has 0 to 1}}
    csl.color_config 1 at <0 to 3, 0> routes <>
  }
}

// -----

module {
  csl.program @pe {}
  // expected-note@+1 {{rectangle is here}}
  csl.layout 2 x 1 {
    csl.tile_code @pe at <0 to 2, 0>
    // expected-error@+1 {{reaches y = 3, the rectangle has 0 to 0}}
    csl.stream "in" color 1 to_device at 1, 3 WEST
  }
}

// -----

module {
  csl.program @pe {
    csl.param @x : i16
  }
  csl.layout 1 x 1 {
    // expected-error@+1 {{gives parameter 'x' as affine_map<(d0) -> (d0)>, expected one number from x and y}}
    csl.tile_code @pe at <0, 0> params {x = affine_map<(x) -> (x)>}
  }
}

// -----

module {
  csl.program @pe {
    csl.param @x : !csl.cb16
  }
  csl.layout 1 x 1 {
    // expected-error@+1 {{gives parameter 'x' of type '!csl.cb16' as an integer map}}
    csl.tile_code @pe at <0, 0> params {x = affine_map<(x, y) -> (x)>}
  }
}

// -----

module {
  csl.program @pe {
    csl.param @x : !csl.cb16
  }
  csl.layout 1 x 1 {
    // expected-error@+1 {{gives parameter 'x' as 1.000000e+00 : f16, expected a value of type 'f32'}}
    csl.tile_code @pe at <0, 0> params {x = 1.0 : f16}
  }
}

// -----

module {
  csl.program @pe {
    csl.param @x : !csl.enum<"rgb" : i8 {red = 0}>
  }
  csl.layout 1 x 1 {
    // expected-error@+1 {{gives parameter 'x' as 0 : i16, expected a value of type 'i8'}}
    csl.tile_code @pe at <0, 0> params {x = 0 : i16}
  }
}

// -----

module {
  csl.program @pe {}
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
    // expected-error@+1 {{exports a function as mutable}}
    csl.export_name "f" : () -> () mutable
  }
}

// -----

module {
  csl.program @pe {}
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
    // expected-error@+1 {{exports a name of type 'i65', allowed are pointers, numbers of up to 64 bits, ids, directions and DSDs}}
    csl.export_name "f" : i65
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {}
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
    // expected-error@+1 {{color is 24, wse2 allows 0 to 23}}
    csl.stream "in" color 24 to_device
  }
}

// -----

module {
  csl.program @pe {}
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
    // expected-error@+1 {{is at (-1, 0), which is no PE}}
    csl.stream "in" color 2 to_device at -1, 0 WEST
  }
}

// -----

module {
  csl.program @pe {}
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
    // expected-error@+1 {{direction EAST is given twice}}
    csl.color_config 1 at <0, 0> routes <rx RAMP tx [EAST, EAST]>
  }
}

// -----

// This syntax has all of them or none.
// expected-error@+1 {{has some of fabric_width, fabric_height, offset_x and offset_y, which are given together}}
"csl.layout"() <{fabric_height = 3 : i64, fabric_width = 9 : i64, height = 1 : i64, offset_x = 4 : i64, width = 2 : i64}> ({
^bb0:
}) : () -> ()

// -----

module {
  csl.program @pe {}
  csl.layout 2 x 1 {
    csl.tile_code @pe at <0 to 2, 0>
    // expected-error@+1 {{has some of x, y and side, which are given together}}
    "csl.stream"() <{color = 9 : i64, direction = 1 : i32, name = "rx", x = 1 : i64, y = 0 : i64}> : () -> ()
  }
}

// -----

// expected-error@+1 {{has 1073741824 PEs, without a machine there are at most 1048576}}
csl.layout 32768 x 32768 {
}
