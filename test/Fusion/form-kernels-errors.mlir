// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes --heddle-form-kernels

// expected-error @+1 {{returns a value that no kernel computes}}
func.func @negative_view(%c: !heddle.cache<2 x 1 x 8 x f32> {heddle.sizes = ["batch", "capacity"]})
    -> tensor<?x?x8xf32> {
  %keys, %values = heddle.cache.read %c layer(0) : !heddle.cache<2 x 1 x 8 x f32>
  return %keys : tensor<?x?x8xf32>
}

// -----

func.func @negative_keys_and_values_of_two_layers(%x: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %c: !heddle.cache<2 x 1 x 8 x f32> {heddle.sizes = ["batch", "capacity"]}) -> tensor<?x?x8xf32> {
  // expected-note @+1 {{another is used here}}
  %keys, %unused0 = heddle.cache.read %c layer(0) : !heddle.cache<2 x 1 x 8 x f32>
  // expected-error @+1 {{expected one layer of one cache for all of a kernel, and for the keys and the values of an attention}}
  %unused1, %values = heddle.cache.read %c layer(1) : !heddle.cache<2 x 1 x 8 x f32>
  %o = heddle.attention %x, %keys, %values heads(1, kv = 1) scale(1.0)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %o : tensor<?x?x8xf32>
}
