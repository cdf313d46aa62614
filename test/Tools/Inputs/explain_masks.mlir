// Attention with one kind of mask each, for ../explain-masks.test.

func.func @none(%q: tensor<?x?x16xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x16xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x16xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x?x16xf32> {
  %o = heddle.attention %q, %k, %v heads(1, kv = 1)
      : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>
  return %o : tensor<?x?x16xf32>
}

func.func @top_left(%q: tensor<?x?x16xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x16xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x16xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x?x16xf32> {
  %m = heddle.mask.causal align(top_left)
  %o = heddle.attention %q, %k, %v mask(%m) heads(1, kv = 1)
      : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>
  return %o : tensor<?x?x16xf32>
}

func.func @bottom_right(%q: tensor<?x?x16xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x16xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x16xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x?x16xf32> {
  %m = heddle.mask.causal align(bottom_right)
  %o = heddle.attention %q, %k, %v mask(%m) heads(1, kv = 1)
      : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>
  return %o : tensor<?x?x16xf32>
}

func.func @offset(%q: tensor<?x?x16xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x16xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x16xf32> {heddle.sizes = ["batch", "keys"]}, 
    %starts: tensor<?xi32> {heddle.name = "starts", heddle.sizes = ["batch"]}) -> tensor<?x?x16xf32> {
  %m = heddle.mask.causal offset(%starts : tensor<?xi32>) plus(-1)
  %o = heddle.attention %q, %k, %v mask(%m) heads(1, kv = 1)
      : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>
  return %o : tensor<?x?x16xf32>
}

func.func @window(%q: tensor<?x?x16xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x16xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x16xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x?x16xf32> {
  %m = heddle.mask.window left(63) right(0) align(bottom_right)
  %o = heddle.attention %q, %k, %v mask(%m) heads(1, kv = 1)
      : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>
  return %o : tensor<?x?x16xf32>
}

func.func @prefix(%q: tensor<?x?x16xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x16xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x16xf32> {heddle.sizes = ["batch", "keys"]}, 
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]}) -> tensor<?x?x16xf32> {
  %0 = heddle.mask.causal align(top_left)
  %1 = heddle.mask.lengths %lengths : tensor<?xi32>
  %m = heddle.mask.or %0, %1
  %o = heddle.attention %q, %k, %v mask(%m) heads(1, kv = 1)
      : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>
  return %o : tensor<?x?x16xf32>
}

func.func @padding(%q: tensor<?x?x16xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x16xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x16xf32> {heddle.sizes = ["batch", "keys"]}, 
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]}, 
    %rows: tensor<?xi32> {heddle.name = "rows", heddle.sizes = ["batch"]}) -> tensor<?x?x16xf32> {
  %0 = heddle.mask.lengths %lengths : tensor<?xi32>
  %1 = heddle.mask.lengths %rows of(query) : tensor<?xi32>
  %m = heddle.mask.and %0, %1
  %o = heddle.attention %q, %k, %v mask(%m) heads(1, kv = 1)
      : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>
  return %o : tensor<?x?x16xf32>
}

func.func @documents(%q: tensor<?x?x16xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x16xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x16xf32> {heddle.sizes = ["batch", "keys"]}, 
    %ids: tensor<?x?xi32> {heddle.name = "ids", heddle.sizes = ["batch", "length"]}, 
    %words: tensor<?x?xi32> {heddle.name = "words", heddle.sizes = ["batch", "keys"]}) -> tensor<?x?x16xf32> {
  %0 = heddle.mask.documents %ids, %words : tensor<?x?xi32>, tensor<?x?xi32>
  %1 = heddle.mask.causal align(top_left)
  %m = heddle.mask.and %0, %1
  %o = heddle.attention %q, %k, %v mask(%m) heads(1, kv = 1)
      : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>
  return %o : tensor<?x?x16xf32>
}

func.func @other_documents(%q: tensor<?x?x16xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x16xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x16xf32> {heddle.sizes = ["batch", "keys"]}, 
    %ids: tensor<?x?xi32> {heddle.name = "ids", heddle.sizes = ["batch", "length"]}, 
    %words: tensor<?x?xi32> {heddle.name = "words", heddle.sizes = ["batch", "keys"]}) -> tensor<?x?x16xf32> {
  %0 = heddle.mask.documents %ids, %words : tensor<?x?xi32>, tensor<?x?xi32>
  %m = heddle.mask.not %0
  %o = heddle.attention %q, %k, %v mask(%m) heads(1, kv = 1)
      : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>
  return %o : tensor<?x?x16xf32>
}

func.func @blocks(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]}, 
    %layout: tensor<4x?x?xi1> {heddle.name = "layout", heddle.sizes = ["ceildiv(length, 64)", "ceildiv(keys, 64)"]}) -> tensor<?x?x64xf32> {
  %0 = heddle.mask.dense %layout over(head, query, key) blocks(64, 64) : tensor<4x?x?xi1>
  %1 = heddle.mask.window right(0) align(top_left)
  %2 = heddle.mask.window left(0) align(top_left)
  %3 = heddle.mask.and %1, %2
  %m = heddle.mask.or %0, %3
  %o = heddle.attention %q, %k, %v mask(%m) heads(4, kv = 2)
      : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o : tensor<?x?x64xf32>
}

// The layout of blocks is a constant.
func.func @constant(%q: tensor<?x128x16xf32> {heddle.sizes = ["batch"]}) -> tensor<?x128x16xf32> {
  %c = arith.constant dense<[[true, false], [true, true]]> : tensor<2x2xi1>
  %m = heddle.mask.dense %c over(query, key) blocks(64, 64) : tensor<2x2xi1>
  %o = heddle.attention %q, %q, %q mask(%m) heads(1, kv = 1)
      : tensor<?x128x16xf32>, tensor<?x128x16xf32>, tensor<?x128x16xf32>
  return %o : tensor<?x128x16xf32>
}

// A region may make a score -inf, of scores or of what they are sums of.
func.func @changed(%x: tensor<1x?x16xf32> {heddle.sizes = ["length"]}) -> tensor<1x?x16xf32> {
  %o = heddle.attention %x, %x, %x heads(1, kv = 1) score {
  ^bb0(%s: tensor<1x1x?x?xf32>):
    %0 = math.log %s : tensor<1x1x?x?xf32>
    heddle.yield %0 : tensor<1x1x?x?xf32>
  } : tensor<1x?x16xf32>, tensor<1x?x16xf32>, tensor<1x?x16xf32>
  return %o : tensor<1x?x16xf32>
}

func.func @terms(%x: tensor<1x?x16xf32> {heddle.sizes = ["length"]}) -> tensor<1x?x16xf32> {
  %o = heddle.attention %x, %x, %x heads(1, kv = 1) term {
  ^bb0(%a: tensor<1x1x?x?x16xf32>, %b: tensor<1x1x?x?x16xf32>):
    %0 = arith.divf %a, %b : tensor<1x1x?x?x16xf32>
    heddle.yield %0 : tensor<1x1x?x?x16xf32>
  } : tensor<1x?x16xf32>, tensor<1x?x16xf32>, tensor<1x?x16xf32>
  return %o : tensor<1x?x16xf32>
}

// Of one query: a device cuts the keys into splits.
func.func @decode(%q: tensor<?x1x64xf32> {heddle.sizes = ["batch"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %starts: tensor<?xi32> {heddle.name = "starts", heddle.sizes = ["batch"]}) -> tensor<?x1x64xf32> {
  %m = heddle.mask.window left(70) right(0) offset(%starts : tensor<?xi32>)
  %o = heddle.attention %q, %k, %v mask(%m) heads(4, kv = 2)
      : tensor<?x1x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o : tensor<?x1x64xf32>
}
