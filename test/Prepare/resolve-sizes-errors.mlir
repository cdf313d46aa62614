// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

// expected-error @+1 {{expected heddle.sizes of 2 sizes on argument 1}}
func.func @negative_argument_without_names(%x: tensor<4xf32>, %y: tensor<?x?xf32>) {
  return
}

// -----

// expected-error @+1 {{expected heddle.sizes of 2 sizes on argument 0}}
func.func @negative_too_few_names(%x: tensor<?x?xf32> {heddle.sizes = ["batch"]}) {
  return
}

// -----

// expected-error @+1 {{expected heddle.sizes of 2 sizes on argument 0}}
func.func @negative_cache_without_names(%c: !heddle.cache<2 x 4 x 8 x f32>) {
  return
}

// -----

func.func @negative_dimension_that_no_op_names(%x: tensor<4x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{is not supported: expected ops of heddle, arith and math, or those of linalg, tensor and scf that become such}}
  %0 = builtin.unrealized_conversion_cast %x : tensor<4x4xf32> to tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

func.func @negative_elements_of_two_sizes(%x: tensor<?x4xf32> {heddle.sizes = ["batch"]},
    %y: tensor<?x4xf32> {heddle.sizes = ["rows"]}) -> tensor<?x4xf32> {
  // expected-error @+1 {{expected the size of all operands to be "batch", found "rows"}}
  %0 = arith.addf %x, %y : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

func.func @negative_two_batches(%x: tensor<?x?x4xf32> {heddle.sizes = ["batch", "length"]},
    %lengths: tensor<?xi32> {heddle.sizes = ["rows"]}) -> tensor<?x4xf32> {
  // expected-error @+1 {{expected the number of lengths to be "batch", found "rows"}}
  %0 = heddle.last_token %x, %lengths : tensor<?x?x4xf32>, tensor<?xi32>
  return %0 : tensor<?x4xf32>
}

// -----

func.func @negative_sizes_of_operands(
    %x: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %y: tensor<?x?x8xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x?x8xf32> {
  // expected-error @+1 {{expected the size of all operands to be "length", found "keys"}}
  %z = arith.addf %x, %y : tensor<?x?x8xf32>
  return %z : tensor<?x?x8xf32>
}

// -----

func.func @negative_attention_batch_of_key(
    %q: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x8xf32> {heddle.sizes = ["keys", "keys"]},
    %v: tensor<?x?x8xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x?x8xf32> {
  // expected-error @+1 {{expected the batch of the key to be "batch", found "keys"}}
  %o = heddle.attention %q, %k, %v heads(1, kv = 1) scale(1.0) : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %o : tensor<?x?x8xf32>
}

// -----

func.func @negative_attention_batch_of_value(
    %q: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x8xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x8xf32> {heddle.sizes = ["keys", "keys"]}) -> tensor<?x?x8xf32> {
  // expected-error @+1 {{expected the batch of the value to be "batch", found "keys"}}
  %o = heddle.attention %q, %k, %v heads(1, kv = 1) scale(1.0) : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %o : tensor<?x?x8xf32>
}

// -----

func.func @negative_attention_length_of_value(
    %q: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x8xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x8xf32> {
  // expected-error @+1 {{expected the length of the value to be "keys", found "length"}}
  %o = heddle.attention %q, %k, %v heads(1, kv = 1) scale(1.0) : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %o : tensor<?x?x8xf32>
}

// -----

func.func @negative_rotary_starts(%x: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %s: tensor<2xi32>) -> tensor<?x?x8xf32> {
  // expected-error @+1 {{expected the number of starts to be "batch", found "2"}}
  %o = heddle.rotary %x at(%s : tensor<2xi32>) heads(1) positions(64) base(10000.0) : tensor<?x?x8xf32>
  return %o : tensor<?x?x8xf32>
}

// -----

func.func @negative_last_token_lengths(%x: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %s: tensor<?xi32> {heddle.sizes = ["length"]}) -> tensor<?x8xf32> {
  // expected-error @+1 {{expected the number of lengths to be "batch", found "length"}}
  %o = heddle.last_token %x, %s : tensor<?x?x8xf32>, tensor<?xi32>
  return %o : tensor<?x8xf32>
}

// -----

func.func @negative_append_batch_of_key(
    %c: !heddle.cache<2 x 1 x 8 x f32> {heddle.sizes = ["batch", "capacity"]},
    %k: tensor<?x?x8xf32> {heddle.sizes = ["other", "length"]}, %v: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %s: tensor<?xi32> {heddle.sizes = ["batch"]}, %l: tensor<?xi32> {heddle.sizes = ["batch"]}) -> !heddle.cache<2 x 1 x 8 x f32> {
  // expected-error @+1 {{expected the batch of the key to be "batch", found "other"}}
  %o = heddle.cache.append %c, %k, %v layer(0) at(%s) lengths(%l)
      : !heddle.cache<2 x 1 x 8 x f32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?xi32>, tensor<?xi32>
  return %o : !heddle.cache<2 x 1 x 8 x f32>
}

// -----

func.func @negative_append_batch_of_value(
    %c: !heddle.cache<2 x 1 x 8 x f32> {heddle.sizes = ["batch", "capacity"]},
    %k: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]}, %v: tensor<?x?x8xf32> {heddle.sizes = ["other", "length"]},
    %s: tensor<?xi32> {heddle.sizes = ["batch"]}, %l: tensor<?xi32> {heddle.sizes = ["batch"]}) -> !heddle.cache<2 x 1 x 8 x f32> {
  // expected-error @+1 {{expected the batch of the value to be "batch", found "other"}}
  %o = heddle.cache.append %c, %k, %v layer(0) at(%s) lengths(%l)
      : !heddle.cache<2 x 1 x 8 x f32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?xi32>, tensor<?xi32>
  return %o : !heddle.cache<2 x 1 x 8 x f32>
}

// -----

func.func @negative_append_length_of_value(
    %c: !heddle.cache<2 x 1 x 8 x f32> {heddle.sizes = ["batch", "capacity"]},
    %k: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]}, %v: tensor<?x?x8xf32> {heddle.sizes = ["batch", "other"]},
    %s: tensor<?xi32> {heddle.sizes = ["batch"]}, %l: tensor<?xi32> {heddle.sizes = ["batch"]}) -> !heddle.cache<2 x 1 x 8 x f32> {
  // expected-error @+1 {{expected the length of the value to be "length", found "other"}}
  %o = heddle.cache.append %c, %k, %v layer(0) at(%s) lengths(%l)
      : !heddle.cache<2 x 1 x 8 x f32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?xi32>, tensor<?xi32>
  return %o : !heddle.cache<2 x 1 x 8 x f32>
}

// -----

func.func @negative_append_starts(
    %c: !heddle.cache<2 x 1 x 8 x f32> {heddle.sizes = ["batch", "capacity"]},
    %k: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]}, %v: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %s: tensor<?xi32> {heddle.sizes = ["other"]}, %l: tensor<?xi32> {heddle.sizes = ["batch"]}) -> !heddle.cache<2 x 1 x 8 x f32> {
  // expected-error @+1 {{expected the number of starts to be "batch", found "other"}}
  %o = heddle.cache.append %c, %k, %v layer(0) at(%s) lengths(%l)
      : !heddle.cache<2 x 1 x 8 x f32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?xi32>, tensor<?xi32>
  return %o : !heddle.cache<2 x 1 x 8 x f32>
}

// -----

func.func @negative_append_lengths(
    %c: !heddle.cache<2 x 1 x 8 x f32> {heddle.sizes = ["batch", "capacity"]},
    %k: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]}, %v: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %s: tensor<?xi32> {heddle.sizes = ["batch"]}, %l: tensor<?xi32> {heddle.sizes = ["other"]}) -> !heddle.cache<2 x 1 x 8 x f32> {
  // expected-error @+1 {{expected the number of lengths to be "batch", found "other"}}
  %o = heddle.cache.append %c, %k, %v layer(0) at(%s) lengths(%l)
      : !heddle.cache<2 x 1 x 8 x f32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?xi32>, tensor<?xi32>
  return %o : !heddle.cache<2 x 1 x 8 x f32>
}

// -----

func.func @negative_attention_scores(%x: tensor<2x5x8xf32>) -> tensor<2x5x8xf32> {
  // expected-error @+1 {{expected a score region with an argument of type 'tensor<2x2x5x5xf32>', found 'tensor<2x2x5x7xf32>'}}
  %o = heddle.attention %x, %x, %x heads(2, kv = 2) score {
    ^bb0(%s: tensor<2x2x5x7xf32>):
      heddle.yield %s : tensor<2x2x5x7xf32>
    } : tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>
  return %o : tensor<2x5x8xf32>
}

// -----

func.func @negative_multi_head_attention_scores(%x: tensor<2x5x8xf32>, %w: tensor<8x8xf32>) -> tensor<2x5x8xf32> {
  // expected-error @+1 {{expected a score region with an argument of type 'tensor<2x2x5x5xf32>', found 'tensor<2x2x6x5xf32>'}}
  %o = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2) query(%w : tensor<8x8xf32>) key(%w : tensor<8x8xf32>)
      value(%w : tensor<8x8xf32>) output(%w : tensor<8x8xf32>) score {
    ^bb0(%s: tensor<2x2x6x5xf32>):
      heddle.yield %s : tensor<2x2x6x5xf32>
    } : tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>
  return %o : tensor<2x5x8xf32>
}

// -----

func.func @negative_attention_changed_scores(
    %x: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x8xf32> {
  // expected-error @+1 {{expected changed scores of type 'tensor<?x2x?x?xf32, #heddle.sizes<"batch", "length", "length">>', found 'tensor<?x?x2x?xf32}}
  %o = heddle.attention %x, %x, %x heads(2, kv = 2) score {
    ^bb0(%s: tensor<?x2x?x?xf32>):
      %t = heddle.transpose %s permutation [0, 2, 1, 3] : tensor<?x2x?x?xf32> -> tensor<?x?x2x?xf32>
      heddle.yield %t : tensor<?x?x2x?xf32>
    } : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %o : tensor<?x?x8xf32>
}

// -----

func.func @negative_attention_packed_c11(%x: tensor<1x64x8xf32>, %p: tensor<1x2x3x4x32xf32>) -> tensor<1x64x8xf32> {
  // expected-error @+1 {{expected a size of the packed keys to be "2", found "3"}}
  %o = heddle.attention %x, %x, %x packed(%p : tensor<1x2x3x4x32xf32>) heads(2, kv = 2) : tensor<1x64x8xf32>, tensor<1x64x8xf32>, tensor<1x64x8xf32>
  return %o : tensor<1x64x8xf32>
}

// -----

func.func @negative_attention_packed_values_c11(%q: tensor<2x40x16xf32>, %p: tensor<2x2x2x8x32xf32>, %r: tensor<2x2x2x8x32xf32>) {
  // expected-error @+1 {{expected a size of the packed values to be "32", found "8"}}
  %o = heddle.attention %q, %q, %q packed(%p, %r : tensor<2x2x2x8x32xf32>, tensor<2x2x2x8x32xf32>)
      heads(2, kv = 2) : tensor<2x40x16xf32>, tensor<2x40x16xf32>, tensor<2x40x16xf32>
  return
}

// -----

func.func @negative_attention_documents_of_keys(
    %x: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %q: tensor<?x?xi32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?xi32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x?x8xf32> {
  %m = heddle.mask.documents %q, %k : tensor<?x?xi32>, tensor<?x?xi32>
  // expected-error @+1 {{expected the number of keys that have documents to be "length", found "keys"}}
  %o = heddle.attention %x, %x, %x mask(%m) heads(1, kv = 1) scale(1.0) : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %o : tensor<?x?x8xf32>
}

// -----

func.func @negative_attention_heads_of_mask(
    %x: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %b: tensor<3x?x?xi1> {heddle.sizes = ["ceildiv(length, 64)", "ceildiv(length, 16)"]}) -> tensor<?x?x8xf32> {
  %m = heddle.mask.dense %b over(head, query, key) blocks(64, 16) : tensor<3x?x?xi1>
  // expected-error @+1 {{expected the size of the mask along 'head' to be "2", found "3"}}
  %o = heddle.attention %x, %x, %x mask(%m) heads(2, kv = 2) scale(1.0) : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %o : tensor<?x?x8xf32>
}

// -----

func.func @negative_attention_blocks_of_mask(
    %x: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %b: tensor<?x?xi1> {heddle.sizes = ["ceildiv(length, 64)", "ceildiv(length, 16)"]}) -> tensor<?x?x8xf32> {
  %m = heddle.mask.dense %b over(query, key) blocks(64, 32) : tensor<?x?xi1>
  // expected-error @+1 {{expected the size of the mask along 'key' to be "ceildiv(length, 32)", found "ceildiv(length, 16)"}}
  %o = heddle.attention %x, %x, %x mask(%m) heads(1, kv = 1) scale(1.0) : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %o : tensor<?x?x8xf32>
}

// -----

func.func @negative_attention_batch_of_mask_lengths(
    %x: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %n: tensor<?xi32> {heddle.sizes = ["other"]}) -> tensor<?x?x8xf32> {
  %m = heddle.mask.lengths %n : tensor<?xi32>
  // expected-error @+1 {{expected the number of lengths in the mask to be "batch", found "other"}}
  %o = heddle.attention %x, %x, %x mask(%m) heads(1, kv = 1) scale(1.0) : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %o : tensor<?x?x8xf32>
}

// -----

func.func @negative_attention_batch_of_mask_offset(
    %x: tensor<2x?x8xf32> {heddle.sizes = ["length"]},
    %n: tensor<2xi32>, %s: tensor<1xi32>) -> tensor<2x?x8xf32> {
  %valid = heddle.mask.lengths %n : tensor<2xi32>
  %causal = heddle.mask.causal offset(%s : tensor<1xi32>)
  %later = heddle.mask.not %causal
  %some = heddle.mask.or %valid, %later
  %m = heddle.mask.and %some, %valid
  // expected-error @+1 {{expected the number of offsets in the mask to be "2", found "1"}}
  %o = heddle.attention %x, %x, %x mask(%m) heads(1, kv = 1) scale(1.0) : tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>
  return %o : tensor<2x?x8xf32>
}

// -----

func.func @negative_scalar_operand(%x: tensor<4xf32>, %condition: tensor<4xi1>) -> tensor<4xf32> {
  %c = arith.constant true
  // expected-error @+1 {{expected operand 0 to be a ranked tensor, a cache or a mask, found 'i1'}}
  %r = arith.select %c, %x, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @negative_unranked_tensor(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{is not supported: expected ops of heddle, arith and math}}
  %v = builtin.unrealized_conversion_cast %x : tensor<4xf32> to tensor<*xf32>
  %r = arith.addf %x, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// expected-error @+1 {{expected argument 0 to be a ranked tensor, a cache or a mask, found 'f32'}}
func.func @negative_scalar_argument(%s: f32 {heddle.sizes = []}, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = arith.addf %x, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// expected-error @+1 {{in heddle.sizes of argument 0, "past +": expected a number or a name, found the end}}
func.func @negative_unfinished_expression(%x: tensor<?xf32> {heddle.sizes = ["past +"]}) {
  return
}

// -----

// expected-error @+1 {{in heddle.sizes of argument 0, "sqrt(n)": expected floordiv, ceildiv, mod, min or max before '(', found '(n)'}}
func.func @negative_unknown_function(%x: tensor<?xf32> {heddle.sizes = ["sqrt(n)"]}) {
  return
}

// -----

// expected-error @+1 {{in heddle.sizes of argument 0, 4 : i32: expected a string or an integer}}
func.func @negative_size_of_another_type(%x: tensor<?xf32> {heddle.sizes = [4 : i32]}) {
  return
}

// -----

// expected-error @+1 {{in heddle.sizes of argument 0: expected a size of at least 0, found -4}}
func.func @negative_number_of_nothing(%x: tensor<?xf32> {heddle.sizes = [-4]}) {
  return
}

// -----

// expected-error @+1 {{in heddle.sizes of argument 0: expected a size of at least 0, found -1}}
func.func @negative_size_of_nothing(%x: tensor<?xf32> {heddle.sizes = ["n - n - 1"]}) {
  return
}

// -----

// expected-error @+1 {{expected one block, as branches and loops are those of scf, found 2}}
func.func @negative_branch(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
^next:
  return %x : tensor<4xf32>
}

// -----

func.func @negative_calls_itself(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected a call that ends: the function calls itself, or has no body}}
  %y = func.call @negative_calls_itself(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @negative_rotary_cosines(%x: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %c: tensor<?x2xf32> {heddle.sizes = ["n"]}) -> tensor<?x?x8xf32> {
  // expected-error @+1 {{expected the length of the cosines to be "length", found "n"}}
  %0 = heddle.rotary %x cosines(%c : tensor<?x2xf32>) sines(%c : tensor<?x2xf32>) heads(2) : tensor<?x?x8xf32>
  return %0 : tensor<?x?x8xf32>
}

// -----

func.func @negative_rotary_cosines_batch(%x: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %c: tensor<2x?x2xf32> {heddle.sizes = ["length"]}) -> tensor<?x?x8xf32> {
  // expected-error @+1 {{expected the batch of the cosines to be "batch", found "2"}}
  %0 = heddle.rotary %x cosines(%c : tensor<2x?x2xf32>) sines(%c : tensor<2x?x2xf32>) heads(2) : tensor<?x?x8xf32>
  return %0 : tensor<?x?x8xf32>
}

// -----

func.func @negative_cached_attention(%x: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]}, %w: tensor<24x8xf32>,
    %o: tensor<8x8xf32>, %c: !heddle.cache<1 x 2 x 4 x f32> {heddle.sizes = ["rows", "capacity"]},
    %n: tensor<?xi32> {heddle.sizes = ["batch"]}) -> !heddle.cache<1 x 2 x 4 x f32> {
  // expected-error @+1 {{expected the batch of the cache to be "batch", found "rows"}}
  %0:2 = heddle.multi_head_attention %x, %x, %x cache(%c : !heddle.cache<1 x 2 x 4 x f32>) layer(0)
       at(%n : tensor<?xi32>) lengths(%n : tensor<?xi32>) heads(2, kv = 2) combined(%w : tensor<24x8xf32>)
       output(%o : tensor<8x8xf32>) : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %0#1 : !heddle.cache<1 x 2 x 4 x f32>
}

// -----

func.func @negative_rotary_c10(%x: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]}) {
  // expected-error @+1 {{expected a length of at most the 64 positions, found length; what sizes may be is declared in heddle.symbols of the entry point}}
  %0 = heddle.rotary %x heads(2) positions(64) base(10000.0) : tensor<?x?x8xf32>
  return
}

// -----

func.func @rotary_c10(%x: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]})
    attributes {heddle.symbols = [#heddle.symbol<"length", 1 to 64>]} {
  %0 = heddle.rotary %x heads(2) positions(64) base(10000.0) : tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_cache_append_c7(%c: !heddle.cache<1 x 2 x 4 x f32> {heddle.sizes = ["batch", 64]},
    %k: tensor<?x65x8xf32> {heddle.sizes = ["batch"]}) -> !heddle.cache<1 x 2 x 4 x f32> {
  // expected-error @+1 {{expected a cache with at least as many positions as there are tokens, found "64" and "65"}}
  %0 = heddle.cache.append %c, %k, %k layer(0) : !heddle.cache<1 x 2 x 4 x f32>, tensor<?x65x8xf32>, tensor<?x65x8xf32>
  return %0 : !heddle.cache<1 x 2 x 4 x f32>
}
