// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @negative_cache_select_c1(%cache: !heddle.cache<5 x 4 x 8 x f32> {heddle.sizes = ["b", "c"]},
    %p: tensor<?x?xi32> {heddle.sizes = ["b", "n"]}, %n: tensor<?xi32> {heddle.sizes = ["d"]}) {
  // expected-error @+1 {{expected the number of lengths to be "b", found "d"}}
  %0 = heddle.cache.select %cache positions(%p) lengths(%n)
     : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?xi32>, tensor<?xi32>
  return
}

// -----

func.func @negative_cache_select_c1_sequences(%cache: !heddle.cache<5 x 4 x 8 x f32> {heddle.sizes = ["b", "c"]},
    %p: tensor<?x?xi32> {heddle.sizes = ["b", "n"]}, %n: tensor<?xi32> {heddle.sizes = ["b"]},
    %s: tensor<?xi32> {heddle.sizes = ["n"]}) {
  // expected-error @+1 {{expected the number of sequences to be "b", found "n"}}
  %0 = heddle.cache.select %cache positions(%p) lengths(%n) sequences(%s : tensor<?xi32>)
     : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?xi32>, tensor<?xi32>
  return
}

// -----

func.func @negative_cache_select_c2(%cache: !heddle.cache<5 x 4 x 8 x f32> {heddle.sizes = ["b", "c"]},
    %p: tensor<?x?xi32> {heddle.sizes = ["b", "n"]}, %n: tensor<?xi32> {heddle.sizes = ["b"]}) -> tensor<?x?x32xf32> {
  // expected-error @+1 {{expected no use of the cache's old value after this, which changes it in place}}
  %0 = heddle.cache.select %cache positions(%p) lengths(%n)
     : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?xi32>, tensor<?xi32>
  // expected-note @+1 {{used here}}
  %k, %v = heddle.cache.read %cache layer(3) : !heddle.cache<5 x 4 x 8 x f32>
  return %k : tensor<?x?x32xf32>
}

// -----

func.func @negative_cache_select_c3_other_layer_between(%cache: !heddle.cache<5 x 4 x 8 x f32> {heddle.sizes = ["b", "64 + l"]},
    %x: tensor<?x?x32xf32> {heddle.sizes = ["b", "l"]}, %p: tensor<?x?xi32> {heddle.sizes = ["b", "n"]},
    %n: tensor<?xi32> {heddle.sizes = ["b"]}) {
  // expected-note @+1 {{used as one here}}
  %0 = heddle.cache.append %cache, %x, %x layer(0) at(%n) lengths(%n) ring
     : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  %1 = heddle.cache.append %0, %x, %x layer(1) at(%n) lengths(%n)
     : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  // expected-error @+1 {{expected a cache that is no ring, whose positions have their places}}
  %2 = heddle.cache.select %1 positions(%p) lengths(%n)
     : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?xi32>, tensor<?xi32>
  return
}

// -----

func.func @negative_cache_select_c3(%cache: !heddle.cache<5 x 4 x 8 x f32> {heddle.sizes = ["b", "64 + l"]},
    %x: tensor<?x?x32xf32> {heddle.sizes = ["b", "l"]}, %p: tensor<?x?xi32> {heddle.sizes = ["b", "n"]},
    %n: tensor<?xi32> {heddle.sizes = ["b"]}) {
  // expected-note @+1 {{used as one here}}
  %0 = heddle.cache.append %cache, %x, %x layer(0) at(%n) lengths(%n) ring
     : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  // expected-error @+1 {{expected a cache that is no ring, whose positions have their places}}
  %1 = heddle.cache.select %0 positions(%p) lengths(%n)
     : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?xi32>, tensor<?xi32>
  return
}
