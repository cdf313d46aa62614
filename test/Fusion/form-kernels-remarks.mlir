// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-form-kernels=remarks=true

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
  // expected-remark @+1 {{kernel 1 of @attention: attention kernels take no epilogue}}
  %b = arith.addf %q, %a : tensor<?x?x64xf32>
  return %b : tensor<?x?x64xf32>
}

// -----

func.func @views(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %lengths: tensor<?xi32> {heddle.sizes = ["batch"]}, %w: tensor<64x64xf32>)
    -> tensor<?x64xf32> {
  // expected-remark @+1 {{kernel 0 of @views: no producer to join}}
  %a = heddle.activation relu %x : tensor<?x?x64xf32>
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
