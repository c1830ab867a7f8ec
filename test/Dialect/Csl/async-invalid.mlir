// Settings of asynchronous operations.

// RUN: sequin-opt %s --split-input-file --verify-diagnostics

// ROWS: ASY-001, ASY-005, ASY-006, ASY-007, ASY-009, ASY-021, ASY-022, ASY-030
// ROWS: DSD-062, DOP-009, DOP-061

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

func.func @f(%in: !csl.dsd<fabin>) {
  // expected-error@+1 {{is not async, which it always is}}
  csl.dfilt %in : !csl.dsd<fabin>
  return
}

// -----

func.func @f(%m: !csl.dsd<mem1d>, %in: !csl.dsd<fabin>, %id: !csl.local_task_id) {
  // expected-error@+1 {{has on_control terminate with an id}}
  %0 = "csl.mov16"(%m, %in, %id) <{async, on_control = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0, 1, 0>}> : (!csl.dsd<mem1d>, !csl.dsd<fabin>, !csl.local_task_id) -> i1
  return
}
