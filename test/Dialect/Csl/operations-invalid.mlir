// RUN: sequin-opt %s --split-input-file --verify-diagnostics

// ROWS: DSD-036, DSD-043, DSD-048, DSD-062, DOP-001, DOP-002, DOP-003, DOP-005
// ROWS: DOP-006, DOP-009, DOP-018, DOP-024, DOP-050, DOP-061, ASY-001, ASY-005
// ROWS: ASY-006, ASY-007, ASY-009, ASY-021, ASY-022, ASY-030, FIF-006, FIF-007
// ROWS: FIF-008, FIF-010, BLT-058, BLT-059, BLT-060, AMB-045

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

func.func @f(%d: !csl.dsd<mem1d>) {
  %s = csl.get_dsr 1 : !csl.dsr<src1>
  // expected-error@+1 {{has '!csl.dsr<src1>' as a destination, allowed are dest, src0 and fifo_dest}}
  csl.mov16 %s = %d : !csl.dsr<src1> = !csl.dsd<mem1d>
  return
}

// -----

func.func @f(%d: !csl.dsd<mem1d>) {
  %s = csl.get_dsr 1 : !csl.dsr<dest>
  // expected-error@+1 {{has '!csl.dsr<dest>' as a source, allowed are src0, src1 and fifo_src1}}
  csl.mov16 %d = %s : !csl.dsd<mem1d> = !csl.dsr<dest>
  return
}

// -----

func.func @f(%s: !csl.dsr<src1>, %d: !csl.dsd<mem1d>) {
  // expected-error@+1 {{has a register as a source that is not a csl.get_dsr}}
  csl.mov16 %d = %s : !csl.dsd<mem1d> = !csl.dsr<src1>
  return
}

// -----

func.func @f(%a: !csl.dsd<mem1d>, %b: !csl.dsd<mem1d>) {
  // expected-error@+1 {{is async and has no fabric operand}}
  csl.mov16 %a = %b : !csl.dsd<mem1d> = !csl.dsd<mem1d> async
  return
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  func.func @f(%a: !csl.dsd<mem1d>, %c: !csl.color) {
    // expected-note@+1 {{operand is here}}
    %in = csl.fabin_dsd color %c extent 4
    csl.mov16 %a = %in : !csl.dsd<mem1d> = !csl.dsd<fabin>
    // expected-error@+1 {{is async and has a fabric operand without a queue}}
    csl.mov16 %a = %in : !csl.dsd<mem1d> = !csl.dsd<fabin> async
    return
  }
}

// -----

func.func @f(%a: !csl.dsd<mem1d>, %b: !csl.dsd<fabin>, %t: !csl.local_task_id) {
  // expected-error@+1 {{both activates and unblocks, one can be given}}
  csl.mov16 %a = %b : !csl.dsd<mem1d> = !csl.dsd<fabin> async activate(%t) unblock(%t : !csl.local_task_id)
  return
}

// -----

func.func @f(%a: !csl.dsd<mem1d>, %b: !csl.dsd<fabin>, %t: !csl.local_task_id) {
  // expected-error@+1 {{is not async and has settings of an asynchronous operation}}
  csl.mov16 %a = %b : !csl.dsd<mem1d> = !csl.dsd<fabin> activate(%t)
  return
}

// -----

func.func @f(%a: !csl.dsd<mem1d>, %b: !csl.dsd<fabout>) {
  // expected-error@+1 {{has on_control and no fabric input}}
  csl.mov16 %b = %a : !csl.dsd<fabout> = !csl.dsd<mem1d> async on_control terminate
  return
}

// -----

func.func @f(%a: !csl.dsd<mem1d>, %b: !csl.dsd<fabin>, %c: !csl.data_task_id) {
  // expected-error@+1 {{activates '!csl.data_task_id' on control, expected !csl.local_task_id}}
  csl.mov16 %a = %b : !csl.dsd<mem1d> = !csl.dsd<fabin> async on_control activate(%c : !csl.data_task_id)
  return
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  func.func @f(%a: !csl.dsd<mem1d>, %b: !csl.dsd<fabin>, %c: !csl.color, %q: !csl.input_queue) {
    csl.mov16 %a = %b : !csl.dsd<mem1d> = !csl.dsd<fabin> async unblock(%q : !csl.input_queue)
    // expected-error@+1 {{what it unblocks is of type '!csl.color', wse3 takes !csl.input_queue, !csl.data_task_id or !csl.local_task_id}}
    csl.mov16 %a = %b : !csl.dsd<mem1d> = !csl.dsd<fabin> async unblock(%c : !csl.color)
    return
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  func.func @f(%a: !csl.dsd<mem1d>, %b: !csl.dsd<fabin>, %q: !csl.input_queue) {
    // expected-error@+1 {{what it unblocks on control is of type '!csl.input_queue', wse2 takes !csl.color, !csl.data_task_id or !csl.local_task_id}}
    csl.mov16 %a = %b : !csl.dsd<mem1d> = !csl.dsd<fabin> async on_control unblock(%q : !csl.input_queue)
    return
  }
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

module attributes {csl.target = #csl.target<"wse3">} {
  func.func @f(%a: !csl.dsd<mem1d>, %b: !csl.dsd<fabin>) {
    // expected-error@+1 {{has a priority on an operation, which wse3 does not have}}
    csl.mov16 %a = %b : !csl.dsd<mem1d> = !csl.dsd<fabin> async priority high
    return
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  func.func @f(%a: !csl.dsd<mem1d>, %b: !csl.dsd<fabin>) {
    csl.mov16 %a = %b : !csl.dsd<mem1d> = !csl.dsd<fabin> async ut_id 7
    // expected-error@+1 {{microthread is 8, wse3 allows 0 to 7}}
    csl.mov16 %a = %b : !csl.dsd<mem1d> = !csl.dsd<fabin> async ut_id 8
    return
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  func.func @f(%a: !csl.dsd<mem1d>, %b: !csl.dsd<fabin>) {
    // expected-error@+1 {{has a microthread id, which wse2 does not have}}
    csl.mov16 %a = %b : !csl.dsd<mem1d> = !csl.dsd<fabin> async ut_id 1
    return
  }
}

// -----

csl.program @pe {
  csl.var @b : memref<32xi16>
  csl.fifo @f over @b
  func.func @f1(%a: !csl.dsd<mem1d>) {
    %f = csl.get_fifo @f : !csl.fifo<i16>
    // expected-error@+1 {{has a FIFO as the first of several sources}}
    csl.add16 %a = %f, %a : !csl.dsd<mem1d> = !csl.fifo<i16>, !csl.dsd<mem1d>
    return
  }
}

// -----

csl.program @pe {
  csl.var @b : memref<32xi16>
  csl.fifo @f over @b
  func.func @f1(%a: !csl.dsd<mem1d>) {
    %f = csl.get_fifo @f : !csl.fifo<i16>
    // expected-error@+1 {{reads and writes FIFO @f}}
    csl.mov16 %f = %f : !csl.fifo<i16> = !csl.fifo<i16>
    return
  }
}

// -----

csl.program @pe {
  csl.var @b : memref<32xi16>
  csl.fifo @f over @b
  func.func @f1(%a: !csl.dsd<mem1d>) {
    %f = csl.get_fifo @f : !csl.fifo<i16>
    // expected-error@+1 {{of 32-bit elements has '!csl.fifo<i16>' as a source}}
    csl.mov32 %a = %f : !csl.dsd<mem1d> = !csl.fifo<i16>
    return
  }
}

// -----

func.func @f1(%a: !csl.dsd<mem1d>, %f: !csl.fifo<i16>) {
  // expected-error@+1 {{has a FIFO that is not comptime-known}}
  csl.mov16 %a = %f : !csl.dsd<mem1d> = !csl.fifo<i16>
  return
}

// -----

func.func @f(%in: !csl.dsd<fabin>) {
  // expected-error@+1 {{is not async, which it always is}}
  csl.dfilt %in : !csl.dsd<fabin>
  return
}

// -----

func.func @f() {
  %s = csl.get_dsr 1 : !csl.dsr<src0>
  // expected-error@+1 {{takes '!csl.dsr<src0>', allowed is src1}}
  csl.dfilt %s : !csl.dsr<src0> async
  return
}

// -----

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

func.func @f(%m: !csl.dsd<mem1d>, %f: !csl.fifo<i16>) {
  // expected-error@+1 {{has a FIFO that is not comptime-known}}
  csl.mov16 %f = %m : !csl.fifo<i16> = !csl.dsd<mem1d>
  return
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

// -----

func.func @f(%m: !csl.dsd<mem1d>, %in: !csl.dsd<fabin>, %id: !csl.local_task_id) {
  // expected-error@+1 {{has on_control terminate with an id}}
  %0 = "csl.mov16"(%m, %in, %id) <{async, on_control = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0, 1, 0>}> : (!csl.dsd<mem1d>, !csl.dsd<fabin>, !csl.local_task_id) -> i1
  return
}
