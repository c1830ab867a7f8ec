// RUN: sequin-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func private @axes
// CHECK-SAME: axes = #axes
func.func private @axes() attributes {test.axes = #stream.axes<A = 8, B = 512>}

// Derived axes are not keywords, so they are quoted.
// CHECK-LABEL: func.func private @quoted_axis
func.func private @quoted_axis() attributes {test.axes = #stream.axes<A = 4, "B2" = 4>}

// CHECK-LABEL: func.func private @mapping
// CHECK-SAME: #stream.mapping<"A / 8 # 256">
func.func private @mapping() attributes {test.mapping = #stream.mapping<"A / 8 # 256">}

// CHECK-LABEL: func.func private @sequencer
// CHECK-SAME: #stream.sequencer<[32 : 32, 4 : -8, 8 : 1] packet 1 at 262144>
func.func private @sequencer() attributes {
  test.sequencer = #stream.sequencer<[32 : 32, 4 : -8, 8 : 1] packet 1 at 262144>
}

// CHECK-LABEL: func.func private @no_loops
// CHECK-SAME: #stream.sequencer<[] packet 0 at 0>
func.func private @no_loops() attributes {test.sequencer = #stream.sequencer<[] packet 0 at 0>}
