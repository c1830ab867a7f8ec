// RUN: sequin-opt %s --split-input-file --verify-diagnostics

// expected-note@+1 {{program is here}}
csl.program @pe {
  // expected-error@+1 {{is not for a csl.program}}
  %x = csl.constant 3 : !csl.direction
}

// -----

csl.program @pe {
  // expected-error@+1 {{has type 'memref<4xf32>', allowed are integers of 1 to 64 bits, floats, ids, directions and enums}}
  csl.param @x : memref<4xf32>
}

// -----

csl.program @pe {
  // expected-error@+1 {{of type '!csl.color' has default 3 : i32}}
  csl.param @x : !csl.color = 3 : i32
}

// -----

csl.program @pe {
  // expected-note@+1 {{declared here}}
  csl.param @x : i16
  func.func @f() {
    // expected-error@+1 {{reads @x as 'i32', it is of type 'i16'}}
    %x = csl.get_param @x : i32
    return
  }
}

// -----

csl.program @pe {
  // expected-error@+1 {{has type 'memref<?xf32>', a variable is static, row-major and in the one memory}}
  csl.var @x : memref<?xf32>
}

// -----

csl.program @pe {
  // expected-error@+1 {{has elements of type 'index', which is not in memory}}
  csl.var @x : memref<4xindex>
}

// -----

csl.program @pe {
  // expected-error@+1 {{has alignment 3, allowed are powers of two}}
  csl.var @x : memref<4xf32> align(3)
}

// -----

csl.program @pe {
  // expected-error@+1 {{is constant and has no value}}
  csl.var const @x : memref<4xf32>
}

// -----

csl.program @pe {
  // expected-error@+1 {{is extern and has a value}}
  csl.var @x : memref<4xf32> = dense<0.0> : tensor<4xf32> extern
}

// -----

csl.program @pe {
  // expected-error@+1 {{is unsigned and of type 'f32'}}
  csl.var @x unsigned : memref<4xf32>
}

// -----

csl.program @pe {
  // expected-error@+1 {{of type 'memref<4x!csl.cb16>' has a value of type 'tensor<4xf16>', expected elements of 'f32'}}
  csl.var @x : memref<4x!csl.cb16> = dense<0.0> : tensor<4xf16>
}

// -----

csl.program @pe {
  csl.task local @t() {
    %id = csl.constant 9 : !csl.local_task_id
    // expected-error@+1 {{belongs in a csl.comptime block}}
    csl.bind_local_task @t to %id
    csl.return
  }
}

// -----

csl.program @pe {
  csl.comptime {
    // expected-error@+1 {{is not for a csl.comptime block, the program does not run there yet}}
    %r = csl.random16
  }
}

// -----

module {
  csl.program @pe {
    func.func @f() {
      // expected-error@+1 {{@size}}
      %x = csl.get_param @size : i16
      return
    }
  }
}

// -----

module {
  csl.program @pe {
    func.func @f() {
      // expected-error@+1 {{@x}}
      %x = csl.get_var @x : memref<i16>
      return
    }
  }
}

// -----

module {
  csl.program @pe {
    // expected-error@+1 {{whose value running code sets}}
    csl.var @x : memref<1x!csl.ptr<f32>> = dense<[3]> : tensor<1xi16>
  }
}

// -----

module {
  csl.program @pe {
    csl.var @h : memref<2x!csl.cb16> = dense<[1.0, 2.0]> : tensor<2xf32>
    csl.var @e : memref<1x!csl.enum<"rgb" : i8 {red = 0}>> = dense<[0]> : tensor<1xi8>
    // expected-error@+1 {{has a value of type 'tensor<1xi16>', expected elements of 'i8'}}
    csl.var @f : memref<1x!csl.enum<"rgb" : i8 {red = 0}>> = dense<[0]> : tensor<1xi16>
  }
}
