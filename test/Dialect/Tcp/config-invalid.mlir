// Wrong fields of a configuration are errors where they stand.
// RUN: sequin-opt %s --split-input-file --verify-diagnostics

tcp.config @main target "rngd" chips 1 inputs [] outputs [] macs 0 bf16 {
  tcp.config_exec "pass" main chip 0 slices ["0000000000000001"]
    fetch <sequencer = #stream.sequencer<[8 : 1] packet 1 at 0>, from = i8, to = i8, packet_elements = 8,
           // expected-error@+1 {{unknown key 'acess_bytes', allowed are sequencer, from, to, packet_elements, access_bytes}}
           acess_bytes = 8, access_bytes = 8, fetches_per_packet = 1>
    collect <packet_bytes = 8, flits_per_packet = 1>
}

// -----

tcp.config @main target "rngd" chips 1 inputs [] outputs [] macs 0 bf16 {
  tcp.config_exec "pass" main chip 0 slices ["0000000000000001"]
    fetch <sequencer = #stream.sequencer<[8 : 1] packet 1 at 0>, from = i8,
           // expected-error@+1 {{to: found 'i7', allowed are i4, i5, i8}}
           to = i7, packet_elements = 8, access_bytes = 8, fetches_per_packet = 1>
    collect <packet_bytes = 8, flits_per_packet = 1>
}

// -----

tcp.config @main target "rngd" chips 1 inputs [] outputs [] macs 0 bf16 {
  tcp.config_exec "pass" main chip 0 slices ["0000000000000001"]
    fetch <sequencer = #stream.sequencer<[8 : 1] packet 1 at 0>, from = i8, to = i8,
           packet_elements = 8, access_bytes = 8, fetches_per_packet = 1>
    // expected-error@+1 {{key 'flits_per_packet' is missing}}
    collect <packet_bytes = 8>
}

// -----

tcp.config @main target "rngd" chips 1 inputs [] outputs [] macs 0 bf16 {
  tcp.config_exec "pass" main chip 0 slices ["0000000000000001"]
    // expected-error@+1 {{a sequencer of a configuration has an address}}
    fetch <sequencer = #stream.sequencer<[8 : 1] packet 1 by fit>, from = i8, to = i8,
           packet_elements = 8, access_bytes = 8, fetches_per_packet = 1>
    collect <packet_bytes = 8, flits_per_packet = 1>
}

// -----

tcp.config @main target "rngd" chips 1 inputs [] outputs [] macs 0 bf16 {
  tcp.config_exec "pass" main chip 0 slices ["0000000000000001"]
    fetch <sequencer = #stream.sequencer<[8 : 1] packet 1 at 0>, from = i8, to = i8,
           packet_elements = 8, access_bytes = 8, fetches_per_packet = 1>
    // expected-error@+1 {{packet_bytes is 0, must be at least 1}}
    collect <packet_bytes = 0, flits_per_packet = 1>
}

// -----

tcp.config @main target "rngd" chips 1 inputs [] outputs [] macs 0 bf16 {
  // expected-error@+1 {{entries[1]: found an array of 2, expected 3 integers}}
  tcp.config_dma "to_dm" hbm to dm [#tcp.descriptor<engine = 0, source_chip = 0, destination_chip = 0, source_address = 0, destination_address = 0, entries = [[8, 32, 64], [4, 1]], packet_bytes = 32>]
}

// -----

tcp.config @main target "rngd" chips 1 inputs [] outputs [] macs 0 bf16 {
  // expected-error@+1 {{size of an entry is 0, must be at least 1}}
  tcp.config_dma "to_dm" hbm to dm [#tcp.descriptor<engine = 0, source_chip = 0, destination_chip = 0, source_address = 0, destination_address = 0, entries = [[0, 32, 64]], packet_bytes = 32>]
}

// -----

tcp.config @main target "rngd" chips 1 inputs [] outputs [] macs 0 bf16 {
  // expected-error@+1 {{slices: found a string of 2 digits, expected a multiple of 16}}
  tcp.config_generate "itos" chip 0 slices ["ff"] at 0 value 7
}

// -----

// expected-error@+1 {{has unknown target "rngd9"}}
tcp.config @main target "rngd9" chips 1 inputs [] outputs [] macs 0 bf16 {
}

// -----

// expected-error@+1 {{'tcp.sequencers' has the wrong type: 3 : i64}}
module attributes {tcp.sequencers = 3 : i64} {
}

// -----

// expected-error@+1 {{sequencer is found by 'guess', allowed are terms, search, fit, split, merge, refactor}}
module attributes {tcp.sequencers = [#stream.sequencer<[8 : 1] packet 1 by guess>]} {
}

// -----

// expected-error@+1 {{transfer entry has size 0, must be at least 1}}
module attributes {tcp.transfers = [#stream.transfer<["A" 0 : 1 -> 1] from 0 to 0>]} {
}
