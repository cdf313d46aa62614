// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes --heddle-declare-conditions

// expected-error @+1 {{expected no heddle.broadcasts, which is what ops say}}
func.func @declared(%x: tensor<?xf32> {heddle.sizes = ["n"]}) attributes {heddle.broadcasts = [#heddle.broadcast<"n" to "m">]} {
  return
}

// -----

// expected-error @+1 {{expected heddle.broadcasts to be an array of #heddle.broadcast of a function}}
func.func @no_array() attributes {heddle.broadcasts = #heddle.broadcast<"n" to "m">} {
  return
}

// -----

// expected-error @+1 {{expected no heddle.counts, which is what ops say}}
func.func @declared(%x: tensor<?xf32> {heddle.sizes = ["n"]}) attributes {heddle.counts = [#heddle.size<"n - 1">]} {
  return
}

// -----

// expected-error @+1 {{expected heddle.counts to be an array of #heddle.size of a function}}
func.func @no_array() attributes {heddle.counts = ["n"]} {
  return
}
