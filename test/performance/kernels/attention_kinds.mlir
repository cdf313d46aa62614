// Attention of 12 heads of 64, or as the name says, on values of the caller: with masks whose
// blocks are mostly skipped, with results and changes of scores, and of other sizes of heads.

func.func @window(%x: tensor<1x?x768xf32> {heddle.sizes = ["length"], heddle.name = "x"}) -> tensor<1x?x768xf32> {
  %m = heddle.mask.window left(255) right(0) align(top_left)
  %y = heddle.attention %x, %x, %x mask(%m) heads(12, kv = 12) : tensor<1x?x768xf32>, tensor<1x?x768xf32>, tensor<1x?x768xf32>
  return %y : tensor<1x?x768xf32>
}

func.func @padding(%x: tensor<1x?x768xf32> {heddle.sizes = ["length"], heddle.name = "x"},
    %lengths: tensor<1xi32> {heddle.name = "lengths"}) -> tensor<1x?x768xf32> {
  %m = heddle.mask.lengths %lengths : tensor<1xi32>
  %y = heddle.attention %x, %x, %x mask(%m) heads(12, kv = 12) : tensor<1x?x768xf32>, tensor<1x?x768xf32>, tensor<1x?x768xf32>
  return %y : tensor<1x?x768xf32>
}

// Texts of 512 tokens, one after the other.
func.func @documents(%x: tensor<1x?x768xf32> {heddle.sizes = ["length"], heddle.name = "x"}) -> tensor<1x?x768xf32> {
  %d = heddle.generic over [1, "length"] {
    %i = heddle.index 1
    %c512 = arith.constant 512 : i32
    %0 = arith.divsi %i, %c512 : i32
    heddle.yield %0 : i32
  } : tensor<1x?xi32>
  %m = heddle.mask.documents %d, %d : tensor<1x?xi32>, tensor<1x?xi32>
  %y = heddle.attention %x, %x, %x mask(%m) heads(12, kv = 12) : tensor<1x?x768xf32>, tensor<1x?x768xf32>, tensor<1x?x768xf32>
  return %y : tensor<1x?x768xf32>
}

func.func @plain(%x: tensor<1x?x768xf32> {heddle.sizes = ["length"], heddle.name = "x"}) -> tensor<1x?x768xf32> {
  %y = heddle.attention %x, %x, %x heads(12, kv = 12) : tensor<1x?x768xf32>, tensor<1x?x768xf32>, tensor<1x?x768xf32>
  return %y : tensor<1x?x768xf32>
}

func.func @log_sum_exp(%x: tensor<1x?x768xf32> {heddle.sizes = ["length"], heddle.name = "x"})
    -> (tensor<1x?x768xf32>, tensor<1x12x?xf32>) {
  %y, %l = heddle.attention %x, %x, %x heads(12, kv = 12) results(output, log_sum_exp)
      : tensor<1x?x768xf32>, tensor<1x?x768xf32>, tensor<1x?x768xf32>
  return %y, %l : tensor<1x?x768xf32>, tensor<1x12x?xf32>
}

func.func @softcap(%x: tensor<1x?x768xf32> {heddle.sizes = ["length"], heddle.name = "x"}) -> tensor<1x?x768xf32> {
  %y = heddle.attention %x, %x, %x heads(12, kv = 12) score {
    ^bb0(%s: tensor<1x12x?x?xf32>):
      %0 = heddle.softcap %s cap(50.0) : tensor<1x12x?x?xf32>
      heddle.yield %0 : tensor<1x12x?x?xf32>
    } : tensor<1x?x768xf32>, tensor<1x?x768xf32>, tensor<1x?x768xf32>
  return %y : tensor<1x?x768xf32>
}

func.func @alibi(%x: tensor<1x?x768xf32> {heddle.sizes = ["length"], heddle.name = "x"},
    %slopes: tensor<12xf32> {heddle.name = "slopes"}) -> tensor<1x?x768xf32> {
  %y = heddle.attention %x, %x, %x heads(12, kv = 12) score(%slopes : tensor<12xf32>) {
    ^bb0(%s: tensor<1x12x?x?xf32>, %slope: tensor<12xf32>):
      %0 = heddle.alibi %s, %slope align(top_left) : tensor<1x12x?x?xf32>, tensor<12xf32>
      heddle.yield %0 : tensor<1x12x?x?xf32>
    } : tensor<1x?x768xf32>, tensor<1x?x768xf32>, tensor<1x?x768xf32>
  return %y : tensor<1x?x768xf32>
}

func.func @bias(%x: tensor<1x?x768xf32> {heddle.sizes = ["length"], heddle.name = "x"},
    %bias: tensor<1x12x?x?xf32> {heddle.sizes = ["length", "length"], heddle.name = "bias"}) -> tensor<1x?x768xf32> {
  %y = heddle.attention %x, %x, %x heads(12, kv = 12) score(%bias : tensor<1x12x?x?xf32>) {
    ^bb0(%s: tensor<1x12x?x?xf32>, %b: tensor<1x12x?x?xf32>):
      %0 = arith.addf %s, %b : tensor<1x12x?x?xf32>
      heddle.yield %0 : tensor<1x12x?x?xf32>
    } : tensor<1x?x768xf32>, tensor<1x?x768xf32>, tensor<1x?x768xf32>
  return %y : tensor<1x?x768xf32>
}

// Heads of 128.
func.func @d128(%x: tensor<1x?x1536xf32> {heddle.sizes = ["length"], heddle.name = "x"}) -> tensor<1x?x1536xf32> {
  %y = heddle.attention %x, %x, %x heads(12, kv = 12) : tensor<1x?x1536xf32>, tensor<1x?x1536xf32>, tensor<1x?x1536xf32>
  return %y : tensor<1x?x1536xf32>
}

// Factors that are rounded to bf16.
func.func @bf16(%x: tensor<1x?x768xf32> {heddle.sizes = ["length"], heddle.name = "x"}) -> tensor<1x?x768xf32> {
  %y = heddle.attention %x, %x, %x heads(12, kv = 12) products(bf16)
      : tensor<1x?x768xf32>, tensor<1x?x768xf32>, tensor<1x?x768xf32>
  return %y : tensor<1x?x768xf32>
}

func.func @bf16_causal(%x: tensor<1x?x768xf32> {heddle.sizes = ["length"], heddle.name = "x"}) -> tensor<1x?x768xf32> {
  %m = heddle.mask.causal align(top_left)
  %y = heddle.attention %x, %x, %x mask(%m) heads(12, kv = 12) products(bf16)
      : tensor<1x?x768xf32>, tensor<1x?x768xf32>, tensor<1x?x768xf32>
  return %y : tensor<1x?x768xf32>
}

// Values of 128.
func.func @values_of_128(%x: tensor<1x?x768xf32> {heddle.sizes = ["length"], heddle.name = "x"},
    %v: tensor<1x?x1536xf32> {heddle.sizes = ["length"], heddle.name = "v"}) -> tensor<1x?x1536xf32> {
  %y = heddle.attention %x, %x, %v heads(12, kv = 12) : tensor<1x?x768xf32>, tensor<1x?x768xf32>, tensor<1x?x1536xf32>
  return %y : tensor<1x?x1536xf32>
}

// The hyperbolic tangents of additive attention alone.
func.func @tanh(%x: tensor<1x?x64xf32> {heddle.sizes = ["length"], heddle.name = "x"}) -> tensor<1x?x64xf32> {
  %y = math.tanh %x : tensor<1x?x64xf32>
  return %y : tensor<1x?x64xf32>
}

// a(q, k) = w . tanh(q + k), over 64 channels.
func.func @additive(%x: tensor<1x?x64xf32> {heddle.sizes = ["length"], heddle.name = "x"},
    %w: tensor<64xf32> {heddle.name = "w"}) -> tensor<1x?x64xf32> {
  %y = heddle.attention %x, %x, %x heads(1, kv = 1) term(%w : tensor<64xf32>) {
    ^bb0(%a: tensor<1x1x?x?x64xf32>, %b: tensor<1x1x?x?x64xf32>, %c: tensor<64xf32>):
      %0 = arith.addf %a, %b : tensor<1x1x?x?x64xf32>
      %1 = math.tanh %0 : tensor<1x1x?x?x64xf32>
      %2 = heddle.generic over [1, 1, "length", "length", 64] ins(%1, %c : tensor<1x1x?x?x64xf32>, tensor<64xf32>)
          maps [affine_map<(b, h, q, k, c) -> (b, h, q, k, c)>, affine_map<(b, h, q, k, c) -> (c)>] {
      ^bb0(%d: f32, %e: f32):
        %3 = arith.mulf %d, %e : f32
        heddle.yield %3 : f32
      } : tensor<1x1x?x?x64xf32>
      heddle.yield %2 : tensor<1x1x?x?x64xf32>
    } : tensor<1x?x64xf32>, tensor<1x?x64xf32>, tensor<1x?x64xf32>
  return %y : tensor<1x?x64xf32>
}
