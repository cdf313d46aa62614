// Attention of queries that are 0 under masks of the integers a and b.

func.func @causal(%a: tensor<?xi32> {heddle.name = "a", heddle.sizes = ["batch"]},
    %b: tensor<?xi32> {heddle.name = "b", heddle.sizes = ["batch"]},
    %q: tensor<?x?x8xf32> {heddle.name = "q", heddle.sizes = ["batch", "length"]},
    %v: tensor<?x?x8xf32> {heddle.name = "v", heddle.sizes = ["batch", "length"]})
    -> (tensor<?x?x8xf32> {heddle.name = "y"}) {
  %m = heddle.mask.causal offset(%a : tensor<?xi32>)
  %y = heddle.attention %q, %q, %v mask(%m) heads(1, kv = 1) scale(0.25)
    : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}

func.func @lengths(%a: tensor<?xi32> {heddle.name = "a", heddle.sizes = ["batch"]},
    %b: tensor<?xi32> {heddle.name = "b", heddle.sizes = ["batch"]},
    %q: tensor<?x?x8xf32> {heddle.name = "q", heddle.sizes = ["batch", "length"]},
    %v: tensor<?x?x8xf32> {heddle.name = "v", heddle.sizes = ["batch", "length"]})
    -> (tensor<?x?x8xf32> {heddle.name = "y"}) {
  %m = heddle.mask.lengths %a : tensor<?xi32>
  %y = heddle.attention %q, %q, %v mask(%m) heads(1, kv = 1) scale(0.25)
    : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}

func.func @both(%a: tensor<?xi32> {heddle.name = "a", heddle.sizes = ["batch"]},
    %b: tensor<?xi32> {heddle.name = "b", heddle.sizes = ["batch"]},
    %q: tensor<?x?x8xf32> {heddle.name = "q", heddle.sizes = ["batch", "length"]},
    %v: tensor<?x?x8xf32> {heddle.name = "v", heddle.sizes = ["batch", "length"]})
    -> (tensor<?x?x8xf32> {heddle.name = "y"}) {
  %c = heddle.mask.causal offset(%a : tensor<?xi32>)
  %l = heddle.mask.lengths %b : tensor<?xi32>
  %m = heddle.mask.and %c, %l
  %y = heddle.attention %q, %q, %v mask(%m) heads(1, kv = 1) scale(0.25)
    : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}

func.func @either(%a: tensor<?xi32> {heddle.name = "a", heddle.sizes = ["batch"]},
    %b: tensor<?xi32> {heddle.name = "b", heddle.sizes = ["batch"]},
    %q: tensor<?x?x8xf32> {heddle.name = "q", heddle.sizes = ["batch", "length"]},
    %v: tensor<?x?x8xf32> {heddle.name = "v", heddle.sizes = ["batch", "length"]})
    -> (tensor<?x?x8xf32> {heddle.name = "y"}) {
  %c = heddle.mask.causal offset(%a : tensor<?xi32>)
  %l = heddle.mask.lengths %b : tensor<?xi32>
  %m = heddle.mask.or %c, %l
  %y = heddle.attention %q, %q, %v mask(%m) heads(1, kv = 1) scale(0.25)
    : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}

func.func @either_length(%a: tensor<?xi32> {heddle.name = "a", heddle.sizes = ["batch"]},
    %b: tensor<?xi32> {heddle.name = "b", heddle.sizes = ["batch"]},
    %q: tensor<?x?x8xf32> {heddle.name = "q", heddle.sizes = ["batch", "length"]},
    %v: tensor<?x?x8xf32> {heddle.name = "v", heddle.sizes = ["batch", "length"]})
    -> (tensor<?x?x8xf32> {heddle.name = "y"}) {
  %k = heddle.mask.lengths %a : tensor<?xi32>
  %l = heddle.mask.lengths %b : tensor<?xi32>
  %m = heddle.mask.or %k, %l
  %y = heddle.attention %q, %q, %v mask(%m) heads(1, kv = 1) scale(0.25)
    : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}

func.func @neither(%a: tensor<?xi32> {heddle.name = "a", heddle.sizes = ["batch"]},
    %b: tensor<?xi32> {heddle.name = "b", heddle.sizes = ["batch"]},
    %q: tensor<?x?x8xf32> {heddle.name = "q", heddle.sizes = ["batch", "length"]},
    %v: tensor<?x?x8xf32> {heddle.name = "v", heddle.sizes = ["batch", "length"]})
    -> (tensor<?x?x8xf32> {heddle.name = "y"}) {
  %c = heddle.mask.causal offset(%a : tensor<?xi32>)
  %l = heddle.mask.lengths %b : tensor<?xi32>
  %either = heddle.mask.or %c, %l
  %m = heddle.mask.not %either
  %y = heddle.attention %q, %q, %v mask(%m) heads(1, kv = 1) scale(0.25)
    : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}

func.func @sum(%a: tensor<?xi32> {heddle.name = "a", heddle.sizes = ["batch"]},
    %b: tensor<?xi32> {heddle.name = "b", heddle.sizes = ["batch"]},
    %q: tensor<?x?x8xf32> {heddle.name = "q", heddle.sizes = ["batch", "length"]},
    %v: tensor<?x?x8xf32> {heddle.name = "v", heddle.sizes = ["batch", "length"]})
    -> (tensor<?x?x8xf32> {heddle.name = "y"}) {
  %s = arith.addi %a, %b : tensor<?xi32>
  %k = heddle.mask.lengths %s : tensor<?xi32>
  %l = heddle.mask.lengths %b : tensor<?xi32>
  %m = heddle.mask.or %k, %l
  %y = heddle.attention %q, %q, %v mask(%m) heads(1, kv = 1) scale(0.25)
    : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}

func.func @product(%a: tensor<?xi32> {heddle.name = "a", heddle.sizes = ["batch"]},
    %b: tensor<?xi32> {heddle.name = "b", heddle.sizes = ["batch"]},
    %q: tensor<?x?x8xf32> {heddle.name = "q", heddle.sizes = ["batch", "length"]},
    %v: tensor<?x?x8xf32> {heddle.name = "v", heddle.sizes = ["batch", "length"]})
    -> (tensor<?x?x8xf32> {heddle.name = "y"}) {
  %p = arith.muli %a, %b : tensor<?xi32>
  %d = arith.subi %p, %a : tensor<?xi32>
  %m = heddle.mask.causal offset(%d : tensor<?xi32>)
  %y = heddle.attention %q, %q, %v mask(%m) heads(1, kv = 1) scale(0.25)
    : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}

// A known number of queries, of which devices add numbers to both sides of comparisons.
func.func @past_queries(%a: tensor<?xi32> {heddle.name = "a", heddle.sizes = ["batch"]},
    %few: tensor<?x5x40xf32> {heddle.name = "few", heddle.sizes = ["batch"]},
    %q: tensor<?x?x8xf32> {heddle.name = "q", heddle.sizes = ["batch", "length"]},
    %v: tensor<?x?x8xf32> {heddle.name = "v", heddle.sizes = ["batch", "length"]})
    -> (tensor<?x5x40xf32> {heddle.name = "y"}) {
  %l = heddle.mask.lengths %a of(query) : tensor<?xi32>
  %m = heddle.mask.not %l
  %y = heddle.attention %few, %q, %v mask(%m) heads(5, kv = 1) scale(0.25)
    : tensor<?x5x40xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %y : tensor<?x5x40xf32>
}
