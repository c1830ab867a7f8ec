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
