// FIFOs as operands.

// RUN: sequin-opt %s --split-input-file --verify-diagnostics

// ROWS: FIF-006, FIF-008, FIF-010, DOP-018, AMB-045

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

func.func @f(%m: !csl.dsd<mem1d>, %f: !csl.fifo<i16>) {
  // expected-error@+1 {{has a FIFO that is not comptime-known}}
  csl.mov16 %f = %m : !csl.fifo<i16> = !csl.dsd<mem1d>
  return
}
