// Ids that a machine does not have.

// RUN: sequin-opt %s --split-input-file --verify-diagnostics

// ROWS: TSK-007, TSK-009, TSK-010, TSK-013, BLT-032, BLT-033, BLT-034, BLT-036
// ROWS: BLT-037, BLT-074, FAB-001, FAB-078, ASY-016, ASY-017, AMB-021

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    // expected-error@+1 {{color is 24, wse2 allows 0 to 23}}
    csl.param @x : !csl.color = 24 : i16
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.comptime {
      %a = csl.constant 0 : !csl.local_task_id
      %b = csl.constant 30 : !csl.local_task_id
      // expected-error@+1 {{local task id is 31, wse2 allows 0 to 30}}
      %c = csl.constant 31 : !csl.local_task_id
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.comptime {
      %a = csl.constant 8 : !csl.local_task_id
      // expected-error@+1 {{local task id is 7, wse3 allows 8 to 30}}
      %c = csl.constant 7 : !csl.local_task_id
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.comptime {
      %a = csl.constant 63 : !csl.control_task_id
      // expected-error@+1 {{control task id is 64, wse3 allows 0 to 63}}
      %c = csl.constant 64 : !csl.control_task_id
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.comptime {
      // expected-error@+1 {{control task id is 31, which means no task in a control wavelet}}
      %c = csl.constant 31 : !csl.control_task_id
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.comptime {
      %a = csl.constant 7 : !csl.input_queue
      // expected-error@+1 {{input queue is 8, wse3 allows 0 to 7}}
      %c = csl.constant 8 : !csl.input_queue
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.comptime {
      %a = csl.constant 5 : !csl.output_queue
      // expected-error@+1 {{output queue is 6, wse2 allows 0 to 5}}
      %c = csl.constant 6 : !csl.output_queue
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.comptime {
      %a = csl.constant 6 : !csl.output_queue
      %b = csl.constant 7 : !csl.ut_id
      // expected-error@+1 {{microthread is 8, wse3 allows 0 to 7}}
      %c = csl.constant 8 : !csl.ut_id
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.comptime {
      // expected-error@+1 {{has a microthread id, which wse2 does not have}}
      %c = csl.constant 0 : !csl.ut_id
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.comptime {
      %a = csl.constant 23 : !csl.color
      // expected-error@+1 {{color is 24, wse2 allows 0 to 23}}
      %c = csl.constant 24 : !csl.color
    }
  }
}

// -----

// expected-error@+5 {{direction is 5, a router allows 0 to 4}}
module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.comptime {
      %a = csl.constant 4 : !csl.direction
      %c = csl.constant 5 : !csl.direction
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.comptime {
      %a = csl.constant 3 : !csl.color
      // expected-error@+1 {{takes '!csl.color', on wse3 it takes !csl.input_queue}}
      %c = csl.get_data_task_id %a : !csl.color
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.comptime {
      %a = csl.constant 3 : !csl.input_queue
      // expected-error@+1 {{takes '!csl.input_queue', on wse2 it takes !csl.color}}
      %c = csl.get_data_task_id %a : !csl.input_queue
    }
  }
}

// -----

csl.program @pe {
  csl.comptime {
    %a = csl.constant 3 : !csl.color
    // expected-error@+1 {{of '!csl.color' gives 'i32', expected 'i16'}}
    %c = csl.get_int %a : !csl.color -> i32
  }
}
