// What queues are initialised with, and what is blocked.

// RUN: sequin-opt %s --split-input-file --verify-diagnostics

// ROWS: TSK-036, TSK-047, BLT-008, BLT-049, BLT-050, BLT-051, BLT-052, BLT-053
// ROWS: BLT-054, BLT-075, ASY-028

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.comptime {
      %q = csl.constant 3 : !csl.output_queue
      %c = csl.constant 3 : !csl.color
      // expected-error@+1 {{has color, which an output queue of wse2 does not}}
      csl.initialize_queue %q : !csl.output_queue color %c
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.comptime {
      %q = csl.constant 3 : !csl.input_queue
      // expected-error@+1 {{has no color, an input queue of wse2 is bound to one}}
      csl.initialize_queue %q : !csl.input_queue
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.comptime {
      %q = csl.constant 3 : !csl.output_queue
      // expected-error@+1 {{has no color, an output queue of wse3 is bound to one}}
      csl.initialize_queue %q : !csl.output_queue
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.comptime {
      %q = csl.constant 3 : !csl.input_queue
      %c = csl.constant 3 : !csl.color
      // expected-error@+1 {{has priority, which an input queue of wse3 does not}}
      csl.initialize_queue %q : !csl.input_queue color %c priority high
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.comptime {
      %q = csl.constant 3 : !csl.output_queue
      %c = csl.constant 3 : !csl.color
      // expected-error@+1 {{has ctrl_table_id, which an output queue of wse3 does not}}
      csl.initialize_queue %q : !csl.output_queue color %c ctrl_table_id 0
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.comptime {
      %q = csl.constant 3 : !csl.input_queue
      %c = csl.constant 3 : !csl.color
      // expected-error@+1 {{has dense_mode, which an input queue of wse2 does not}}
      csl.initialize_queue %q : !csl.input_queue color %c dense_mode
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.comptime {
      %c = csl.constant 3 : !csl.color
      // expected-error@+1 {{the id is of type '!csl.color', wse3 takes !csl.input_queue, !csl.data_task_id or !csl.local_task_id, or !csl.ut_id}}
      csl.block %c : !csl.color
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.comptime {
      %c = csl.constant 3 : !csl.input_queue
      // expected-error@+1 {{the id is of type '!csl.input_queue', wse2 takes !csl.color, !csl.data_task_id or !csl.local_task_id}}
      csl.unblock %c : !csl.input_queue
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    func.func @f() {
      %c = csl.constant 3 : !csl.output_queue
      // expected-error@+1 {{has a queue flush, which wse2 does not have}}
      csl.queue_flush %c : !csl.output_queue
      return
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.comptime {
      %in = csl.constant 2 : !csl.input_queue
      %c = csl.constant 2 : !csl.color
      // expected-error@+1 {{ctrl_table_id is 8, an input queue allows 0 to 7}}
      csl.initialize_queue %in : !csl.input_queue color %c ctrl_table_id 8
    }
  }
}
