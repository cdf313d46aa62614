// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-form-kernels

// expected-error @+1 {{expected heddle.sizes of 2 names on argument 1}}
func.func @negative_argument_without_names(%x: tensor<4xf32>, %y: tensor<?x?xf32>) {
  return
}

// -----

// expected-error @+1 {{expected heddle.sizes of 2 names on argument 0}}
func.func @negative_too_few_names(%x: tensor<?x?xf32> {heddle.sizes = ["batch"]}) {
  return
}

// -----

// expected-error @+1 {{expected heddle.sizes of 2 names on argument 0}}
func.func @negative_cache_without_names(%c: !heddle.cache<2 x 4 x 8 x f32>) {
  return
}

// -----

func.func @negative_dimension_that_no_op_names(%x: tensor<4x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{has a dynamic dimension without a name}}
  %0 = builtin.unrealized_conversion_cast %x : tensor<4x4xf32> to tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

// expected-error @+1 {{returns a value that no kernel computes}}
func.func @negative_passes_through(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

func.func @negative_elements_of_two_sizes(%x: tensor<?x4xf32> {heddle.sizes = ["batch"]},
    %y: tensor<?x4xf32> {heddle.sizes = ["rows"]}) -> tensor<?x4xf32> {
  // expected-error @+1 {{expected operands of one size, found ["batch"] and, of operand 1, ["rows"]}}
  %0 = arith.addf %x, %y : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

func.func @negative_two_batches(%x: tensor<?x?x4xf32> {heddle.sizes = ["batch", "length"]},
    %lengths: tensor<?xi32> {heddle.sizes = ["rows"]}) -> tensor<?x4xf32> {
  // expected-error @+1 {{expected operands of one size, found ["batch"] and, of operand 1, ["rows"]}}
  %0 = heddle.last_token %x, %lengths : tensor<?x?x4xf32>, tensor<?xi32>
  return %0 : tensor<?x4xf32>
}

// -----

func.func @negative_read_of_older_cache(%x: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %c: !heddle.cache<2 x 1 x 8 x f32> {heddle.sizes = ["batch", "capacity"]}) -> (tensor<?x?x8xf32>, !heddle.cache<2 x 1 x 8 x f32>) {
  // expected-error @+1 {{uses an older value of the cache, whose memory has been appended to}}
  %keys, %values = heddle.cache.read %c layer(0) : !heddle.cache<2 x 1 x 8 x f32>
  // expected-note @+1 {{by this op}}
  %c1 = heddle.cache.append %c, %x, %x layer(0) at(%starts) lengths(%lengths)
      : !heddle.cache<2 x 1 x 8 x f32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?xi32>, tensor<?xi32>
  %o = heddle.attention %x, %keys, %values heads(1, kv = 1) scale(1.0)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %o, %c1 : tensor<?x?x8xf32>, !heddle.cache<2 x 1 x 8 x f32>
}

// -----

func.func @negative_append_to_older_cache(%x: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %c: !heddle.cache<2 x 1 x 8 x f32> {heddle.sizes = ["batch", "capacity"]}) -> (!heddle.cache<2 x 1 x 8 x f32>, !heddle.cache<2 x 1 x 8 x f32>) {
  // expected-note @+1 {{by this op}}
  %c1 = heddle.cache.append %c, %x, %x layer(0) at(%starts) lengths(%lengths)
      : !heddle.cache<2 x 1 x 8 x f32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?xi32>, tensor<?xi32>
  // expected-error @+1 {{uses an older value of the cache, whose memory has been appended to}}
  %c2 = heddle.cache.append %c, %x, %x layer(0) at(%starts) lengths(%lengths)
      : !heddle.cache<2 x 1 x 8 x f32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?xi32>, tensor<?xi32>
  return %c1, %c2 : !heddle.cache<2 x 1 x 8 x f32>, !heddle.cache<2 x 1 x 8 x f32>
}

// -----

func.func @negative_keys_and_values_of_two_layers(%x: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %c: !heddle.cache<2 x 1 x 8 x f32> {heddle.sizes = ["batch", "capacity"]}) -> tensor<?x?x8xf32> {
  // expected-note @+1 {{which is that of this op}}
  %keys, %unused0 = heddle.cache.read %c layer(0) : !heddle.cache<2 x 1 x 8 x f32>
  // expected-error @+1 {{expected the layer of the cache that its kernel works on}}
  %unused1, %values = heddle.cache.read %c layer(1) : !heddle.cache<2 x 1 x 8 x f32>
  %o = heddle.attention %x, %keys, %values heads(1, kv = 1) scale(1.0)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %o : tensor<?x?x8xf32>
}
