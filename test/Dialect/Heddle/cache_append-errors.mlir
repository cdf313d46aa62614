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
  // expected-error @+1 {{expected keys of 32 channels, found 64}}
  %0 = heddle.cache.append %cache, %k, %v layer(0) at(%counts) lengths(%counts)
     : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?x64xf32>, tensor<?x?x32xf32>,
       tensor<?xi32>, tensor<?xi32>
  return
}

// -----

func.func @negative_cache_append_c2_value(%cache: !heddle.cache<5 x 4 x 8 x f32>,
    %k: tensor<?x?x32xf32>, %v: tensor<?x?x16xf32>, %counts: tensor<?xi32>) {
  // expected-error @+1 {{expected values of 32 channels, found 16}}
  %0 = heddle.cache.append %cache, %k, %v layer(0) at(%counts) lengths(%counts)
     : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x16xf32>,
       tensor<?xi32>, tensor<?xi32>
  return
}

// -----

func.func @negative_cache_append_c3_two_appends(%cache: !heddle.cache<5 x 4 x 8 x f32>,
    %k: tensor<?x?x32xf32>, %n: tensor<?xi32>) {
  // expected-error @+1 {{expected no use of the cache's old value after this, which changes it in place}}
  %0 = heddle.cache.append %cache, %k, %k layer(0) at(%n) lengths(%n)
     : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>,
       tensor<?xi32>, tensor<?xi32>
  // expected-note @+1 {{used here}}
  %1 = heddle.cache.append %cache, %k, %k layer(1) at(%n) lengths(%n)
     : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>,
       tensor<?xi32>, tensor<?xi32>
  return
}

// -----

func.func @negative_cache_append_c3_read(%cache: !heddle.cache<5 x 4 x 8 x f32>,
    %k: tensor<?x?x32xf32>, %n: tensor<?xi32>) {
  // expected-error @+1 {{expected no use of the cache's old value after this, which changes it in place}}
  %0 = heddle.cache.append %cache, %k, %k layer(0) at(%n) lengths(%n)
     : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>,
       tensor<?xi32>, tensor<?xi32>
  // expected-note @+1 {{used here}}
  %rk, %rv = heddle.cache.read %cache layer(0) : !heddle.cache<5 x 4 x 8 x f32>
  return
}

// -----

// What was read is a view of the cache.
func.func @negative_cache_append_c3_view(%cache: !heddle.cache<5 x 4 x 8 x f32>,
    %k: tensor<?x?x32xf32>, %n: tensor<?xi32>)
    -> tensor<?x?x32xf32> {
  %rk, %rv = heddle.cache.read %cache layer(0) : !heddle.cache<5 x 4 x 8 x f32>
  // expected-error @+1 {{expected no use of the cache's old value after this, which changes it in place}}
  %0 = heddle.cache.append %cache, %k, %k layer(0) at(%n) lengths(%n)
     : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>,
       tensor<?xi32>, tensor<?xi32>
  // expected-note @+1 {{used here}}
  return %rk : tensor<?x?x32xf32>
}

// -----

func.func @negative_cache_append_c3_return(%cache: !heddle.cache<5 x 4 x 8 x f32>,
    %k: tensor<?x?x32xf32>, %n: tensor<?xi32>)
    -> !heddle.cache<5 x 4 x 8 x f32> {
  // expected-error @+1 {{expected no use of the cache's old value after this, which changes it in place}}
  %0 = heddle.cache.append %cache, %k, %k layer(0) at(%n) lengths(%n)
     : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>,
       tensor<?xi32>, tensor<?xi32>
  // expected-note @+1 {{used here}}
  return %cache : !heddle.cache<5 x 4 x 8 x f32>
}

// -----

func.func @negative_cache_append_c5(%cache: !heddle.cache<5 x 4 x 8 x f32>,
    %k: tensor<?x?x32xf32>, %n: tensor<?xi32>, %t: tensor<?x?xi32>) {
  // expected-error @+1 {{expected pages or a ring, found both}}
  %0 = heddle.cache.append %cache, %k, %k layer(0) at(%n) lengths(%n) pages(%t : tensor<?x?xi32>) ring
     : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>,
       tensor<?xi32>, tensor<?xi32>
  return
}

// -----

func.func @negative_cache_append_c6_elements(%cache: !heddle.cache<5 x 4 x 8 x f32>,
    %k: tensor<?x?x32xf32>, %q: tensor<?x?x32xi8>, %n: tensor<?xi32>) {
  // expected-error @+1 {{expected values of floats, or those of an i8 cache of i8, with scales, found 'tensor<?x?x32xi8>' without}}
  %0 = heddle.cache.append %cache, %k, %q layer(0) at(%n) lengths(%n)
     : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xi8>,
       tensor<?xi32>, tensor<?xi32>
  return
}

// -----

func.func @negative_cache_append_c6_cache(%cache: !heddle.cache<5 x 4 x 8 x f32>,
    %k: tensor<?x?x32xf32>, %q: tensor<?x?x32xi8>, %s: tensor<?x?x4xf32>, %n: tensor<?xi32>) {
  // expected-error @+1 {{expected keys of floats, or those of an i8 cache of i8, with scales, found 'tensor<?x?x32xi8>' with scales}}
  %0 = heddle.cache.append %cache, %q, %k layer(0) at(%n) lengths(%n) key_scales(%s : tensor<?x?x4xf32>)
     : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?x32xi8>, tensor<?x?x32xf32>,
       tensor<?xi32>, tensor<?xi32>
  return
}

// -----

func.func @negative_cache_append_c6_heads(%cache: !heddle.cache<5 x 4 x 8 x i8>,
    %k: tensor<?x?x32xf32>, %q: tensor<?x?x32xi8>, %s: tensor<?x?x5xf32>, %n: tensor<?xi32>) {
  // expected-error @+1 {{expected scales of 4 heads, found 5}}
  %0 = heddle.cache.append %cache, %q, %k layer(0) at(%n) lengths(%n) key_scales(%s : tensor<?x?x5xf32>)
     : !heddle.cache<5 x 4 x 8 x i8>, tensor<?x?x32xi8>, tensor<?x?x32xf32>,
       tensor<?xi32>, tensor<?xi32>
  return
}

// -----

func.func @negative_cache_append_c5_lengths(%cache: !heddle.cache<5 x 4 x 8 x f32>,
    %k: tensor<?x?x32xf32>, %n: tensor<?xi32>) {
  // expected-error @+1 {{expected 'at' and 'lengths' beside pages or a ring}}
  %0 = heddle.cache.append %cache, %k, %k layer(0) at(%n) ring
     : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>
  return
}
