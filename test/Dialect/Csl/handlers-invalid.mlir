// Handlers, tables of control tasks, rotating tasks.

// RUN: sequin-opt %s --split-input-file --verify-diagnostics

// ROWS: TSK-046, TSK-048, BLT-072, BLT-077, BLT-078

csl.program @pe {
  // expected-note@+1 {{defined here}}
  func.func @f(%x: i16) {
    return
  }
  csl.comptime {
    %c = csl.constant 3 : !csl.color
    // expected-error@+1 {{has handler @f of type '(i16) -> ()', a handler takes and returns nothing}}
    csl.set_teardown_handler @f, %c
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.comptime {
      // expected-error@+1 {{has 3 instructions per entry, allowed are 2, 4 and 8}}
      csl.set_control_task_table instructions 3
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.comptime {
      // expected-error@+1 {{stride is 8, a table allows 1 to 7}}
      csl.set_control_task_table stride 8
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.task data @a(%x: i16) {
      csl.return
    }
    csl.task control @b() {
      csl.return
    }
    csl.comptime {
      %id = csl.constant 3 : !csl.data_task_id
      csl.bind_rotating_tasks @a, @b to %id limit 4 init 4
      // expected-error@+1 {{init is 5, the limit allows 0 to 4}}
      csl.bind_rotating_tasks @a, @b to %id limit 4 init 5
    }
  }
}

// -----

module {
  csl.program @pe {
    csl.task data @main(%x: i16) {
      csl.return
    }
    csl.comptime {
      %in = csl.constant 2 : !csl.input_queue
      %id = csl.get_data_task_id %in : !csl.input_queue
      // expected-error@+1 {{@rest}}
      csl.bind_rotating_tasks @main, @rest to %id limit 4 init 0
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.comptime {
      // expected-error@+1 {{a table of control tasks}}
      csl.set_control_task_table instructions 8 stride 7
    }
  }
}

// -----

module {
  csl.program @pe {
    csl.comptime {
      %c = csl.constant 2 : !csl.color
      // expected-error@+1 {{@gone}}
      csl.set_teardown_handler @gone, %c
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.task control @t() {
      csl.return
    }
    csl.comptime {
      %id = csl.constant 3 : !csl.control_task_id
      // expected-error@+1 {{has a control task table, which wse2 does not have}}
      csl.bind_control_task @t to %id table 1
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.task data @main(%x: i16) {
      csl.return
    }
    csl.task control @rest() {
      csl.return
    }
    csl.comptime {
      %c = csl.constant 2 : !csl.color
      %id = csl.get_data_task_id %c : !csl.color
      // expected-error@+1 {{has rotating tasks, which wse2 does not have}}
      csl.bind_rotating_tasks @main, @rest to %id limit 4 init 0
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    // expected-note@+1 {{defined here}}
    csl.task local @main() {
      csl.return
    }
    csl.task control @rest() {
      csl.return
    }
    csl.comptime {
      %in = csl.constant 2 : !csl.input_queue
      %id = csl.get_data_task_id %in : !csl.input_queue
      // expected-error@+1 {{takes a data task, @main is a local task}}
      csl.bind_rotating_tasks @main, @rest to %id limit 4 init 0
    }
  }
}

// -----

// A pointer is 16 bits of a wavelet.
module {
  csl.program @pe {
    csl.task data @t(%x: !csl.struct<packed "w" {p : !csl.ptr<i16>, n : i16}>) {
      csl.return
    }
  }
}
