func.func @step(%x: tensor<?x?x64xf32> {heddle.name="x", heddle.sizes=["batch","length"]}, %starts: tensor<?xi32> {heddle.name="starts", heddle.sizes=["batch"]}, %lengths: tensor<?xi32> {heddle.name="lengths", heddle.sizes=["batch"]}, %mlen: tensor<?xi32> {heddle.name="memory_lengths", heddle.sizes=["batch"]}, %c: !heddle.cache<1 x 4 x 16 x f32> {heddle.name="self_cache", heddle.sizes=["batch","capacity"]}, %cc: !heddle.cache<2 x 2 x 32 x f32> {heddle.name="cross_cache", heddle.sizes=["batch","memory"]}) -> (tensor<?x?x64xf32>, !heddle.cache<1 x 4 x 16 x f32>) {
  %r = heddle.rotary %x at(%starts : tensor<?xi32>) heads(4) positions(64) base(10000.0) : tensor<?x?x64xf32>
  %c1 = heddle.cache.append %c, %r, %x layer(0) at(%starts) lengths(%lengths) : !heddle.cache<1 x 4 x 16 x f32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?xi32>, tensor<?xi32>
  %keys, %values = heddle.cache.read %c1 layer(0) : !heddle.cache<1 x 4 x 16 x f32>
  %causal = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %s = heddle.attention %r, %keys, %values mask(%causal) heads(4, kv = 4) scale(0.25) : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  %ck, %cv = heddle.cache.read %cc layer(0) : !heddle.cache<2 x 2 x 32 x f32>
  %ml = heddle.mask.lengths %mlen : tensor<?xi32>
  %o = heddle.attention %s, %ck, %cv mask(%ml) heads(2, kv = 2) scale(0.25) : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return %o, %c1 : tensor<?x?x64xf32>, !heddle.cache<1 x 4 x 16 x f32>
}
