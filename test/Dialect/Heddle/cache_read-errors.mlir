// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_cache_read_c1(%cache: !heddle.cache<5 x 4 x 8 x f32>) {
  // expected-error @+1 {{expected a layer below 5, found 5}}
  %k, %v = heddle.cache.read %cache layer(5) : !heddle.cache<5 x 4 x 8 x f32>
  return
}

// -----

func.func @negative_cache_read_c2(%cache: !heddle.cache<5 x 4 x 8 x f32>, %t: tensor<?x?xi32>) {
  // expected-error @+1 {{expected pages or a ring, found both}}
  %k, %v = heddle.cache.read %cache layer(0) pages(%t : tensor<?x?xi32>) ring("n") : !heddle.cache<5 x 4 x 8 x f32>
  return
}

// -----

func.func @negative_cache_read_c3(%cache: !heddle.cache<5 x 4 x 8 x f32>) -> tensor<?x?x32xf32> {
  // expected-error @+1 {{expected keys and values of a ring to be those of an attention}}
  %k, %v = heddle.cache.read %cache layer(0) ring("n") : !heddle.cache<5 x 4 x 8 x f32>
  // expected-note @+1 {{used here}}
  %0 = arith.negf %k : tensor<?x?x32xf32>
  return %0 : tensor<?x?x32xf32>
}
