// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-set-target=cpu=x86-64-v3

// expected-error @+1 {{expected the target of the module, #heddle.target<cpu = "znver5", features = "">, found --target-cpu=x86-64-v3}}
module attributes {heddle.target = #heddle.target<cpu = "znver5", features = "">} {}

// -----

// expected-error @+1 {{expected heddle.target to be a #heddle.target, found "x86-64-v3"}}
module attributes {heddle.target = "x86-64-v3"} {}
