// RUN: heddle-opt %s -allow-unregistered-dialect -split-input-file -verify-diagnostics

// expected-error @+1 {{in size "n +": expected a number or a name, found the end}}
"negative_unfinished"() {a = #heddle.size<"n +">} : () -> ()

// -----

// expected-error @+1 {{in size "n n": expected the end, found 'n'}}
"negative_rest"() {a = #heddle.size<"n n">} : () -> ()

// -----

// expected-error @+1 {{in size "99999999999999999999": expected a number of at most 64 bits, found '99999999999999999999'}}
"negative_large_number"() {a = #heddle.size<"99999999999999999999">} : () -> ()

// -----

// expected-error @+1 {{expected 1 sizes, one for each dynamic dimension, found 2}}
"negative_two_sizes"() : () -> tensor<?x4xf32, #heddle.sizes<"n", "m">>

// -----

// expected-error @+1 {{in size "mod(n, 2 - 2)": expected a divisor other than 0}}
"negative_divisor"() {a = #heddle.size<"mod(n, 2 - 2)">} : () -> ()
