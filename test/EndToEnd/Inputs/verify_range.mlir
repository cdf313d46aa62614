// Numbers that overflow beside others that do not, roundings of one sign, and zeros of both.

// inf where a product is too large, and what is computed of it: 0 * inf, inf - inf.
func.func @overflow(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %c = arith.constant dense<1.0e38> : tensor<64xf32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %e = math.exp %x : tensor<64xf32>
  %p = arith.mulf %e, %c : tensor<64xf32>
  %n = arith.mulf %p, %zero : tensor<64xf32>
  %d = arith.subf %p, %p : tensor<64xf32>
  return %p, %n, %d : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
func.func @overflow_of_halves(%x: tensor<64xf16>) -> tensor<64xf16> {
  %c = arith.constant dense<6.0e4> : tensor<64xf16>
  %y = arith.mulf %x, %c : tensor<64xf16>
  return %y : tensor<64xf16>
}
// Sums whose terms have both signs overflow on the way, or not.
func.func @overflow_of_sums(%x: tensor<4x64xf32>, %w: tensor<8x64xf32>) -> (tensor<4xf32>, tensor<4x8xf32>) {
  %rows = arith.constant dense<[[1.0], [1.0e38], [2.0], [1.0e38]]> : tensor<4x1xf32>
  %c = heddle.broadcast %rows to [4, 64] : tensor<4x1xf32> -> tensor<4x64xf32>
  %y = arith.mulf %x, %c : tensor<4x64xf32>
  %s = heddle.reduce sum %y axes [1] : tensor<4x64xf32> -> tensor<4xf32>
  %l = heddle.linear %y, %w : tensor<4x64xf32>, tensor<8x64xf32>
  return %s, %l : tensor<4xf32>, tensor<4x8xf32>
}
// Squares overflow, numbers do not.
func.func @overflow_of_squares(%x: tensor<4x64xf32>, %w: tensor<64xf32>) -> (tensor<4x64xf32>, tensor<4x64xf32>, tensor<4xf32>) {
  %rows = arith.constant dense<[[1.0], [1.0e20], [2.0], [1.0e20]]> : tensor<4x1xf32>
  %c = heddle.broadcast %rows to [4, 64] : tensor<4x1xf32> -> tensor<4x64xf32>
  %y = arith.mulf %x, %c : tensor<4x64xf32>
  %r = heddle.rms_norm %y, %w epsilon(1.0e-5) : tensor<4x64xf32>, tensor<64xf32>
  %l = heddle.layer_norm %y, %w epsilon(1.0e-5) : tensor<4x64xf32>, tensor<64xf32>
  %n = heddle.reduce l2 %y axes [1] : tensor<4x64xf32> -> tensor<4xf32>
  return %r, %l, %n : tensor<4x64xf32>, tensor<4x64xf32>, tensor<4xf32>
}
func.func @overflow_of_scores(%q: tensor<2x8x64xf32>, %v: tensor<2x8x64xf32>) -> tensor<2x8x64xf32> {
  %sequences = arith.constant dense<[[[1.0]], [[1.0e19]]]> : tensor<2x1x1xf32>
  %c = heddle.broadcast %sequences to [2, 8, 64] : tensor<2x1x1xf32> -> tensor<2x8x64xf32>
  %k = arith.mulf %q, %c : tensor<2x8x64xf32>
  %o = heddle.attention %k, %k, %v heads(4, kv = 4) : tensor<2x8x64xf32>, tensor<2x8x64xf32>, tensor<2x8x64xf32>
  return %o : tensor<2x8x64xf32>
}

// 496 sums, in each of which the same bits are lost.
func.func @sums_of_loops(%x: tensor<?x8xf32> {heddle.sizes = ["n"]}) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %n = arith.mulf %x, %x : tensor<?x8xf32>
  %r = scf.for %i = %c0 to %c32 step %c1 iter_args(%a = %x) -> (tensor<?x8xf32>) {
    %s = scf.for %j = %c0 to %i step %c1 iter_args(%b = %a) -> (tensor<?x8xf32>) {
      %t = arith.addf %b, %n : tensor<?x8xf32>
      scf.yield %t : tensor<?x8xf32>
    }
    scf.yield %s : tensor<?x8xf32>
  }
  return %r : tensor<?x8xf32>
}

// One key takes all weight: its value is the product of an i8 and its scale, rounded.
func.func @one_key(%q: tensor<?x?x64xf32> {heddle.name = "q", heddle.sizes = ["batch", "length"]},
                   %k: tensor<?x?x32xf32> {heddle.name = "k", heddle.sizes = ["batch", "length"]},
                   %v: tensor<?x?x32xf32> {heddle.name = "v", heddle.sizes = ["batch", "length"]},
                   %s: tensor<?xi32> {heddle.name = "starts", heddle.sizes = ["batch"]},
                   %n: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]},
                   %c: !heddle.cache<1 x 4 x 8 x i8> {heddle.name = "cache", heddle.sizes = ["batch", "capacity"]})
    -> (tensor<?x?x64xf32> {heddle.name = "y"}, !heddle.cache<1 x 4 x 8 x i8>)
    attributes {heddle.symbols = [#heddle.symbol<"length", 1 to 17>]} {
  %c1 = heddle.cache.append %c, %k, %v layer(0) at(%s) lengths(%n)
    : !heddle.cache<1 x 4 x 8 x i8>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  %ck, %cv = heddle.cache.read %c1 layer(0) : !heddle.cache<1 x 4 x 8 x i8>
  %causal = heddle.mask.causal offset(%s : tensor<?xi32>)
  %y = heddle.attention %q, %ck, %cv mask(%causal) heads(8, kv = 4) scale(65504.0)
    : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %y, %c1 : tensor<?x?x64xf32>, !heddle.cache<1 x 4 x 8 x i8>
}

// Fills of masks do not make infinities that a model means uncertain.
func.func @filled(%x: tensor<?x16xf32> {heddle.sizes = ["rows"]}) -> (tensor<?x16xf32>, tensor<?x16xf32>) {
  %dropped, %lost = heddle.generic over ["rows", 16] ins(%x : tensor<?x16xf32>) maps [affine_map<(i, j) -> (i, j)>] {
  ^bb0(%e: f32):
    %o = arith.constant 0.0 : f32
    %l = arith.constant -3.40282347e+38 : f32
    %n = arith.constant 0x7F800000 : f32
    %c = arith.cmpf olt, %e, %o : f32
    %a = arith.select %c, %l, %e : f32
    %b = arith.select %c, %n, %e : f32
    heddle.yield %a, %b : f32, f32
  } : tensor<?x16xf32>, tensor<?x16xf32>
  return %dropped, %lost : tensor<?x16xf32>, tensor<?x16xf32>
}

// f64 overflows later than f32, and its small numbers have digits.
heddle.weight @far = dense<1.0e45> : tensor<8x16xf64>
heddle.weight @ones = dense<1.0> : tensor<16xf64>
func.func @far_doubles(%x: tensor<4x16xf64>) -> (tensor<4x8xf64>, tensor<4x16xf64>, tensor<4x16xf64>) {
  %far = heddle.weight_ref @far : tensor<8x16xf64>
  %ones = heddle.weight_ref @ones : tensor<16xf64>
  %large = arith.constant dense<1.0e25> : tensor<4x16xf64>
  %small = arith.constant dense<1.0e-25> : tensor<4x16xf64>
  %0 = arith.mulf %x, %large : tensor<4x16xf64>
  %1 = arith.mulf %x, %small : tensor<4x16xf64>
  %y = heddle.linear %x, %far : tensor<4x16xf64>, tensor<8x16xf64>
  %z = heddle.rms_norm %0, %ones epsilon(0.0) : tensor<4x16xf64>, tensor<16xf64>
  %w = heddle.rms_norm %1, %ones epsilon(0.0) : tensor<4x16xf64>, tensor<16xf64>
  return %y, %z, %w : tensor<4x8xf64>, tensor<4x16xf64>, tensor<4x16xf64>
}
