// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-decompose --heddle-generalize-elementwise \
// RUN:   --heddle-merge-generics --heddle-find-attention=remarks -verify-diagnostics -o /dev/null

func.func @found(%q: tensor<3x17x16xf32>, %k: tensor<3x40x16xf32>) -> tensor<3x17x16xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<3x17x16xf32>, tensor<3x40x16xf32> -> tensor<3x17x40xf32>
  %w = heddle.softmax %s axis(2) : tensor<3x17x40xf32>
  // expected-remark @+1 {{attention, found as its parts}}
  %o = heddle.matmul %w, %k : tensor<3x17x40xf32>, tensor<3x40x16xf32> -> tensor<3x17x16xf32>
  return %o : tensor<3x17x16xf32>
}

func.func @scores_from_elsewhere(%s: tensor<3x17x40xf32>, %k: tensor<3x40x16xf32>) -> tensor<3x17x16xf32> {
  %w = heddle.softmax %s axis(2) : tensor<3x17x40xf32>
  // expected-remark @+1 {{a softmax whose weights are summed up here is no attention: its scores come from elsewhere}}
  %o = heddle.matmul %w, %k : tensor<3x17x40xf32>, tensor<3x40x16xf32> -> tensor<3x17x16xf32>
  return %o : tensor<3x17x16xf32>
}

func.func @scores_are_read(%q: tensor<3x17x16xf32>, %k: tensor<3x40x16xf32>) -> (tensor<3x17x16xf32>, tensor<3x17x40xf32>) {
  %s = heddle.matmul %q, %k transpose_b : tensor<3x17x16xf32>, tensor<3x40x16xf32> -> tensor<3x17x40xf32>
  %w = heddle.softmax %s axis(2) : tensor<3x17x40xf32>
  // expected-remark @+1 {{a softmax whose weights are summed up here is no attention: something else reads its scores}}
  %o = heddle.matmul %w, %k : tensor<3x17x40xf32>, tensor<3x40x16xf32> -> tensor<3x17x16xf32>
  return %o, %s : tensor<3x17x16xf32>, tensor<3x17x40xf32>
}

// A softmax over the queries.
func.func @other_axis(%q: tensor<3x17x16xf32>, %k: tensor<3x40x16xf32>) -> tensor<3x17x16xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<3x17x16xf32>, tensor<3x40x16xf32> -> tensor<3x17x40xf32>
  %w = heddle.softmax %s axis(1) : tensor<3x17x40xf32>
  // expected-remark @+1 {{a softmax whose weights are summed up here is no attention: its values are not those of its keys}}
  %o = heddle.matmul %w, %k : tensor<3x17x40xf32>, tensor<3x40x16xf32> -> tensor<3x17x16xf32>
  return %o : tensor<3x17x16xf32>
}

func.func @no_products(%x: tensor<3x17x40xf32>, %v: tensor<3x40x16xf32>) -> tensor<3x17x16xf32> {
  %s = math.tanh %x : tensor<3x17x40xf32>
  %w = heddle.softmax %s axis(2) : tensor<3x17x40xf32>
  // expected-remark @+1 {{a softmax whose weights are summed up here is no attention: its scores are no sums of products}}
  %o = heddle.matmul %w, %v : tensor<3x17x40xf32>, tensor<3x40x16xf32> -> tensor<3x17x16xf32>
  return %o : tensor<3x17x16xf32>
}

// Each key has another query.
func.func @keys_of_both(%q: tensor<17x40x16xf32>, %k: tensor<40x16xf32>) -> tensor<17x16xf32> {
  %s = heddle.generic over [17, 40] reduce [16] initial [0.0 : f32] ins(%q, %k : tensor<17x40x16xf32>, tensor<40x16xf32>)
      maps [affine_map<(q, k, c) -> (q, k, c)>, affine_map<(q, k, c) -> (k, c)>] {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    heddle.yield %1 : f32
  } : tensor<17x40xf32>
  %w = heddle.softmax %s axis(1) : tensor<17x40xf32>
  // expected-remark @+1 {{a softmax whose weights are summed up here is no attention: its keys are not those of one factor}}
  %o = heddle.matmul %w, %k : tensor<17x40xf32>, tensor<40x16xf32> -> tensor<17x16xf32>
  return %o : tensor<17x16xf32>
}

// A sequence has one query, which no dimension counts.
func.func @no_queries(%q: tensor<3x16xf32>, %k: tensor<3x40x16xf32>) -> tensor<3x16xf32> {
  %s = heddle.generic over [3, 40] reduce [16] initial [0.0 : f32] ins(%q, %k : tensor<3x16xf32>, tensor<3x40x16xf32>)
      maps [affine_map<(b, k, c) -> (b, c)>, affine_map<(b, k, c) -> (b, k, c)>] {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    heddle.yield %1 : f32
  } : tensor<3x40xf32>
  %w = heddle.softmax %s axis(1) : tensor<3x40xf32>
  // expected-remark @+1 {{a softmax whose weights are summed up here is no attention: its queries do not have one dimension}}
  %o = heddle.generic over [3, 16] reduce [40] initial [0.0 : f32] ins(%w, %k : tensor<3x40xf32>, tensor<3x40x16xf32>)
      maps [affine_map<(b, c, k) -> (b, k)>, affine_map<(b, c, k) -> (b, k, c)>] {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    heddle.yield %1 : f32
  } : tensor<3x16xf32>
  return %o : tensor<3x16xf32>
}

// The tokens of all sequences share keys.
func.func @keys_without_sequences(%q: tensor<3x17x16xf32>, %k: tensor<40x16xf32>) -> tensor<3x17x16xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<3x17x16xf32>, tensor<40x16xf32> -> tensor<3x17x40xf32>
  %w = heddle.softmax %s axis(2) : tensor<3x17x40xf32>
  // expected-remark @+1 {{a softmax whose weights are summed up here is no attention: it has more dimensions of queries than heads explain}}
  %o = heddle.matmul %w, %k : tensor<3x17x40xf32>, tensor<40x16xf32> -> tensor<3x17x16xf32>
  return %o : tensor<3x17x16xf32>
}

func.func @open_heads(%q: tensor<3x17x?xf32> {heddle.sizes = ["d"]}, %k: tensor<3x40x?xf32> {heddle.sizes = ["d"]}, %v: tensor<3x40x16xf32>) -> tensor<3x17x16xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<3x17x?xf32>, tensor<3x40x?xf32> -> tensor<3x17x40xf32>
  %w = heddle.softmax %s axis(2) : tensor<3x17x40xf32>
  // expected-remark @+1 {{a softmax whose weights are summed up here is no attention: its heads have a size that is not known}}
  %o = heddle.matmul %w, %v : tensor<3x17x40xf32>, tensor<3x40x16xf32> -> tensor<3x17x16xf32>
  return %o : tensor<3x17x16xf32>
}

// A key has a matrix of values.
func.func @matrices_of_values(%q: tensor<3x17x16xf32>, %k: tensor<3x40x16xf32>, %v: tensor<3x40x4x5xf32>) -> tensor<3x17x4x5xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<3x17x16xf32>, tensor<3x40x16xf32> -> tensor<3x17x40xf32>
  %w = heddle.softmax %s axis(2) : tensor<3x17x40xf32>
  // expected-remark @+1 {{a softmax whose weights are summed up here is no attention: its weights are not multiplied with one value each}}
  %o = heddle.generic over [3, 17, 4, 5] reduce [40] initial [0.0 : f32] ins(%w, %v : tensor<3x17x40xf32>, tensor<3x40x4x5xf32>)
      maps [affine_map<(b, q, i, j, k) -> (b, q, k)>, affine_map<(b, q, i, j, k) -> (b, k, i, j)>] {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    heddle.yield %1 : f32
  } : tensor<3x17x4x5xf32>
  return %o : tensor<3x17x4x5xf32>
}

// What each sum begins as is added to it.
func.func @sums_begin_elsewhere(%q: tensor<3x17x16xf32>, %k: tensor<3x40x16xf32>) -> tensor<3x17x16xf32> {
  %s = heddle.generic over [3, 17, 40] reduce [16] initial [1.0 : f32] ins(%q, %k : tensor<3x17x16xf32>, tensor<3x40x16xf32>)
      maps [affine_map<(b, q, k, c) -> (b, q, c)>, affine_map<(b, q, k, c) -> (b, k, c)>] {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %sum, %0 : f32
    heddle.yield %1 : f32
  } : tensor<3x17x40xf32>
  %w = heddle.softmax %s axis(2) : tensor<3x17x40xf32>
  // expected-remark @+1 {{a softmax whose weights are summed up here is no attention: its scores are no sums of products}}
  %o = heddle.matmul %w, %k : tensor<3x17x40xf32>, tensor<3x40x16xf32> -> tensor<3x17x16xf32>
  return %o : tensor<3x17x16xf32>
}

func.func @values_are_weights(%q: tensor<3x40x16xf32>, %k: tensor<3x40x16xf32>) -> tensor<3x40x40xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<3x40x16xf32>, tensor<3x40x16xf32> -> tensor<3x40x40xf32>
  %w = heddle.softmax %s axis(2) : tensor<3x40x40xf32>
  // expected-remark @+1 {{a softmax whose weights are summed up here is no attention: its values are its weights}}
  %o = heddle.matmul %w, %w : tensor<3x40x40xf32>, tensor<3x40x40xf32> -> tensor<3x40x40xf32>
  return %o : tensor<3x40x40xf32>
}

func.func @values_of_weights(%q: tensor<3x40x16xf32>, %k: tensor<3x40x16xf32>) -> tensor<3x40x40xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<3x40x16xf32>, tensor<3x40x16xf32> -> tensor<3x40x40xf32>
  %w = heddle.softmax %s axis(2) : tensor<3x40x40xf32>
  %v = math.tanh %w : tensor<3x40x40xf32>
  // expected-remark @+1 {{attention whose weights are read before its values can be made}}
  %o = heddle.matmul %w, %v : tensor<3x40x40xf32>, tensor<3x40x40xf32> -> tensor<3x40x40xf32>
  return %o : tensor<3x40x40xf32>
}

func.func @rounded(%q: tensor<2x32x16xbf16>, %k: tensor<2x32x16xbf16>) -> tensor<2x32x16xbf16> {
  %s = heddle.matmul %q, %k transpose_b : tensor<2x32x16xbf16>, tensor<2x32x16xbf16> -> tensor<2x32x32xbf16>
  %w = heddle.softmax %s axis(2) : tensor<2x32x32xbf16>
  // expected-remark @+1 {{a softmax whose weights are summed up here is no attention: it rounds to bf16 in between, where heddle.attention computes in f32}}
  %o = heddle.matmul %w, %k : tensor<2x32x32xbf16>, tensor<2x32x16xbf16> -> tensor<2x32x16xbf16>
  return %o : tensor<2x32x16xbf16>
}

func.func @dropped_weights(%q: tensor<3x32x16xf32>, %k: tensor<3x40x16xf32>, %seed: tensor<2xi32>) -> tensor<3x32x16xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<3x32x16xf32>, tensor<3x40x16xf32> -> tensor<3x32x40xf32>
  %w = heddle.softmax %s axis(2) : tensor<3x32x40xf32>
  %d = heddle.dropout %w rate(0.5) seed(%seed : tensor<2xi32>) : tensor<3x32x40xf32>
  // expected-remark @+1 {{a softmax whose weights are summed up here is no attention: its weights are changed before they are multiplied}}
  %o = heddle.matmul %d, %k : tensor<3x32x40xf32>, tensor<3x40x16xf32> -> tensor<3x32x16xf32>
  return %o : tensor<3x32x16xf32>
}

// A softmax, of which something else is summed up.
func.func @difference(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>) -> tensor<2x3x17x16xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %w = heddle.softmax %s axis(3) : tensor<2x3x17x40xf32>
  // expected-remark @+1 {{a softmax whose weights are summed up here is no attention: its sum is not one of products of weights and values}}
  %o = heddle.generic over [2, 3, 17, 16] reduce [40] initial [0.0 : f32] ins(%w, %v : tensor<2x3x17x40xf32>, tensor<2x3x40x16xf32>)
      maps [affine_map<(b, h, q, d, k) -> (b, h, q, k)>, affine_map<(b, h, q, d, k) -> (b, h, k, d)>] {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %1 = arith.subf %x, %y : f32
    %2 = arith.addf %acc, %1 : f32
    heddle.yield %2 : f32
  } : tensor<2x3x17x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

func.func @old_keys(%q: tensor<?x1x16xf32> {heddle.sizes = ["batch"]}, %x: tensor<?x1x16xf32> {heddle.sizes = ["batch"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}, %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %c: !heddle.cache<1 x 1 x 16 x f32> {heddle.sizes = ["batch", "capacity"]}) -> (tensor<?x1x16xf32>, !heddle.cache<1 x 1 x 16 x f32>) {
  %k, %v = heddle.cache.read %c layer(0) : !heddle.cache<1 x 1 x 16 x f32>
  %s = heddle.matmul %q, %k transpose_b : tensor<?x1x16xf32>, tensor<?x?x16xf32> -> tensor<?x1x?xf32>
  %v0 = arith.negf %v : tensor<?x?x16xf32>
  %c1 = heddle.cache.append %c, %x, %x layer(0) at(%starts) lengths(%lengths) : !heddle.cache<1 x 1 x 16 x f32>, tensor<?x1x16xf32>, tensor<?x1x16xf32>, tensor<?xi32>, tensor<?xi32>
  %w = heddle.softmax %s axis(2) : tensor<?x1x?xf32>
  // expected-remark @+1 {{attention that would read a cache after an append}}
  %o = heddle.matmul %w, %v0 : tensor<?x1x?xf32>, tensor<?x?x16xf32> -> tensor<?x1x16xf32>
  return %o, %c1 : tensor<?x1x16xf32>, !heddle.cache<1 x 1 x 16 x f32>
}
