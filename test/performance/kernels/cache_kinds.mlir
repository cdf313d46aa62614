// One query of 12 heads of 64 over all that a cache holds, whose elements are of several
// types, or whose positions lie in pages of 64.

func.func @f32(%q: tensor<?x1x768xf32> {heddle.sizes = ["batch"], heddle.name = "q"},
    %cache: !heddle.cache<1 x 12 x 64 x f32> {heddle.sizes = ["batch", "capacity"], heddle.name = "cache_f32"})
    -> tensor<?x1x768xf32> {
  %k, %v = heddle.cache.read %cache layer(0) : !heddle.cache<1 x 12 x 64 x f32>
  %y = heddle.attention %q, %k, %v heads(12, kv = 12) : tensor<?x1x768xf32>, tensor<?x?x768xf32>, tensor<?x?x768xf32>
  return %y : tensor<?x1x768xf32>
}

func.func @bf16(%q: tensor<?x1x768xf32> {heddle.sizes = ["batch"], heddle.name = "q"},
    %cache: !heddle.cache<1 x 12 x 64 x bf16> {heddle.sizes = ["batch", "capacity"], heddle.name = "cache_bf16"})
    -> tensor<?x1x768xf32> {
  %k, %v = heddle.cache.read %cache layer(0) : !heddle.cache<1 x 12 x 64 x bf16>
  %y = heddle.attention %q, %k, %v heads(12, kv = 12) : tensor<?x1x768xf32>, tensor<?x?x768xf32>, tensor<?x?x768xf32>
  return %y : tensor<?x1x768xf32>
}

func.func @i8(%q: tensor<?x1x768xf32> {heddle.sizes = ["batch"], heddle.name = "q"},
    %cache: !heddle.cache<1 x 12 x 64 x i8> {heddle.sizes = ["batch", "capacity"], heddle.name = "cache_i8"})
    -> tensor<?x1x768xf32> {
  %k, %v = heddle.cache.read %cache layer(0) : !heddle.cache<1 x 12 x 64 x i8>
  %y = heddle.attention %q, %k, %v heads(12, kv = 12) : tensor<?x1x768xf32>, tensor<?x?x768xf32>, tensor<?x?x768xf32>
  return %y : tensor<?x1x768xf32>
}

func.func @pages(%q: tensor<?x1x768xf32> {heddle.sizes = ["batch"], heddle.name = "q"},
    %cache: !heddle.cache<1 x 12 x 64 x f32> {heddle.sizes = ["pool", "64"], heddle.name = "cache_pages"},
    %table: tensor<?x?xi32> {heddle.sizes = ["batch", "columns"], heddle.name = "table"})
    -> tensor<?x1x768xf32> {
  %k, %v = heddle.cache.read %cache layer(0) pages(%table : tensor<?x?xi32>) : !heddle.cache<1 x 12 x 64 x f32>
  %y = heddle.attention %q, %k, %v heads(12, kv = 12) : tensor<?x1x768xf32>, tensor<?x?x768xf32>, tensor<?x?x768xf32>
  return %y : tensor<?x1x768xf32>
}
