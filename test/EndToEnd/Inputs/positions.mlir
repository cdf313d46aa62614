// Positions in a table of angles, with and without a cache. The table has the 256
// positions of heddle.rotary, whatever the caches of other models have.
func.func @alone(
    %x: tensor<?x?x16xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
    %at: tensor<?xi32> {heddle.name = "at", heddle.sizes = ["batch"]})
    -> (tensor<?x?x16xf32> {heddle.name = "result"}) {
  %y = heddle.rotary %x at(%at : tensor<?xi32>) heads(1) positions(256) base(10000.0)
    : tensor<?x?x16xf32>
  return %y : tensor<?x?x16xf32>
}
func.func @cached(
    %x: tensor<?x?x16xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.name = "starts", heddle.sizes = ["batch"]},
    %counts: tensor<?xi32> {heddle.name = "counts", heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]},
    %cache: !heddle.cache<1 x 1 x 16 x f32> {heddle.name = "cache", heddle.sizes = ["batch", "capacity"]})
    -> (tensor<?x?x16xf32> {heddle.name = "result"}, tensor<?x16xf32> {heddle.name = "last"}, !heddle.cache<1 x 1 x 16 x f32>) {
  %y = heddle.rotary %x at(%starts : tensor<?xi32>) heads(1) positions(256) base(10000.0)
    : tensor<?x?x16xf32>
  %filled = heddle.cache.append %cache, %y, %y layer(0) at(%starts) lengths(%lengths)
    : !heddle.cache<1 x 1 x 16 x f32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?xi32>, tensor<?xi32>
  %last = heddle.last_token %y, %counts : tensor<?x?x16xf32>, tensor<?xi32>
  return %y, %last, %filled : tensor<?x?x16xf32>, tensor<?x16xf32>, !heddle.cache<1 x 1 x 16 x f32>
}
