// FIFOs: buffers, settings, registers, tasks.

// RUN: sequin-opt %s --split-input-file --verify-diagnostics

// ROWS: FIF-002, FIF-004, FIF-011, FIF-012, FIF-019, FIF-021, FIF-022, FIF-023

csl.program @pe {
  // expected-note@+1 {{buffer is here}}
  csl.var const @b : memref<4xi16> = dense<0> : tensor<4xi16>
  // expected-error@+1 {{has a constant buffer}}
  csl.fifo @f over @b
}

// -----

csl.program @pe {
  // expected-note@+1 {{buffer is here}}
  csl.var @b : memref<i16>
  // expected-error@+1 {{has a buffer that is no array}}
  csl.fifo @f over @b
}

// -----

csl.program @pe {
  // expected-note@+1 {{buffer is here}}
  csl.var @b : memref<4xi8>
  // expected-error@+1 {{has a buffer whose elements are not numbers of 16 or 32 bits}}
  csl.fifo @f over @b
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.var @a : memref<4xi16> align(4)
    csl.fifo @g over @a
    // expected-note@+1 {{buffer is here}}
    csl.var @b : memref<4xi16> align(2)
    // expected-error@+1 {{has a buffer aligned to 2 bytes, wse2 wants at least 4}}
    csl.fifo @f over @b
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.var @b : memref<4xi16>
    // expected-error@+1 {{has a full action, which wse2 does not have}}
    csl.fifo @f over @b full terminate
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.var @b : memref<4xi16>
    // expected-error@+1 {{has empty action suspend, wse2 has test_or_suspend and terminate}}
    csl.fifo @f over @b empty suspend
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.var @b : memref<4xi16>
    // expected-error@+1 {{has a priority on a FIFO, which wse2 does not have}}
    csl.fifo @f over @b priority high
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.var @b : memref<4xi16>
    // expected-error@+1 {{has a simd mode on a FIFO, which wse3 does not have}}
    csl.fifo @f over @b simd simd_64
  }
}

// -----

csl.program @pe {
  csl.var @b : memref<4xi16>
  // expected-error@+1 {{has registers dest 2 and src1 3, their numbers are equal}}
  csl.fifo @f over @b registers dest 2 src1 3 xdsr 0
}

// -----

csl.program @pe {
  csl.var @b : memref<4xi16>
  // expected-note@+1 {{defined here}}
  csl.task data @t(%x: i16) {
    csl.return
  }
  // expected-error@+1 {{activates @t, which is a data task}}
  csl.fifo @f over @b activate_push @t
}

// -----

csl.program @pe {
  csl.var @b : memref<4xi16>
  // expected-note@+1 {{allocated here}}
  csl.fifo @f over @b
  func.func @g() {
    // expected-error@+1 {{has elements of 'i32', @f of 'i16'}}
    %f = csl.get_fifo @f : !csl.fifo<i32>
    return
  }
}

// -----

module {
  csl.program @pe {
    csl.var @A : memref<32xi16>
    // expected-error@+1 {{dest}}
    csl.fifo @f over @A registers dest 256 src1 256 xdsr 1
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.var @A : memref<32xi16>
    // expected-error@+1 {{local task id is 31, wse3 allows 8 to 30}}
    csl.fifo @f over @A activate_pop 31 : i64
  }
}

// -----

module {
  csl.program @pe {
    // expected-error@+1 {{@A}}
    csl.fifo @f over @A
  }
}

// -----

module {
  csl.program @pe {
    csl.var @A : memref<32xi16>
    // expected-error@+1 {{@wake}}
    csl.fifo @f over @A activate_push @wake
  }
}

// -----

module {
  csl.program @pe {
    func.func @g() {
      // expected-error@+1 {{@f}}
      %f = csl.get_fifo @f : !csl.fifo<i16>
      return
    }
  }
}

// -----

// This syntax has all of them or none.
module {
  csl.program @pe {
    csl.var @A : memref<32xi16>
    // expected-error@+1 {{has some of the registers dest, src1 and xdsr, which are given together}}
    "csl.fifo"() <{buffer = @A, dest = 2 : i64, src1 = 2 : i64, sym_name = "f"}> : () -> ()
  }
}
