// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes --heddle-lower-kernels

// expected-error @+1 {{expected a tensor with elements, found 'tensor<?x0xf32, #heddle.sizes<"rows">>'}}
heddle.kernel @negative_no_channels(%x: tensor<?x0xf32> {heddle.sizes = ["rows"]}) -> tensor<?x0xf32> {
  %y = arith.negf %x : tensor<?x0xf32>
  heddle.yield %y : tensor<?x0xf32>
}

// -----

// expected-error @+1 {{expected a tensor with elements, found 'tensor<0x8xf32>'}}
heddle.kernel @negative_no_outputs(%x: tensor<?x8xf32> {heddle.sizes = ["rows"]},
    %w: tensor<0x8xf32> {heddle.weight}) -> tensor<?x0xf32> {
  %y = heddle.linear %x, %w : tensor<?x8xf32>, tensor<0x8xf32>
  heddle.yield %y : tensor<?x0xf32>
}

// -----

// expected-error @+1 {{expected dimensions of at most 2147479552, found 'tensor<4294967297x8xf32>'}}
heddle.kernel @negative_more_than_32_bits(%x: tensor<4294967297x8xf32>) -> tensor<4294967297x8xf32> {
  %y = arith.negf %x : tensor<4294967297x8xf32>
  heddle.yield %y : tensor<4294967297x8xf32>
}

// -----

// expected-error @+1 {{expected f32 with a static number of channels between kernels, found 'tensor<?x8xbf16, #heddle.sizes<"rows">>'}}
heddle.kernel @negative_bf16_argument(%x: tensor<?x8xbf16> {heddle.sizes = ["rows"]}) -> tensor<?x8xf32> {
  %y = arith.extf %x : tensor<?x8xbf16> to tensor<?x8xf32>
  heddle.yield %y : tensor<?x8xf32>
}

// -----

heddle.kernel @negative_i1_result(%x: tensor<?x8xf32> {heddle.sizes = ["rows"]}) -> tensor<?x8xi1> {
  // expected-error @+1 {{expected f32 with a static number of channels between kernels, found 'tensor<?x8xi1, #heddle.sizes<"rows">>'}}
  %y = arith.cmpf ogt, %x, %x : tensor<?x8xf32>
  heddle.yield %y : tensor<?x8xi1>
}

// -----

// expected-error @+1 {{expected f32 with a static number of channels between kernels, found 'tensor<?x?xf32, #heddle.sizes<"rows", "channels">>'}}
heddle.kernel @negative_dynamic_channels(%x: tensor<?x?xf32> {heddle.sizes = ["rows", "channels"]}) -> tensor<?x?xf32> {
  %y = arith.negf %x : tensor<?x?xf32>
  heddle.yield %y : tensor<?x?xf32>
}

// -----

heddle.kernel @negative_computed_weight(%x: tensor<?x8xf32> {heddle.sizes = ["rows"]},
    %w: tensor<8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{expected a heddle.weight as operand 1}}
  %y = heddle.rms_norm %x, %w epsilon(1.0e-5) : tensor<?x8xf32>, tensor<8xf32>
  heddle.yield %y : tensor<?x8xf32>
}

// -----

heddle.kernel @negative_added_weight(%x: tensor<4x8xf32>, %w: tensor<4x8xf32> {heddle.weight}) -> tensor<4x8xf32> {
  // expected-error @+1 {{expected a value, not a weight, as operand 1}}
  %y = arith.addf %x, %w : tensor<4x8xf32>
  heddle.yield %y : tensor<4x8xf32>
}

// -----

heddle.kernel @negative_values_as_keys(
    %q: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %c: !heddle.cache<1 x 1 x 8 x f32> {heddle.sizes = ["batch", "capacity"]}) -> tensor<?x?x8xf32> {
  // expected-error @+1 {{expected its keys to be those of an attention}}
  %keys, %values = heddle.cache.read %c layer(0) : !heddle.cache<1 x 1 x 8 x f32>
  // expected-note @+1 {{used here}}
  %o = heddle.attention %q, %values, %keys heads(1, kv = 1) scale(1.0) : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  heddle.yield %o : tensor<?x?x8xf32>
}

// -----

heddle.kernel @negative_values_elsewhere(
    %q: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %c: !heddle.cache<1 x 1 x 8 x f32> {heddle.sizes = ["batch", "capacity"]}) -> tensor<?x?x8xf32> {
  // expected-error @+1 {{expected its values to be those of an attention}}
  %keys, %values = heddle.cache.read %c layer(0) : !heddle.cache<1 x 1 x 8 x f32>
  // expected-note @+1 {{used here}}
  %n = arith.negf %values : tensor<?x?x8xf32>
  %o = heddle.attention %q, %keys, %n heads(1, kv = 1) scale(1.0) : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  heddle.yield %o : tensor<?x?x8xf32>
}

// -----

heddle.kernel @negative_tanh(%x: tensor<?x8xf32> {heddle.sizes = ["rows"]}) -> (tensor<?x8xf32> {heddle.sizes = ["rows"]}) {
  // expected-error @+1 {{'math.tanh' op cannot be compiled; expected an op of heddle, or arith.addf}}
  %y = math.tanh %x : tensor<?x8xf32>
  heddle.yield %y : tensor<?x8xf32>
}

// -----

heddle.kernel @negative_integer_division(%x: tensor<?xi32> {heddle.sizes = ["rows"]}) -> (tensor<?xi32> {heddle.sizes = ["rows"]}) {
  // expected-error @+1 {{'arith.divsi' op cannot be compiled; expected an op of heddle, or arith.addf}}
  %y = arith.divsi %x, %x : tensor<?xi32>
  heddle.yield %y : tensor<?xi32>
}

// -----

heddle.kernel @negative_wide_heads(%x: tensor<2x3x8193xf32>) -> tensor<2x3x8193xf32> {
  // expected-error @+1 {{expected heads that need at most 131072 bytes of stack, 4 for each channel of a query and 12 for each of a value; found 131088}}
  %y = heddle.attention %x, %x, %x heads(1, kv = 1) scale(1.0)
    : tensor<2x3x8193xf32>, tensor<2x3x8193xf32>, tensor<2x3x8193xf32>
  heddle.yield %y : tensor<2x3x8193xf32>
}
