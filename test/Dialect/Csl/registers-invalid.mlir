// RUN: sequin-opt %s --split-input-file --verify-diagnostics

// ROWS: DSR-003, DSR-011, DSR-012, DSR-013, DSR-015, DSR-016, DSR-017, DSR-018
// ROWS: DSR-019, DSR-023, DSR-024, DSR-025, DSR-026, AMB-046

module attributes {csl.target = #csl.target<"wse2">} {
  func.func @f() {
    // expected-error@+1 {{DSR is 16, wse2 allows 0 to 15}}
    %d = csl.get_dsr 16 : !csl.dsr<dest>
    return
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  func.func @f() {
    // expected-error@+1 {{XDSR is 8, wse2 allows 0 to 7}}
    %d = csl.get_xdsr 8
    return
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  func.func @f() {
    // expected-error@+1 {{stride register is 8, wse2 allows 0 to 7}}
    %d = csl.get_sr 8
    return
  }
}

// -----

func.func @f(%d: !csl.dsr<src0>, %m: !csl.dsd<mem1d>) {
  // expected-error@+1 {{loads a register that is not a csl.get_dsr}}
  csl.load_to_dsr %d, %m : !csl.dsr<src0>, !csl.dsd<mem1d>
  return
}

// -----

func.func @f(%m: !csl.dsd<mem4d>) {
  %d = csl.get_dsr 1 : !csl.dsr<src0>
  // expected-error@+1 {{loads a mem4d DSD, which needs an XDSR and stride registers (csl.load_to_dsr_xdsr_sr)}}
  csl.load_to_dsr %d, %m : !csl.dsr<src0>, !csl.dsd<mem4d>
  return
}

// -----

func.func @f(%m: !csl.dsd<circbuf>) {
  %d = csl.get_dsr 1 : !csl.dsr<src0>
  // expected-error@+1 {{loads a circbuf DSD, which needs an XDSR (csl.load_to_dsr_xdsr)}}
  csl.load_to_dsr %d, %m : !csl.dsr<src0>, !csl.dsd<circbuf>
  return
}

// -----

func.func @f(%m: !csl.dsd<fabin>) {
  %d = csl.get_dsr 1 : !csl.dsr<dest>
  // expected-error@+1 {{loads a fabin DSD into '!csl.dsr<dest>', allowed are src0 and src1}}
  csl.load_to_dsr %d, %m : !csl.dsr<dest>, !csl.dsd<fabin>
  return
}

// -----

func.func @f(%m: !csl.dsd<fabout>) {
  %d = csl.get_dsr 1 : !csl.dsr<src0>
  // expected-error@+1 {{loads a fabout DSD into '!csl.dsr<src0>', allowed is dest}}
  csl.load_to_dsr %d, %m : !csl.dsr<src0>, !csl.dsd<fabout>
  return
}

// -----

func.func @f(%m: !csl.dsd<mem1d>) {
  %d = csl.get_dsr 1 : !csl.dsr<fifo_dest>
  // expected-error@+1 {{loads '!csl.dsr<fifo_dest>', registers of FIFOs are set up by csl.fifo}}
  csl.load_to_dsr %d, %m : !csl.dsr<fifo_dest>, !csl.dsd<mem1d>
  return
}

// -----

func.func @f(%m: !csl.dsd<mem1d>) {
  %d = csl.get_dsr 1 : !csl.dsr<dest>
  // expected-error@+1 {{gives settings of an asynchronous operation to '!csl.dsd<mem1d>', which is memory}}
  csl.load_to_dsr %d, %m : !csl.dsr<dest>, !csl.dsd<mem1d> async
  return
}

// -----

func.func @f(%m: !csl.dsd<fabin>) {
  %d = csl.get_dsr 1 : !csl.dsr<src0>
  // expected-error@+1 {{saves the address of '!csl.dsd<fabin>', which has none}}
  csl.load_to_dsr %d, %m : !csl.dsr<src0>, !csl.dsd<fabin> save_address
  return
}

// -----

func.func @f(%m: !csl.dsd<mem1d>) {
  %d = csl.get_dsr 1 : !csl.dsr<src0>
  // expected-error@+1 {{combines settings, save_address and single_step, of which one can be given}}
  csl.load_to_dsr %d, %m : !csl.dsr<src0>, !csl.dsd<mem1d> save_address single_step
  return
}

// -----

func.func @f(%m: !csl.dsd<mem4d>) {
  %d = csl.get_dsr 1 : !csl.dsr<src0>
  %x = csl.get_xdsr 1
  %r = csl.get_sr 1
  // expected-error@+1 {{gives 1 stride registers, this DSD needs 3}}
  csl.load_to_dsr_xdsr_sr %d, %x, [%r], %m : !csl.dsr<src0>, !csl.dsd<mem4d>
  return
}

// -----

func.func @f(%A: memref<4x5xi16>) {
  %d = csl.get_dsr 1 : !csl.dsr<src0>
  %x = csl.get_xdsr 1
  %r = csl.get_sr 1
  %m = csl.mem4d_dsd %A : memref<4x5xi16> access <(i, j) -> (i, j), [2, 2]>
  // expected-error@+1 {{gives 1 stride registers, this DSD needs 0}}
  csl.load_to_dsr_xdsr_sr %d, %x, [%r], %m : !csl.dsr<src0>, !csl.dsd<mem4d>
  return
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  func.func @f(%d: !csl.dsr<src1>, %m: !csl.dsd<mem1d>) {
    // expected-error@+1 {{loads a register that is not a csl.get_dsr}}
    csl.load_to_dsr %d, %m : !csl.dsr<src1>, !csl.dsd<mem1d>
    return
  }
}

// -----

func.func @f(%d: !csl.dsr<src1>, %x: !csl.xdsr, %r: !csl.sr, %m: !csl.dsd<mem4d>) {
  // expected-error@+1 {{loads a register that is not a csl.get_dsr}}
  csl.load_to_dsr_xdsr_sr %d, %x, [%r], %m : !csl.dsr<src1>, !csl.dsd<mem4d>
  return
}

// -----

func.func @f(%d: !csl.dsr<src1>, %n: i16) {
  // expected-error@+1 {{changes a register that is not a csl.get_dsr}}
  csl.set_dsr_length %d, %n : !csl.dsr<src1>
  return
}
