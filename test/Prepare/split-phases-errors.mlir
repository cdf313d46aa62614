// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes --heddle-split-phases

// expected-error @+1 {{expected heddle.decoder to name the size that is 1 when decoding, as no single size counts the tokens of heddle.cache.append}}
func.func @negative_no_step(%x: tensor<?x4xf32> {heddle.sizes = ["n"]}) -> tensor<?x4xf32>
    attributes {heddle.decoder} {
  return %x : tensor<?x4xf32>
}

// -----

// expected-error @+1 {{expected heddle.decoder to name a size of an argument, found 'length'}}
func.func @negative_unknown_step(%x: tensor<?x4xf32> {heddle.sizes = ["n"]}) -> tensor<?x4xf32>
    attributes {heddle.decoder = "length"} {
  return %x : tensor<?x4xf32>
}
