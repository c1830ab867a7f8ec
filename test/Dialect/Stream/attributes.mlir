// RUN: sequin-opt %s --verify-roundtrip | FileCheck %s

// Aliases come first.
// CHECK: #axes = #stream.axes<A = 8, B = 512>
// CHECK: #axes1 = #stream.axes<A = 4, B = 4, C = 2, "B'" = B - A, B_ = B + C, t = [3, 1, 4]>
// CHECK: #[[$NONE:.*]] = #stream.axes<>

// CHECK-LABEL: func.func private @axes
// CHECK-SAME: axes = #axes}
func.func private @axes() attributes {test.axes = #stream.axes<A = 8, B = 512>}

// Names are quoted where they are no keywords; skewed axes and tables may be
// written in any order.
// CHECK-LABEL: func.func private @skewed
// CHECK-SAME: axes = #axes1}
func.func private @skewed() attributes {
  test.axes = #stream.axes<"B'" = B - A, t = [3, 1, 4], A = 4, "B" = 4, C = 2, B_ = B + C>
}

// CHECK-LABEL: func.func private @parts
// CHECK-SAME: skew = #stream.skew<"B'" = B - A>
// CHECK-SAME: table = #stream.table<t = [3, 1, 4]>
func.func private @parts() attributes {
  test.skew = #stream.skew<"B'" = B - A>,
  test.table = #stream.table<t = [3, 1, 4]>
}

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

// The grammar of a mapping is checked; its axes are those of the type around it.
// CHECK-LABEL: func.func private @mappings
// CHECK-SAME: #stream.mapping<"A, B' = 4">
// CHECK-SAME: #stream.mapping<"$(W:2, F:1) # 40 @ 3">
// CHECK-SAME: #stream.mapping<"[A, B] ? t / 3">
func.func private @mappings() attributes {
  test.a = #stream.mapping<"A, B' = 4">,
  test.b = #stream.mapping<"$(W:2, F:1) # 40 @ 3">,
  test.c = #stream.mapping<"[A, B] ? t / 3">
}

// CHECK-LABEL: func.func private @pattern
// CHECK-SAME: #stream.pattern<[2 : 12, 4 : -1] offset 7>
// CHECK-SAME: #stream.pattern<[8 : 0]>
// CHECK-SAME: #stream.pattern<[] offset -3>
func.func private @pattern() attributes {
  test.a = #stream.pattern<[2 : 12, 4 : -1] offset 7>,
  test.b = #stream.pattern<[8 : 0] offset 0>,
  test.c = #stream.pattern<[] offset -3>
}

// A tensor of one element has no axes.
// CHECK-LABEL: func.func private @no_axes
// CHECK-SAME: axes = #[[$NONE]]}
func.func private @no_axes() attributes {test.axes = #stream.axes<>}
