// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes --heddle-decompose \
// RUN:   --heddle-generalize-elementwise --heddle-merge-generics --heddle-find-contractions --heddle-form-kernels=remarks=true

heddle.weight @w from "w" : tensor<64x64xf32>

func.func @contractions(%x: tensor<?x64xf32> {heddle.sizes = ["rows"]}) -> tensor<?x64xf32> {
  // expected-remark @+1 {{@contractions: a constant, handed to the kernels that read it}}
  %w = heddle.weight_ref @w : tensor<64x64xf32>
  // expected-remark @+1 {{kernel 0 of @contractions: root}}
  %a = heddle.linear %x, %w : tensor<?x64xf32>, tensor<64x64xf32>
  %c = heddle.activation silu %a : tensor<?x64xf32>
  // expected-remark @+1 {{kernel 0 of @contractions: is read together with another contraction}}
  %b = heddle.linear %x, %w : tensor<?x64xf32>, tensor<64x64xf32>
  // expected-remark @+1 {{kernel 0 of @contractions: computes rows of what it reads}}
  %d = arith.mulf %c, %b : tensor<?x64xf32>
  // expected-remark @+1 {{kernel 1 of @contractions: root}}
  %e = heddle.linear %d, %w : tensor<?x64xf32>, tensor<64x64xf32>
  // expected-remark @+1 {{kernel 1 of @contractions: computes rows of what it reads}}
  %f = arith.addf %d, %e : tensor<?x64xf32>
  return %f : tensor<?x64xf32>
}

// -----

func.func @views(%q: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %c: !heddle.cache<2 x 1 x 8 x f32> {heddle.sizes = ["batch", "capacity"]})
    -> (tensor<?x?x8xf32>, !heddle.cache<2 x 1 x 8 x f32>) {
  // expected-remark @+1 {{@views: a view, cloned into each kernel that reads it}}
  %keys, %values = heddle.cache.read %c layer(1) : !heddle.cache<2 x 1 x 8 x f32>
  // expected-remark @+1 {{@views: a view, cloned into each kernel that reads it}}
  %m = heddle.mask.lengths %starts : tensor<?xi32>
  // expected-remark @+1 {{kernel 0 of @views: root}}
  %o = heddle.attention %q, %keys, %values mask(%m) heads(1, kv = 1) scale(1.0)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  // expected-remark @+1 {{kernel 1 of @views: root}}
  %c1 = heddle.cache.append %c, %q, %q layer(0) at(%starts) lengths(%starts)
      : !heddle.cache<2 x 1 x 8 x f32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?xi32>, tensor<?xi32>
  return %o, %c1 : tensor<?x?x8xf32>, !heddle.cache<2 x 1 x 8 x f32>
}

// -----

func.func @branch(%x: tensor<4xf32>, %n: tensor<1xi32>) -> tensor<4xf32> {
  // expected-remark @+1 {{@branch: control flow, which stays between kernels}}
  %zero = arith.constant 0 : index
  // expected-remark @+1 {{@branch: control flow, which stays between kernels}}
  %i = tensor.extract %n[%zero] : tensor<1xi32>
  // expected-remark @+1 {{@branch: control flow, which stays between kernels}}
  %c = arith.trunci %i : i32 to i1
  // expected-remark @+1 {{@branch: control flow, which stays between kernels}}
  %y = scf.if %c -> tensor<4xf32> {
    // expected-remark @+1 {{kernel 0 of @branch: root}}
    %a = math.exp %x : tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
