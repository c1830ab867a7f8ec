// What tasks take and return, and what is bound as one.

// RUN: sequin-opt %s --split-input-file --verify-diagnostics

// ROWS: TSK-015, TSK-016, TSK-020, TSK-021, TSK-023, TSK-024, TSK-026, BLT-010
// ROWS: BLT-011, BLT-012, AMB-034

csl.program @pe {
  // expected-error@+1 {{is a data task without arguments, it takes what a wavelet carries}}
  csl.task data @t() {
    csl.return
  }
}

// -----

csl.program @pe {
  // expected-error@+1 {{is local and takes 1 arguments, a local task takes none}}
  csl.task local @t(%a: i16) {
    csl.return
  }
}

// -----

csl.program @pe {
  // expected-error@+1 {{takes 3 arguments, a data task takes up to 2}}
  csl.task data @t(%a: i16, %b: i16, %c: i16) {
    csl.return
  }
}

// -----

csl.program @pe {
  // expected-error@+1 {{has argument 0 of type 'i8', a data task takes one of 16 or 32 bits or two of 16 bits}}
  csl.task data @t(%a: i8) {
    csl.return
  }
}

// -----

csl.program @pe {
  // expected-error@+1 {{has argument 0 of type 'i32', a data task takes one of 16 or 32 bits or two of 16 bits}}
  csl.task data @t(%a: i32, %b: i16) {
    csl.return
  }
}

// -----

csl.program @pe {
  // expected-error@+1 {{has argument 0 of type 'i32', a control task takes up to two of 16 bits}}
  csl.task control @t(%a: i32) {
    csl.return
  }
}

// -----

csl.program @pe {
  // expected-error@+1 {{has argument 0 of type '!csl.struct<packed "w" {a : i8, b : i16}>', a data task takes}}
  csl.task data @t(%a: !csl.struct<packed "w" {a : i8, b : i16}>) {
    csl.return
  }
}

// -----

csl.program @pe {
  // expected-error@+1 {{returns a value, a task returns nothing}}
  csl.task data @t(%a: i16) -> i16 {
    csl.return
  }
}

// -----

csl.program @pe {
  // expected-note@+1 {{defined here}}
  csl.task local @t() {
    csl.return
  }
  csl.comptime {
    %id = csl.constant 3 : !csl.data_task_id
    // expected-error@+1 {{takes a data task, @t is a local task}}
    csl.bind_data_task @t to %id
  }
}

// -----

csl.program @pe {
  csl.comptime {
    %id = csl.constant 9 : !csl.local_task_id
    // expected-error@+1 {{names task @t, which does not exist}}
    csl.bind_local_task @t to %id
  }
}

// -----

module {
  csl.program @pe {
    // expected-error@+1 {{has argument 0 of type '!csl.struct<packed "w" {low : i8, p : !csl.ptr<i16>}>', a data task takes one of 16 or 32 bits or two of 16 bits}}
    csl.task data @t(%x: !csl.struct<packed "w" {low : i8, p : !csl.ptr<i16>}>) {
      csl.return
    }
    csl.task data @union(%x: !csl.struct<packed union "u" {low : i8, wide : i32}>) {
      csl.return
    }
    csl.task data @color(%x: !csl.enum<"rgb" : i16 {red = 0}>) {
      csl.return
    }
  }
}
