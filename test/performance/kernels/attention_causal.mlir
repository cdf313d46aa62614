// Causal attention of 12 heads of 64 over a cache, masked as in an imported decoder;
// `prefill` fills the cache, `decode` adds one key and reads all.
heddle.weight @table = dense<0.01> : tensor<64x768xf32>
func.func @forward(
    %ids: tensor<?x?xi32> {heddle.sizes = ["batch", "length"], heddle.name = "ids"},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"], heddle.name = "starts"},
    %lengths: tensor<?xi32> {heddle.sizes = ["batch"], heddle.name = "lengths"},
    %empty: !heddle.cache<1 x 12 x 64 x f32> {heddle.sizes = ["batch", "capacity"], heddle.name = "cache"})
    -> (tensor<?x?x768xf32> {heddle.name = "y"}, !heddle.cache<1 x 12 x 64 x f32>) attributes {heddle.decoder} {
  %table = heddle.weight_ref @table : tensor<64x768xf32>
  %x = heddle.embedding %ids, %table : tensor<?x?xi32>, tensor<64x768xf32>
  %cache = heddle.cache.append %empty, %x, %x layer(0) at(%starts) lengths(%lengths)
    : !heddle.cache<1 x 12 x 64 x f32>, tensor<?x?x768xf32>, tensor<?x?x768xf32>, tensor<?xi32>, tensor<?xi32>
  %k, %v = heddle.cache.read %cache layer(0) : !heddle.cache<1 x 12 x 64 x f32>
  %causal = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %keys = arith.addi %starts, %lengths : tensor<?xi32>
  %valid = heddle.mask.lengths %keys : tensor<?xi32>
  %mask = heddle.mask.and %causal, %valid
  %y = heddle.attention %x, %k, %v mask(%mask) heads(12, kv = 12) scale(0.125)
    : tensor<?x?x768xf32>, tensor<?x?x768xf32>, tensor<?x?x768xf32>
  return %y, %cache : tensor<?x?x768xf32>, !heddle.cache<1 x 12 x 64 x f32>
}
