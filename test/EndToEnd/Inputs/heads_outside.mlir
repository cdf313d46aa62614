// Attention of [batch, heads, length, channels]: as other frameworks hand it over, with
// heads that share keys and with values of another width, and of one token.
func.func @plain(%q: tensor<?x4x?x16xf32> {heddle.sizes = ["batch", "length"]},
                 %k: tensor<?x4x?x16xf32> {heddle.sizes = ["batch", "keys"]},
                 %v: tensor<?x4x?x16xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x4x?x16xf32> {
  %o = heddle.attention %q, %k, %v heads(4, kv = 4) scale(0.25)
     : tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>
  return %o : tensor<?x4x?x16xf32>
}
func.func @masked(%q: tensor<?x6x?x20xf32> {heddle.sizes = ["batch", "length"]},
                  %k: tensor<?x2x?x20xf32> {heddle.sizes = ["batch", "length"]},
                  %v: tensor<?x2x?x13xf32> {heddle.sizes = ["batch", "length"]},
                  %lengths: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x6x?x13xf32> {
  %causal = heddle.mask.causal align(top_left)
  %there = heddle.mask.lengths %lengths : tensor<?xi32>
  %m = heddle.mask.and %causal, %there
  %o = heddle.attention %q, %k, %v mask(%m) heads(6, kv = 2) scale(0.3)
     : tensor<?x6x?x20xf32>, tensor<?x2x?x20xf32>, tensor<?x2x?x13xf32>
  return %o : tensor<?x6x?x13xf32>
}
func.func @one(%q: tensor<?x8x1x64xf32> {heddle.sizes = ["batch"]},
               %k: tensor<?x2x?x64xf32> {heddle.sizes = ["batch", "keys"]},
               %v: tensor<?x2x?x64xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x8x1x64xf32> {
  %o = heddle.attention %q, %k, %v heads(8, kv = 2) scale(0.125)
     : tensor<?x8x1x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x64xf32>
  return %o : tensor<?x8x1x64xf32>
}
// The same as with heads inside: what is returned is 0 throughout.
func.func @difference(%q: tensor<?x6x?x20xf32> {heddle.sizes = ["batch", "length"]},
                      %k: tensor<?x2x?x20xf32> {heddle.sizes = ["batch", "length"]},
                      %v: tensor<?x2x?x13xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x6x?x13xf32> {
  %m = heddle.mask.causal align(top_left)
  %outside = heddle.attention %q, %k, %v mask(%m) heads(6, kv = 2) scale(0.3)
     : tensor<?x6x?x20xf32>, tensor<?x2x?x20xf32>, tensor<?x2x?x13xf32>
  %qt = heddle.transpose %q permutation [0, 2, 1, 3] : tensor<?x6x?x20xf32> -> tensor<?x?x6x20xf32>
  %kt = heddle.transpose %k permutation [0, 2, 1, 3] : tensor<?x2x?x20xf32> -> tensor<?x?x2x20xf32>
  %vt = heddle.transpose %v permutation [0, 2, 1, 3] : tensor<?x2x?x13xf32> -> tensor<?x?x2x13xf32>
  %q3 = heddle.reshape %qt to ["batch", "length", 120] : tensor<?x?x6x20xf32> -> tensor<?x?x120xf32>
  %k3 = heddle.reshape %kt to ["batch", "length", 40] : tensor<?x?x2x20xf32> -> tensor<?x?x40xf32>
  %v3 = heddle.reshape %vt to ["batch", "length", 26] : tensor<?x?x2x13xf32> -> tensor<?x?x26xf32>
  %inside = heddle.attention %q3, %k3, %v3 mask(%m) heads(6, kv = 2) scale(0.3)
     : tensor<?x?x120xf32>, tensor<?x?x40xf32>, tensor<?x?x26xf32>
  %split = heddle.reshape %inside to ["batch", "length", 6, 13] : tensor<?x?x78xf32> -> tensor<?x?x6x13xf32>
  %back = heddle.transpose %split permutation [0, 2, 1, 3] : tensor<?x?x6x13xf32> -> tensor<?x6x?x13xf32>
  %d = arith.subf %outside, %back : tensor<?x6x?x13xf32>
  return %d : tensor<?x6x?x13xf32>
}
