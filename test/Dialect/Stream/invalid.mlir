// RUN: sequin-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{axis name "a" must start with an upper-case letter}}
func.func private @lower_case() attributes {test.axes = #stream.axes<a = 8>}

// -----

// expected-error@+1 {{axis A has size 0, must be at least 1}}
func.func private @no_size() attributes {test.axes = #stream.axes<A = 0>}

// -----

// expected-error@+1 {{axis A is declared twice}}
func.func private @twice() attributes {test.axes = #stream.axes<A = 8, A = 9>}

// -----

// expected-error@+1 {{mapping "A /"}}
func.func private @syntax() attributes {test.mapping = #stream.mapping<"A /">}

// -----

// expected-error@+1 {{sequencer entry has size 0, must be at least 1}}
func.func private @empty_loop() attributes {test.s = #stream.sequencer<[0 : 1] packet 0 at 0>}

// -----

// expected-error@+1 {{sequencer has 2 packet entries of 1 entries}}
func.func private @packet() attributes {test.s = #stream.sequencer<[4 : 1] packet 2 at 0>}

// -----

// expected-error@+1 {{axis name "A-B" must consist of letters, digits, '_' and '}}
func.func private @name() attributes {test.axes = #stream.axes<"A-B" = 8>}

// -----

// expected-error@+1 {{skewed axis 'B'' is made from 'C', which is not an axis with a size}}
func.func private @skew_of_nothing() attributes {test.axes = #stream.axes<A = 4, "B'" = C - A>}

// -----

// expected-error@+1 {{skewed axis 'C'' is made from 'B'', which is skewed itself; skews do not chain}}
func.func private @chain() attributes {test.axes = #stream.axes<A = 4, B = 4, "B'" = B - A, "C'" = "B'" + A>}

// -----

// expected-error@+1 {{axis 'B' is named twice}}
func.func private @skew_twice() attributes {test.axes = #stream.axes<A = 4, B = 4, B = B - A>}

// -----

// expected-error@+1 {{table 't' has no entries}}
func.func private @no_entries() attributes {test.axes = #stream.axes<A = 4, t = []>}

// -----

// expected-error@+1 {{entry 1 of table 't' is -1, must be at least 0}}
func.func private @negative() attributes {test.axes = #stream.axes<A = 4, t = [3, -1]>}

// -----

// expected-error@+1 {{'T' is not the name of a table}}
func.func private @table_name() attributes {test.axes = #stream.axes<A = 4, T = [3]>}

// -----

// expected-error@+1 {{expected '-'}}
func.func private @no_sign() attributes {test.axes = #stream.axes<A = 4, B = A>}

// -----

// expected-error@+1 {{mapping "A ? T": column 5 of 'A ? T': expected the name of a table}}
func.func private @lookup() attributes {test.mapping = #stream.mapping<"A ? T">}

// -----

// expected-error@+1 {{pattern loop has size 0, must be at least 1}}
func.func private @empty_pattern() attributes {test.p = #stream.pattern<[0 : 1]>}

// -----

// expected-error@+1 {{pattern loop 3 : 4611686018427387904 reaches elements that do not fit in 64 bits}}
func.func private @far() attributes {test.p = #stream.pattern<[3 : 4611686018427387904]>}
