// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes --heddle-form-kernels=remarks=true

func.func @normalisation_and_contractions(
    %x: tensor<?x64xf32> {heddle.sizes = ["rows"]}, %norm: tensor<64xf32>,
    %w: tensor<64x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  // expected-remark @+1 {{kernel 0 of @normalisation_and_contractions: prologue of contractions}}
  %n = heddle.rms_norm %x, %norm epsilon(1.0e-5) : tensor<?x64xf32>, tensor<64xf32>
  // expected-remark @+1 {{kernel 0 of @normalisation_and_contractions: root}}
  %a = heddle.linear %n, %w : tensor<?x64xf32>, tensor<64x64xf32>
  // expected-remark @+1 {{kernel 0 of @normalisation_and_contractions: reads the input of another contraction}}
  %b = heddle.linear %n, %w : tensor<?x64xf32>, tensor<64x64xf32>
  // expected-remark @+1 {{kernel 0 of @normalisation_and_contractions: epilogue}}
  %c = heddle.activation silu %a : tensor<?x64xf32>
  // expected-remark @+1 {{kernel 0 of @normalisation_and_contractions: epilogue}}
  %d = arith.mulf %c, %b : tensor<?x64xf32>
  // expected-remark @+1 {{kernel 1 of @normalisation_and_contractions: a contraction needs all channels of its input first}}
  %e = heddle.linear %d, %w : tensor<?x64xf32>, tensor<64x64xf32>
  // An epilogue joins the last of its producers.
  // expected-remark @+1 {{kernel 1 of @normalisation_and_contractions: epilogue}}
  %f = arith.addf %d, %e : tensor<?x64xf32>
  return %f, %e : tensor<?x64xf32>, tensor<?x64xf32>
}

// -----

func.func @normalisation_of_other_use(
    %x: tensor<?x64xf32> {heddle.sizes = ["rows"]}, %norm: tensor<64xf32>,
    %w: tensor<64x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  // expected-remark @+1 {{kernel 0 of @normalisation_of_other_use: its result is used by other than contractions}}
  %n = heddle.rms_norm %x, %norm epsilon(1.0e-5) : tensor<?x64xf32>, tensor<64xf32>
  // expected-remark @+1 {{kernel 1 of @normalisation_of_other_use: a contraction needs all channels of its input first}}
  %a = heddle.linear %n, %w : tensor<?x64xf32>, tensor<64x64xf32>
  return %a, %n : tensor<?x64xf32>, tensor<?x64xf32>
}

// -----

func.func @attention(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]})
    -> tensor<?x?x64xf32> {
  // expected-remark @+1 {{kernel 0 of @attention: root}}
  %a = heddle.attention %q, %q, %q heads(8, kv = 8) scale(0.35)
     : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  // expected-remark @+1 {{kernel 1 of @attention: kernels of attention and of heddle.generic take no epilogue}}
  %b = arith.addf %q, %a : tensor<?x?x64xf32>
  return %b : tensor<?x?x64xf32>
}

// -----

func.func @views(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %lengths: tensor<?xi32> {heddle.sizes = ["batch"]}, %w: tensor<64x64xf32>)
    -> tensor<?x64xf32> {
  // expected-remark @+1 {{kernel 0 of @views: no producer to join}}
  %a = heddle.activation relu %x : tensor<?x?x64xf32>
  // expected-remark @+1 {{@views: a view, cloned into each kernel that reads it}}
  %b = heddle.last_token %a, %lengths : tensor<?x?x64xf32>, tensor<?xi32>
  // expected-remark @+1 {{kernel 1 of @views: reads a view of its producer, which must be complete}}
  %c = heddle.activation relu %b : tensor<?x64xf32>
  return %c : tensor<?x64xf32>
}

// -----

// A view that leaves the function needs a kernel that writes it.
func.func @returned_view(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %lengths: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x64xf32> {
  // expected-remark @+1 {{kernel 0 of @returned_view: root}}
  %a = heddle.last_token %x, %lengths : tensor<?x?x64xf32>, tensor<?xi32>
  return %a : tensor<?x64xf32>
}

// -----

// The attention sees the cache as it was, so the keys are appended after it.
func.func @read_before_append(%x: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %c: !heddle.cache<2 x 1 x 8 x f32> {heddle.sizes = ["batch", "capacity"]})
    -> (tensor<?x?x8xf32>, !heddle.cache<2 x 1 x 8 x f32>) {
  // expected-remark @+1 {{kernel 0 of @read_before_append: no producer to join}}
  %k = heddle.activation relu %x : tensor<?x?x8xf32>
  // expected-remark @+1 {{@read_before_append: a view, cloned into each kernel that reads it}}
  %keys, %values = heddle.cache.read %c layer(1) : !heddle.cache<2 x 1 x 8 x f32>
  // expected-remark @+1 {{@read_before_append: a view, cloned into each kernel that reads it}}
  %m = heddle.mask.lengths %starts : tensor<?xi32>
  // expected-remark @+1 {{kernel 1 of @read_before_append: root}}
  %o = heddle.attention %x, %keys, %values mask(%m) heads(1, kv = 1) scale(1.0)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  // expected-remark @+1 {{kernel 0 of @read_before_append: epilogue}}
  %c1 = heddle.cache.append %c, %k, %k layer(0) at(%starts) lengths(%lengths)
      : !heddle.cache<2 x 1 x 8 x f32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?xi32>, tensor<?xi32>
  // expected-remark @+1 {{kernel 2 of @read_before_append: its producer's kernel appends to a cache already}}
  %c2 = heddle.cache.append %c1, %k, %k layer(1) at(%starts) lengths(%lengths)
      : !heddle.cache<2 x 1 x 8 x f32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?xi32>, tensor<?xi32>
  return %o, %c2 : tensor<?x?x8xf32>, !heddle.cache<2 x 1 x 8 x f32>
}

// -----

func.func @read_before_first_append(%x: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %c: !heddle.cache<2 x 1 x 8 x f32> {heddle.sizes = ["batch", "capacity"]})
    -> (tensor<?x?x8xf32>, !heddle.cache<2 x 1 x 8 x f32>) {
  // expected-remark @+1 {{kernel 0 of @read_before_first_append: no producer to join}}
  %k = heddle.activation relu %x : tensor<?x?x8xf32>
  // expected-remark @+1 {{@read_before_first_append: a view, cloned into each kernel that reads it}}
  %keys, %values = heddle.cache.read %c layer(0) : !heddle.cache<2 x 1 x 8 x f32>
  // expected-remark @+1 {{@read_before_first_append: a view, cloned into each kernel that reads it}}
  %m = heddle.mask.lengths %starts : tensor<?xi32>
  // expected-remark @+1 {{kernel 1 of @read_before_first_append: root}}
  %o = heddle.attention %x, %keys, %values mask(%m) heads(1, kv = 1) scale(1.0)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  // expected-remark @+1 {{kernel 2 of @read_before_first_append: the cache is read before it is appended to}}
  %c1 = heddle.cache.append %c, %k, %k layer(0) at(%starts) lengths(%lengths)
      : !heddle.cache<2 x 1 x 8 x f32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?xi32>, tensor<?xi32>
  return %o, %c1 : tensor<?x?x8xf32>, !heddle.cache<2 x 1 x 8 x f32>
}

// -----

// What no kernel is made of is accounted for, too.
heddle.weight @w from "w" : tensor<8x8xf32>
func.func @views_and_constants(%x: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x?x8xf32> {
  // expected-remark @+1 {{@views_and_constants: a constant, handed to the kernels that read it}}
  %w = heddle.weight_ref @w : tensor<8x8xf32>
  // expected-remark @+1 {{kernel 0 of @views_and_constants: root}}
  %q = heddle.linear %x, %w : tensor<?x?x8xf32>, tensor<8x8xf32>
  // expected-remark @+1 {{@views_and_constants: a view, cloned into each kernel that reads it}}
  %ends = arith.addi %starts, %lengths : tensor<?xi32>
  // expected-remark @+1 {{@views_and_constants: a view, cloned into each kernel that reads it}}
  %causal = heddle.mask.causal offset(%starts : tensor<?xi32>)
  // expected-remark @+1 {{@views_and_constants: a view, cloned into each kernel that reads it}}
  %valid = heddle.mask.lengths %ends : tensor<?xi32>
  // expected-remark @+1 {{@views_and_constants: a view, cloned into each kernel that reads it}}
  %mask = heddle.mask.and %causal, %valid
  // expected-remark @+1 {{kernel 1 of @views_and_constants: root}}
  %o = heddle.attention %q, %q, %q mask(%mask) heads(1, kv = 1) scale(1.0)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %o : tensor<?x?x8xf32>
}
