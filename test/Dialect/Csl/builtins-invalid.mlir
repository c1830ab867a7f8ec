// RUN: sequin-opt %s --split-input-file --verify-diagnostics

// ROWS: BLT-040, BLT-041, BLT-045, BLT-064

func.func @f() {
  // expected-error@+1 {{names register 'routes', known are dsr task_table}}
  %a = csl.register_address "routes"
  return
}

// -----

func.func @f() {
  %a = arith.constant 23 : i16
  %b = csl.register_address "route"[%a]
  %c = arith.constant 24 : i16
  // expected-error@+1 {{index is 24, register 'route' allows 0 to 23}}
  %d = csl.register_address "route"[%c]
  return
}

// -----

func.func @f() {
  %a = arith.constant 31744 : i16
  %v = csl.get_config %a
  %b = arith.constant 31743 : i16
  // expected-error@+1 {{address is 31743, the configuration space allows 31744 to 32767}}
  %w = csl.get_config %b
  return
}

// -----

func.func @f(%a: i16) {
  // expected-error@+1 {{has 3 ends of ranges, expected pairs}}
  %v = csl.get_config %a ranges [1, 2, 3]
  return
}

// -----

func.func @f(%a: i16) {
  // expected-error@+1 {{has range 3 to 2, which is empty}}
  csl.set_config %a, %a ranges [3, 2]
  return
}

// -----

func.func @f() {
  %a = arith.constant 32544 : i16
  // expected-error@+1 {{has address 32544, which is in none of its ranges}}
  %v = csl.get_config %a ranges [32545, 32560]
  return
}

// -----

func.func @f(%a: i16) {
  // expected-error@+1 {{is unchecked and has ranges}}
  %v = csl.get_config %a ranges [1, 2] unchecked
  return
}

// -----

csl.program @pe {
  csl.comptime {
    %a = arith.constant 32544 : i16
    csl.set_config %a, %a unchecked
    // expected-error@+1 {{has address 32544 in a comptime block, which is in 'route', reserved for the compiler}}
    csl.set_config %a, %a
  }
}

// -----

func.func @f(%x: f32) {
  // expected-error@+1 {{has a format for 2 values and 1 values}}
  csl.sim_print "{f} {f}" (%x) : f32
  return
}

// -----

func.func @f(%x: f32) {
  // expected-error@+1 {{has a format with '{x}', allowed are {d}, {u}, {X}, {b}, {f} and {{}}
  csl.sim_print "{x}" (%x) : f32
  return
}

// -----

func.func @f(%x: f32) {
  // expected-error@+1 {{prints value 0 of type 'f32' as '{X}'}}
  csl.sim_print "{X}" (%x) : f32
  return
}

// -----

csl.program @pe {
  // expected-note@+1 {{defined here}}
  csl.task local @t() {
    csl.return
  }
  csl.comptime {
    // expected-error@+1 {{names symbol @t, which is a 'csl.task', expected a variable or function}}
    csl.export_symbol @t
  }
}
