// An encoder, which leaves keys and values in a cache of its own shape, and a decoder with
// a cache for its own tokens, which attends to both.
heddle.weight @source = dense<0.01> : tensor<96x96xf32>
heddle.weight @keys = dense<0.02> : tensor<32x96xf32>
heddle.weight @table = dense<0.25> : tensor<40x64xf32>
heddle.weight @queries = dense<0.03> : tensor<64x64xf32>

func.func @encode(%x: tensor<?x?x96xf32> {heddle.name = "x", heddle.sizes = ["batch", "source"]},
    %starts: tensor<?xi32> {heddle.name = "starts", heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]},
    %cross: !heddle.cache<2 x 2 x 16 x f32> {heddle.name = "cross", heddle.sizes = ["batch", "memory"]})
    -> !heddle.cache<2 x 2 x 16 x f32> {
  %w = heddle.weight_ref @source : tensor<96x96xf32>
  %k = heddle.weight_ref @keys : tensor<32x96xf32>
  %y = heddle.linear %x, %w : tensor<?x?x96xf32>, tensor<96x96xf32>
  %key = heddle.linear %y, %k : tensor<?x?x96xf32>, tensor<32x96xf32>
  %value = heddle.linear %x, %k : tensor<?x?x96xf32>, tensor<32x96xf32>
  %c0 = heddle.cache.append %cross, %key, %value layer(0) at(%starts) lengths(%lengths)
    : !heddle.cache<2 x 2 x 16 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  %c1 = heddle.cache.append %c0, %value, %key layer(1) at(%starts) lengths(%lengths)
    : !heddle.cache<2 x 2 x 16 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  return %c1 : !heddle.cache<2 x 2 x 16 x f32>
}

func.func @forward(%ids: tensor<?x?xi32> {heddle.name = "ids", heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.name = "starts", heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]},
    %count: tensor<?xi32> {heddle.name = "memory_lengths", heddle.sizes = ["batch"],
                           heddle.values = #heddle.values<1 to "min(memory, 5)">},
    %cache: !heddle.cache<1 x 4 x 16 x f32> {heddle.name = "cache", heddle.sizes = ["batch", "capacity"]},
    %cross: !heddle.cache<2 x 2 x 16 x f32> {heddle.name = "cross", heddle.sizes = ["batch", "memory"]})
    -> (tensor<?x40xf32>, !heddle.cache<1 x 4 x 16 x f32>) attributes {heddle.decoder = "length"} {
  %table = heddle.weight_ref @table : tensor<40x64xf32>
  %w = heddle.weight_ref @queries : tensor<64x64xf32>
  %x = heddle.embedding %ids, %table : tensor<?x?xi32>, tensor<40x64xf32>
  %q = heddle.rotary %x at(%starts : tensor<?xi32>) heads(4) positions(48) base(10000.0) : tensor<?x?x64xf32>
  %c = heddle.cache.append %cache, %q, %x layer(0) at(%starts) lengths(%lengths)
    : !heddle.cache<1 x 4 x 16 x f32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?xi32>, tensor<?xi32>
  %keys, %values = heddle.cache.read %c layer(0) : !heddle.cache<1 x 4 x 16 x f32>
  %causal = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %s = heddle.attention %q, %keys, %values mask(%causal) heads(4, kv = 4) scale(0.25)
    : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  %p = heddle.linear %s, %w : tensor<?x?x64xf32>, tensor<64x64xf32>
  %ck, %cv = heddle.cache.read %cross layer(1) : !heddle.cache<2 x 2 x 16 x f32>
  %valid = heddle.mask.lengths %count : tensor<?xi32>
  %o = heddle.attention %p, %ck, %cv mask(%valid) heads(4, kv = 2) scale(0.25)
    : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  %last = heddle.last_token %o, %lengths : tensor<?x?x64xf32>, tensor<?xi32>
  %logits = heddle.linear %last, %table : tensor<?x64xf32>, tensor<40x64xf32>
  return %logits, %c : tensor<?x40xf32>, !heddle.cache<1 x 4 x 16 x f32>
}
