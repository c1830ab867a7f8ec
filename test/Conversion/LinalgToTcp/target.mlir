// RUN: sequin-opt %s --linalg-to-tcp='target=rngd-s chips=1' | FileCheck %s
// RUN: not sequin-opt %s --linalg-to-tcp 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not sequin-opt %s --linalg-to-tcp=target=abc 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not sequin-opt %s --linalg-to-tcp='target=rngd chips=99' 2>&1 | FileCheck %s --check-prefix=CHIPS
// RUN: sequin-opt %s --convert-linalg-to-tcp=target=rngd-s | not sequin-opt --convert-linalg-to-tcp=target=rngd 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: sequin-opt %s --convert-linalg-to-tcp='target=rngd chips=2' | FileCheck %s --check-prefix=TWO

// CHECK: module attributes {tcp.target = #tcp.target<"rngd-s">}
// NONE: error: no machine: the module needs 'tcp.target
// UNKNOWN: error: unknown machine "abc", known are rngd, rngd-s, rngd-measured
// CHIPS: error: target has 99 chips, machine "rngd" allows 1 to 8
// OTHER: error: module is for machine "rngd-s", the option target asks for "rngd"

// One chip computes; the other one has nothing.
// TWO: chip "1 # 2"

func.func @main(%a: tensor<64xf32>) -> tensor<64xf32> {
  return %a : tensor<64xf32>
}
