// Attention to a ring asks for no key that the ring does not hold.

// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

// A window of 20 keys before the query and 17 tokens in 37 positions.
func.func @right(%x: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]}, %n: tensor<?xi32> {heddle.sizes = ["batch"]},
    %c: !heddle.cache<1 x 4 x 8 x f32> {heddle.sizes = ["batch", "37"]}) -> (tensor<?x?x32xf32>, !heddle.cache<1 x 4 x 8 x f32>)
    attributes {heddle.symbols = [#heddle.symbol<"length", 1 to 17>]} {
  %0 = heddle.cache.append %c, %x, %x layer(0) at(%n) lengths(%n) ring
      : !heddle.cache<1 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  %k, %v = heddle.cache.read %0 layer(0) ring("all") : !heddle.cache<1 x 4 x 8 x f32>
  %causal = heddle.mask.causal offset(%n : tensor<?xi32>)
  %window = heddle.mask.window left(20) offset(%n : tensor<?xi32>)
  %m = heddle.mask.and %causal, %window
  %y = heddle.attention %x, %k, %v mask(%m) heads(4, kv = 4) : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %y, %0 : tensor<?x?x32xf32>, !heddle.cache<1 x 4 x 8 x f32>
}

// -----

func.func @negative_cache_read_c3_too_small(%x: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]}, %n: tensor<?xi32> {heddle.sizes = ["batch"]},
    %c: !heddle.cache<1 x 4 x 8 x f32> {heddle.sizes = ["batch", "36"]}) -> (tensor<?x?x32xf32>, !heddle.cache<1 x 4 x 8 x f32>)
    attributes {heddle.symbols = [#heddle.symbol<"length", 1 to 17>]} {
  %0 = heddle.cache.append %c, %x, %x layer(0) at(%n) lengths(%n) ring
      : !heddle.cache<1 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  %k, %v = heddle.cache.read %0 layer(0) ring("all") : !heddle.cache<1 x 4 x 8 x f32>
  %m = heddle.mask.window left(20) right(0) offset(%n : tensor<?xi32>)
  // expected-error @+1 {{expected a ring of at least "length + 20" positions, for the tokens of a call and the keys before them that the window keeps, found "36"; what sizes may be is declared in heddle.symbols of the entry point}}
  %y = heddle.attention %x, %k, %v mask(%m) heads(4, kv = 4) : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %y, %0 : tensor<?x?x32xf32>, !heddle.cache<1 x 4 x 8 x f32>
}

// -----

// Later keys are not there yet: their places hold older ones.
func.func @negative_cache_read_c3_later_keys(%x: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]}, %n: tensor<?xi32> {heddle.sizes = ["batch"]},
    %c: !heddle.cache<1 x 4 x 8 x f32> {heddle.sizes = ["batch", "64"]}) -> (tensor<?x?x32xf32>, !heddle.cache<1 x 4 x 8 x f32>)
    attributes {heddle.symbols = [#heddle.symbol<"length", 1 to 17>]} {
  %0 = heddle.cache.append %c, %x, %x layer(0) at(%n) lengths(%n) ring
      : !heddle.cache<1 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  %k, %v = heddle.cache.read %0 layer(0) ring("all") : !heddle.cache<1 x 4 x 8 x f32>
  %m = heddle.mask.window left(20) offset(%n : tensor<?xi32>)
  // expected-error @+1 {{expected a mask that keeps no key which the ring does not hold}}
  %y = heddle.attention %x, %k, %v mask(%m) heads(4, kv = 4) : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %y, %0 : tensor<?x?x32xf32>, !heddle.cache<1 x 4 x 8 x f32>
}

// -----

// The window of an or is no limit.
func.func @negative_cache_read_c3_or(%x: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]}, %n: tensor<?xi32> {heddle.sizes = ["batch"]},
    %c: !heddle.cache<1 x 4 x 8 x f32> {heddle.sizes = ["batch", "64"]}) -> (tensor<?x?x32xf32>, !heddle.cache<1 x 4 x 8 x f32>)
    attributes {heddle.symbols = [#heddle.symbol<"length", 1 to 17>]} {
  %0 = heddle.cache.append %c, %x, %x layer(0) at(%n) lengths(%n) ring
      : !heddle.cache<1 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  %k, %v = heddle.cache.read %0 layer(0) ring("all") : !heddle.cache<1 x 4 x 8 x f32>
  %causal = heddle.mask.causal offset(%n : tensor<?xi32>)
  %window = heddle.mask.window left(20) right(0) offset(%n : tensor<?xi32>)
  %m = heddle.mask.or %causal, %window
  // expected-error @+1 {{expected a mask that keeps no key which the ring does not hold}}
  %y = heddle.attention %x, %k, %v mask(%m) heads(4, kv = 4) : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %y, %0 : tensor<?x?x32xf32>, !heddle.cache<1 x 4 x 8 x f32>
}

// -----

func.func @negative_cache_read_c3_no_append(%x: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]}, %n: tensor<?xi32> {heddle.sizes = ["batch"]},
    %c: !heddle.cache<1 x 4 x 8 x f32> {heddle.sizes = ["batch", "64"]}) -> tensor<?x?x32xf32> {
  %k, %v = heddle.cache.read %c layer(0) ring("all") : !heddle.cache<1 x 4 x 8 x f32>
  %m = heddle.mask.window left(20) right(0) offset(%n : tensor<?xi32>)
  // expected-error @+1 {{expected keys of a ring that this function appends to with `ring`}}
  %y = heddle.attention %x, %k, %v mask(%m) heads(4, kv = 4) : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %y : tensor<?x?x32xf32>
}

// -----

// Queries behind the last token ask for later keys, whose places hold older ones.
func.func @negative_cache_read_c3_queries(%q: tensor<?x40x32xf32> {heddle.sizes = ["batch"]},
    %x: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]}, %n: tensor<?xi32> {heddle.sizes = ["batch"]},
    %c: !heddle.cache<1 x 4 x 8 x f32> {heddle.sizes = ["batch", "64"]}) -> (tensor<?x40x32xf32>, !heddle.cache<1 x 4 x 8 x f32>)
    attributes {heddle.symbols = [#heddle.symbol<"length", 1 to 17>]} {
  %0 = heddle.cache.append %c, %x, %x layer(0) at(%n) lengths(%n) ring
      : !heddle.cache<1 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  %k, %v = heddle.cache.read %0 layer(0) ring("all") : !heddle.cache<1 x 4 x 8 x f32>
  %m = heddle.mask.window left(20) right(0) offset(%n : tensor<?xi32>)
  // expected-error @+1 {{expected as many tokens appended as there are queries, or more, found "length" and "40"}}
  %y = heddle.attention %q, %k, %v mask(%m) heads(4, kv = 4) : tensor<?x40x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %y, %0 : tensor<?x40x32xf32>, !heddle.cache<1 x 4 x 8 x f32>
}

// -----

// The offset has to be where the tokens go.
func.func @negative_cache_read_c3_offset(%x: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]},
    %n: tensor<?xi32> {heddle.sizes = ["batch"]}, %o: tensor<?xi32> {heddle.sizes = ["batch"]},
    %c: !heddle.cache<1 x 4 x 8 x f32> {heddle.sizes = ["batch", "64"]}) -> (tensor<?x?x32xf32>, !heddle.cache<1 x 4 x 8 x f32>)
    attributes {heddle.symbols = [#heddle.symbol<"length", 1 to 17>]} {
  %0 = heddle.cache.append %c, %x, %x layer(0) at(%n) lengths(%n) ring
      : !heddle.cache<1 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  %k, %v = heddle.cache.read %0 layer(0) ring("all") : !heddle.cache<1 x 4 x 8 x f32>
  %m = heddle.mask.window left(20) right(0) offset(%o : tensor<?xi32>)
  // expected-error @+1 {{expected a mask that keeps no key which the ring does not hold}}
  %y = heddle.attention %x, %k, %v mask(%m) heads(4, kv = 4) : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %y, %0 : tensor<?x?x32xf32>, !heddle.cache<1 x 4 x 8 x f32>
}

// -----

func.func @negative_cache_append_c7(%x: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]}, %n: tensor<?xi32> {heddle.sizes = ["batch"]},
    %c: !heddle.cache<1 x 4 x 8 x f32> {heddle.sizes = ["batch", "64"]}) -> !heddle.cache<1 x 4 x 8 x f32> {
  // expected-error @+1 {{expected a ring with at least as many positions as there are tokens, found "64" and "length"; what sizes may be is declared in heddle.symbols of the entry point}}
  %0 = heddle.cache.append %c, %x, %x layer(0) at(%n) lengths(%n) ring
      : !heddle.cache<1 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  return %0 : !heddle.cache<1 x 4 x 8 x f32>
}

// -----

func.func @negative_cache_append_c5_rows(%x: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]}, %n: tensor<?xi32> {heddle.sizes = ["batch"]},
    %t: tensor<?x?xi32> {heddle.sizes = ["pool", "columns"]},
    %c: !heddle.cache<1 x 4 x 8 x f32> {heddle.sizes = ["pool", "64"]}) -> !heddle.cache<1 x 4 x 8 x f32> {
  // expected-error @+1 {{expected the batch of the key to be "pool", found "batch"}}
  %0 = heddle.cache.append %c, %x, %x layer(0) at(%n) lengths(%n) pages(%t : tensor<?x?xi32>)
      : !heddle.cache<1 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  return %0 : !heddle.cache<1 x 4 x 8 x f32>
}
