// A cache that is filled at once, and attention to all of its keys.
module attributes {heddle.positions = 64 : i64} {
func.func @fill(%k: tensor<?x?x16xf32> {heddle.sizes = ["batch", "capacity"]},
    %v: tensor<?x?x16xf32> {heddle.sizes = ["batch", "capacity"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %cache: !heddle.cache<1 x 1 x 16 x f32> {heddle.sizes = ["batch", "capacity"]})
    -> !heddle.cache<1 x 1 x 16 x f32> {
  %filled = heddle.cache.append %cache, %k, %v layer(0) at(%starts) lengths(%lengths)
    : !heddle.cache<1 x 1 x 16 x f32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?xi32>, tensor<?xi32>
  return %filled : !heddle.cache<1 x 1 x 16 x f32>
}

func.func @to_last(%q: tensor<?x?x16xf32> {heddle.sizes = ["batch", "length"]},
    %cache: !heddle.cache<1 x 1 x 16 x f32> {heddle.sizes = ["batch", "capacity"]})
    -> tensor<?x?x16xf32> {
  %k, %v = heddle.cache.read %cache layer(0) : !heddle.cache<1 x 1 x 16 x f32>
  %mask = heddle.mask.causal align(bottom_right)
  %y = heddle.attention %q, %k, %v mask(%mask) heads(1, kv = 1) scale(0.25)
    : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>
  return %y : tensor<?x?x16xf32>
}

func.func @to_all(%q: tensor<?x?x16xf32> {heddle.sizes = ["batch", "length"]},
    %cache: !heddle.cache<1 x 1 x 16 x f32> {heddle.sizes = ["batch", "capacity"]})
    -> tensor<?x?x16xf32> {
  %k, %v = heddle.cache.read %cache layer(0) : !heddle.cache<1 x 1 x 16 x f32>
  %y = heddle.attention %q, %k, %v heads(1, kv = 1) scale(0.25)
    : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>
  return %y : tensor<?x?x16xf32>
}
}
