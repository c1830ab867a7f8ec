// RUN: sequin-opt %s --split-input-file --verify-diagnostics

// ROWS: DSD-036, DSD-043, DSD-048, DOP-001, DOP-002, DOP-003, DOP-005, DOP-006
// ROWS: DOP-024, DOP-050

module attributes {csl.target = #csl.target<"wse3">} {
  func.func @f(%d: !csl.dsd<mem1d>, %x: f16) {
    // expected-error@+1 {{has operands ('!csl.dsd<mem1d>', '!csl.dsd<mem1d>', '!csl.dsd<mem1d>', 'f16'), allowed are (DSD, DSD, DSD, f32)}}
    csl.fmacs %d = %d, %d, %x : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<mem1d>, f16
    return
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3", fp16 = bf16>} {
  func.func @f(%d: !csl.dsd<mem1d>, %x: bf16, %y: f16) {
    csl.faddh %d = %d, %x : !csl.dsd<mem1d> = !csl.dsd<mem1d>, bf16
    // expected-error@+1 {{allowed are (DSD, DSD, DSD), (DSD, bf16, DSD), (DSD, DSD, bf16), (*bf16, bf16, DSD)}}
    csl.faddh %d = %d, %y : !csl.dsd<mem1d> = !csl.dsd<mem1d>, f16
    return
  }
}

// -----

func.func @f(%d: !csl.dsd<mem1d>, %x: i16) {
  // expected-error@+1 {{allowed are (DSD, DSD, DSD), (DSD, DSD, i16)}}
  csl.sub16 %d = %x, %d : !csl.dsd<mem1d> = i16, !csl.dsd<mem1d>
  return
}

// -----

func.func @f(%p: !csl.ptr<i16>, %d: !csl.dsd<mem1d>) {
  // expected-error@+1 {{allowed are (DSD, DSD), (DSD, i16)}}
  csl.clz %p = %d : !csl.ptr<i16> = !csl.dsd<mem1d>
  return
}

// -----

func.func @f(%p: !csl.ptr<const i16>, %d: !csl.dsd<mem1d>) {
  // expected-error@+1 {{writes through '!csl.ptr<const i16>'}}
  csl.mov16 %p = %d : !csl.ptr<const i16> = !csl.dsd<mem1d>
  return
}

// -----

func.func @f(%p: !csl.ptr<many i16>, %d: !csl.dsd<mem1d>) {
  // expected-error@+1 {{allowed are (DSD, DSD), (*i16, DSD), (DSD, i16)}}
  csl.mov16 %p = %d : !csl.ptr<many i16> = !csl.dsd<mem1d>
  return
}

// -----

func.func @f(%c: !csl.dsd<circbuf>, %d: !csl.dsd<mem1d>) {
  // expected-error@+1 {{has '!csl.dsd<circbuf>' as an operand, a circular buffer is used through a DSR}}
  csl.mov16 %d = %c : !csl.dsd<mem1d> = !csl.dsd<circbuf>
  return
}

// -----

func.func @f(%c: !csl.dsd<fabin>, %d: !csl.dsd<mem1d>) {
  // expected-error@+1 {{has '!csl.dsd<fabin>' as a destination}}
  csl.mov16 %c = %d : !csl.dsd<fabin> = !csl.dsd<mem1d>
  return
}

// -----

func.func @f(%c: !csl.dsd<fabout>, %d: !csl.dsd<mem1d>) {
  // expected-error@+1 {{has '!csl.dsd<fabout>' as a source}}
  csl.mov16 %d = %c : !csl.dsd<mem1d> = !csl.dsd<fabout>
  return
}

// -----

func.func @f(%s: !csl.dsr<src1>, %d: !csl.dsd<mem1d>) {
  // expected-error@+1 {{has a register as a source that is not a csl.get_dsr}}
  csl.mov16 %d = %s : !csl.dsd<mem1d> = !csl.dsr<src1>
  return
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  func.func @f(%a: !csl.dsd<mem1d>, %b: !csl.dsd<fabin>) {
    // expected-error@+1 {{has 2 fabric inputs, wse3 allows 1}}
    csl.add16 %a = %b, %b : !csl.dsd<mem1d> = !csl.dsd<fabin>, !csl.dsd<fabin>
    return
  }
}

// -----

func.func @f() {
  %s = csl.get_dsr 1 : !csl.dsr<src0>
  // expected-error@+1 {{takes '!csl.dsr<src0>', allowed is src1}}
  csl.dfilt %s : !csl.dsr<src0> async
  return
}
