// A decoder of one layer without a name that the compiler could know.
module attributes {heddle.positions = 64 : i64} {
heddle.weight @table = dense<0.25> : tensor<8x32xf32>
heddle.weight @narrow = dense<0.125> : tensor<16x32xf32>
func.func @forward(
    %words: tensor<?x?xi32> {heddle.name = "words", heddle.sizes = ["streams", "steps"]},
    %used: tensor<?xi32> {heddle.name = "used", heddle.sizes = ["streams"]},
    %fresh: tensor<?xi32> {heddle.name = "fresh", heddle.sizes = ["streams"]},
    %memory: !heddle.cache<1 x 2 x 8 x f32> {heddle.name = "memory", heddle.sizes = ["streams", "room"]})
    -> (tensor<?x8xf32> {heddle.name = "scores", heddle.role = #heddle.role<logits>}, !heddle.cache<1 x 2 x 8 x f32> {heddle.name = "memory"})
    attributes {heddle.decoder} {
  %table = heddle.weight_ref @table : tensor<8x32xf32>
  %narrow = heddle.weight_ref @narrow : tensor<16x32xf32>
  %total = arith.addi %used, %fresh : tensor<?xi32>
  %causal = heddle.mask.causal offset(%used : tensor<?xi32>)
  %valid = heddle.mask.lengths %total : tensor<?xi32>
  %mask = heddle.mask.and %causal, %valid
  %x = heddle.embedding %words, %table : tensor<?x?xi32>, tensor<8x32xf32>
  %kv = heddle.linear %x, %narrow : tensor<?x?x32xf32>, tensor<16x32xf32>
  %filled = heddle.cache.append %memory, %kv, %kv layer(0) at(%used) lengths(%fresh)
    : !heddle.cache<1 x 2 x 8 x f32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?xi32>, tensor<?xi32>
  %k, %v = heddle.cache.read %filled layer(0) : !heddle.cache<1 x 2 x 8 x f32>
  %y = heddle.attention %x, %k, %v mask(%mask) heads(4, kv = 2) scale(0.35)
    : tensor<?x?x32xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>
  %last = heddle.last_token %y, %fresh : tensor<?x?x32xf32>, tensor<?xi32>
  %scores = heddle.linear %last, %table : tensor<?x32xf32>, tensor<8x32xf32>
  return %scores, %filled : tensor<?x8xf32>, !heddle.cache<1 x 2 x 8 x f32>
}
}
