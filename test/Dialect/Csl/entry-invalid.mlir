// RUN: sequin-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{'csl.entry' must be a #csl.entry, found "main"}}
module attributes {csl.entry = "main"} {}

// -----

// expected-error@+1 {{has 'csl.distribution', which belongs on a csl.export_name}}
module attributes {csl.distribution = #csl.distribution<[4]>} {}

// -----

// expected-error@+1 {{dimension 1 is on an axis that another dimension is on}}
#d = #csl.distribution<[4 on x by 4, 4 on xy by 1]>

// -----

// expected-error@+1 {{dimension 0 needs 5 elements of a local array that has 4}}
#d = #csl.distribution<[8 on x by 4 at 1 of 4]>

// -----

// expected-error@+1 {{the order is no permutation of the dimensions}}
#d = #csl.distribution<[8, 4], order [1, 1]>

// -----

// expected-error@+1 {{a distribution has number -1, allowed are 0 to 2147483648}}
#d = #csl.distribution<[-1]>
