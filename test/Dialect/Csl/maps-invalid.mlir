// @map: operands, and the function that it calls.

// RUN: sequin-opt %s --split-input-file --verify-diagnostics

// ROWS: BLT-058, BLT-059, BLT-060, FIF-007

func.func private @g(i16)
func.func @f(%x: i16) {
  // expected-error@+1 {{has no DSD or DSR among its operands}}
  csl.map @g(%x) : (i16)
  return
}

// -----

func.func private @g(i16)
func.func @f(%x: !csl.fifo<i16>) {
  // expected-error@+1 {{has a FIFO as an operand}}
  csl.map @g(%x) : (!csl.fifo<i16>)
  return
}

// -----

func.func private @g(i16)
func.func @f(%x: !csl.dsd<fabout>) {
  // expected-error@+1 {{has '!csl.dsd<fabout>' as an input}}
  csl.map @g(%x) : (!csl.dsd<fabout>)
  return
}

// -----

func.func private @g(i16)
func.func @f() {
  %x = csl.get_dsr 1 : !csl.dsr<src0>
  // expected-error@+1 {{has '!csl.dsr<src0>' as an input, allowed is src1}}
  csl.map @g(%x) : (!csl.dsr<src0>)
  return
}

// -----

func.func private @g(i16) -> i16
func.func @f(%x: !csl.dsd<mem1d>, %y: !csl.dsd<fabin>) {
  // expected-error@+1 {{has '!csl.dsd<fabin>' as its output}}
  csl.map @g(%x) to %y : (!csl.dsd<mem1d>) to !csl.dsd<fabin>
  return
}

// -----

module {
  // expected-note@+1 {{function is here}}
  func.func private @g(i16, i16)
  func.func @f(%x: !csl.dsd<mem1d>) {
    // expected-error@+1 {{gives 1 inputs, the function takes 2}}
    csl.map @g(%x) : (!csl.dsd<mem1d>)
    return
  }
}

// -----

module {
  // expected-note@+1 {{function is here}}
  func.func private @g(i16) -> i16
  func.func @f(%x: !csl.dsd<mem1d>) {
    // expected-error@+1 {{has no output for what the function returns}}
    csl.map @g(%x) : (!csl.dsd<mem1d>)
    return
  }
}

// -----

module {
  // expected-note@+1 {{function is here}}
  func.func private @g(i16) -> i16
  func.func @f(%x: !csl.dsd<mem1d>, %p: !csl.ptr<f32>) {
    // expected-error@+1 {{has an output of another type than the function returns}}
    csl.map @g(%x) to %p : (!csl.dsd<mem1d>) to !csl.ptr<f32>
    return
  }
}

// -----

module {
  func.func private @g(f32) -> f32
  func.func @f(%m: !csl.dsd<mem1d>) {
    %s = csl.get_dsr 1 : !csl.dsr<src1>
    // expected-error@+1 {{has '!csl.dsr<src1>' as its output, allowed is dest}}
    csl.map @g(%m) to %s : (!csl.dsd<mem1d>) to !csl.dsr<src1>
    return
  }
}

// -----

module {
  func.func private @g(f32) -> f32
  func.func @f(%m: !csl.dsd<mem1d>, %p: !csl.ptr<const f32>) {
    // expected-error@+1 {{writes through '!csl.ptr<const f32>'}}
    csl.map @g(%m) to %p : (!csl.dsd<mem1d>) to !csl.ptr<const f32>
    return
  }
}

// -----

module {
  func.func @f(%m: !csl.dsd<mem1d>) {
    // expected-error@+1 {{@g}}
    csl.map @g(%m) to %m : (!csl.dsd<mem1d>) to !csl.dsd<mem1d>
    return
  }
}

// -----

module {
  // expected-note@+1 {{function is here}}
  func.func private @g(i8) -> f32
  func.func @f(%m: !csl.dsd<mem1d>) {
    // expected-error@+1 {{feeds elements to argument 0, which is no number of 16 or 32 bits}}
    csl.map @g(%m) to %m : (!csl.dsd<mem1d>) to !csl.dsd<mem1d>
    return
  }
}

// -----

module {
  // expected-note@+1 {{function is here}}
  func.func private @g(f32, i16) -> f32
  func.func @f(%m: !csl.dsd<mem1d>, %x: i32) {
    // expected-error@+1 {{gives argument 1 another type than the function takes}}
    csl.map @g(%m, %x) to %m : (!csl.dsd<mem1d>, i32) to !csl.dsd<mem1d>
    return
  }
}

// -----

module {
  // expected-note@+1 {{function is here}}
  func.func private @g(f32) -> (f32, f32)
  func.func @f(%m: !csl.dsd<mem1d>) {
    // expected-error@+1 {{calls a function of several results}}
    csl.map @g(%m) to %m : (!csl.dsd<mem1d>) to !csl.dsd<mem1d>
    return
  }
}

// -----

module {
  // expected-note@+1 {{function is here}}
  func.func private @g(f32)
  func.func @f(%m: !csl.dsd<mem1d>) {
    // expected-error@+1 {{has an output, the function returns nothing}}
    csl.map @g(%m) to %m : (!csl.dsd<mem1d>) to !csl.dsd<mem1d>
    return
  }
}

// -----

module {
  // expected-note@+1 {{function is here}}
  func.func private @g(f32) -> i8
  func.func @f(%m: !csl.dsd<mem1d>) {
    // expected-error@+1 {{stores what is no number of 16 or 32 bits}}
    csl.map @g(%m) to %m : (!csl.dsd<mem1d>) to !csl.dsd<mem1d>
    return
  }
}
