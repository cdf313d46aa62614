// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes --heddle-decompose \
// RUN:   --heddle-set-target=cpu=x86-64-v4 --heddle-configure-kernels --heddle-lower-kernels

// expected-error @+1 {{expected dimensions of at most 2147479552, found 'tensor<4294967297x8xf32>'}}
heddle.kernel @negative_more_than_32_bits(%x: tensor<4294967297x8xf32>) -> tensor<4294967297x8xf32> {
  %y = arith.negf %x : tensor<4294967297x8xf32>
  heddle.yield %y : tensor<4294967297x8xf32>
}

// -----

heddle.kernel @negative_wide_heads(%x: tensor<2x3x8193xf32>) -> tensor<2x3x8193xf32> {
  // expected-error @+1 {{expected heads that need at most 131072 bytes of stack, 4 for each channel of a query and 12 for each of a value; found 131088}}
  %y = heddle.attention %x, %x, %x heads(1, kv = 1) scale(1.0)
    : tensor<2x3x8193xf32>, tensor<2x3x8193xf32>, tensor<2x3x8193xf32>
  heddle.yield %y : tensor<2x3x8193xf32>
}

// -----

heddle.kernel @negative_weight_as_keys(%q: tensor<1x4x8xf32>, %w: tensor<1x4x8xf32> {heddle.weight})
    -> tensor<1x4x8xf32> {
  // expected-error @+1 {{expected a value, not a weight, as operand 1}}
  %o = heddle.attention %q, %w, %w heads(1, kv = 1) scale(1.0) : tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>
  heddle.yield %o : tensor<1x4x8xf32>
}

// -----

heddle.kernel @negative_on_tensors(%x: tensor<?x8xf32> {heddle.sizes = ["rows"]}) -> (tensor<?x8xf32> {heddle.sizes = ["rows"]}) {
  // expected-error @+1 {{'math.tanh' op cannot be compiled; expected heddle.attention, heddle.cache.append or heddle.generic}}
  %y = math.tanh %x : tensor<?x8xf32>
  heddle.yield %y : tensor<?x8xf32>
}

// -----

heddle.kernel @negative_numbered_elements(%x: tensor<40000x65536xi8>) -> tensor<10x16xi8> {
  // expected-error @+1 {{expected elements that 32 bits count, up to 2147479552, where they are numbered to find their place; found 2621439981}}
  %y = heddle.generic over [10, 16] ins(%x : tensor<40000x65536xi8>)
      maps [affine_map<(i, j) -> ((i * 262143999 + j * 17476266) floordiv 65536, 0)>] {
  ^bb0(%e: i8):
    heddle.yield %e : i8
  } : tensor<10x16xi8>
  heddle.yield %y : tensor<10x16xi8>
}

// -----

heddle.kernel @negative_scores_that_are_no_generic(%q: tensor<1x4x8xf32>) -> tensor<1x4x8xf32> {
  %o = heddle.attention %q, %q, %q heads(2, kv = 2) score {
    ^bb0(%s: tensor<1x2x4x4xf32>):
      // expected-error @+1 {{'math.tanh' op cannot make scores of attention: expected ops that compute each element of one of them, and of other tensors}}
      %y = math.tanh %s : tensor<1x2x4x4xf32>
      heddle.yield %y : tensor<1x2x4x4xf32>
    } : tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>
  heddle.yield %o : tensor<1x4x8xf32>
}

// -----

heddle.kernel @negative_scores_of_other_keys(%q: tensor<1x4x8xf32>) -> tensor<1x4x8xf32> {
  %o = heddle.attention %q, %q, %q heads(2, kv = 2) score {
    ^bb0(%s: tensor<1x2x4x4xf32>):
      // expected-error @+1 {{cannot make scores of attention: it reads those of other queries or keys}}
      %y = heddle.generic over [1, 2, 4, 4] ins(%s : tensor<1x2x4x4xf32>)
          maps [affine_map<(b, h, i, j) -> (b, h, j, i)>] {
      ^bb0(%e: f32):
        heddle.yield %e : f32
      } : tensor<1x2x4x4xf32>
      heddle.yield %y : tensor<1x2x4x4xf32>
    } : tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>
  heddle.yield %o : tensor<1x4x8xf32>
}

// -----

heddle.kernel @negative_scores_as_a_table(%q: tensor<1x4x8xf32>) -> tensor<1x4x8xf32> {
  %o = heddle.attention %q, %q, %q heads(2, kv = 2) score {
    ^bb0(%s: tensor<1x2x4x4xf32>):
      // expected-error @+1 {{cannot make scores of attention: it reads those of other queries or keys}}
      %y = heddle.generic over [1, 2, 4, 4] tables(%s : tensor<1x2x4x4xf32>) {
      ^bb0(%t: tensor<1x2x4x4xf32>):
        %i = heddle.index 2
        %e = heddle.read %t[%i, %i, %i, %i] : tensor<1x2x4x4xf32>
        heddle.yield %e : f32
      } : tensor<1x2x4x4xf32>
      heddle.yield %y : tensor<1x2x4x4xf32>
    } : tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>
  heddle.yield %o : tensor<1x4x8xf32>
}
