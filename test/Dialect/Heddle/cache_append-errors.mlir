// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_cache_append_c1(%cache: !heddle.cache<5 x 4 x 8 x f32>,
    %k: tensor<?x?x32xf32>, %v: tensor<?x?x32xf32>, %counts: tensor<?xi32>) {
  // expected-error @+1 {{expected a layer below 5, found 5}}
  %0 = heddle.cache.append %cache, %k, %v layer(5) at(%counts) lengths(%counts)
     : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>,
       tensor<?xi32>, tensor<?xi32>
  return
}

// -----

func.func @negative_cache_append_c1_below_zero(%cache: !heddle.cache<5 x 4 x 8 x f32>,
    %k: tensor<?x?x32xf32>, %v: tensor<?x?x32xf32>, %counts: tensor<?xi32>) {
  // expected-error @+1 {{expected a layer below 5, found -1}}
  %0 = heddle.cache.append %cache, %k, %v layer(-1) at(%counts) lengths(%counts)
     : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>,
       tensor<?xi32>, tensor<?xi32>
  return
}

// -----

func.func @negative_cache_append_c2_key(%cache: !heddle.cache<5 x 4 x 8 x f32>,
    %k: tensor<?x?x64xf32>, %v: tensor<?x?x32xf32>, %counts: tensor<?xi32>) {
  // expected-error @+1 {{expected keys and values of 32 channels, found 64}}
  %0 = heddle.cache.append %cache, %k, %v layer(0) at(%counts) lengths(%counts)
     : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?x64xf32>, tensor<?x?x32xf32>,
       tensor<?xi32>, tensor<?xi32>
  return
}

// -----

func.func @negative_cache_append_c2_value(%cache: !heddle.cache<5 x 4 x 8 x f32>,
    %k: tensor<?x?x32xf32>, %v: tensor<?x?x16xf32>, %counts: tensor<?xi32>) {
  // expected-error @+1 {{expected keys and values of 32 channels, found 16}}
  %0 = heddle.cache.append %cache, %k, %v layer(0) at(%counts) lengths(%counts)
     : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x16xf32>,
       tensor<?xi32>, tensor<?xi32>
  return
}
