// nn.MultiheadAttention of PyTorch, with each kind of mask and option: the function of a name
// is the case of that name in goldens.py. Weights of attention are means over the heads, but
// for those of @per_head and @per_head_additive.

heddle.weight @in_proj_weight from "in_proj_weight" : tensor<96x32xf32>
heddle.weight @in_proj_bias from "in_proj_bias" : tensor<96xf32>
heddle.weight @out_proj.weight from "out_proj.weight" : tensor<32x32xf32>
heddle.weight @out_proj.bias from "out_proj.bias" : tensor<32xf32>
heddle.weight @bias_k from "bias_k" : tensor<1x1x32xf32>
heddle.weight @bias_v from "bias_v" : tensor<1x1x32xf32>
heddle.weight @widths.q_proj_weight from "widths.q_proj_weight" : tensor<32x32xf32>
heddle.weight @widths.k_proj_weight from "widths.k_proj_weight" : tensor<32x20xf32>
heddle.weight @widths.v_proj_weight from "widths.v_proj_weight" : tensor<32x12xf32>
heddle.weight @widths.in_proj_bias from "widths.in_proj_bias" : tensor<96xf32>
heddle.weight @widths.out_proj.weight from "widths.out_proj.weight" : tensor<32x32xf32>
heddle.weight @widths.out_proj.bias from "widths.out_proj.bias" : tensor<32xf32>

//===-- One input, or two ---------------------------------------------------------===//

func.func @no_mask(%x: tensor<?x?x32xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]})
    -> (tensor<?x?x32xf32> {heddle.name = "y"}, tensor<?x?x?xf32> {heddle.name = "attention"}) {
  %w = heddle.weight_ref @in_proj_weight : tensor<96x32xf32>
  %b = heddle.weight_ref @in_proj_bias : tensor<96xf32>
  %wo = heddle.weight_ref @out_proj.weight : tensor<32x32xf32>
  %bo = heddle.weight_ref @out_proj.bias : tensor<32xf32>
  %y, %weights = heddle.multi_head_attention %x, %x, %x heads(4, kv = 4)
      combined(%w, %b : tensor<96x32xf32>, tensor<96xf32>)
      output(%wo, %bo : tensor<32x32xf32>, tensor<32xf32>) results(output, weights)
    : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  %mean = heddle.reduce mean %weights axes [1] : tensor<?x4x?x?xf32> -> tensor<?x?x?xf32>
  return %y, %mean : tensor<?x?x32xf32>, tensor<?x?x?xf32>
}

func.func @causal(%x: tensor<?x?x32xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]})
    -> (tensor<?x?x32xf32> {heddle.name = "y"}, tensor<?x?x?xf32> {heddle.name = "attention"}) {
  %w = heddle.weight_ref @in_proj_weight : tensor<96x32xf32>
  %b = heddle.weight_ref @in_proj_bias : tensor<96xf32>
  %wo = heddle.weight_ref @out_proj.weight : tensor<32x32xf32>
  %bo = heddle.weight_ref @out_proj.bias : tensor<32xf32>
  %kept = heddle.mask.causal align(top_left)
  %y, %weights = heddle.multi_head_attention %x, %x, %x mask(%kept) heads(4, kv = 4)
      combined(%w, %b : tensor<96x32xf32>, tensor<96xf32>)
      output(%wo, %bo : tensor<32x32xf32>, tensor<32xf32>) results(output, weights)
    : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  %mean = heddle.reduce mean %weights axes [1] : tensor<?x4x?x?xf32> -> tensor<?x?x?xf32>
  return %y, %mean : tensor<?x?x32xf32>, tensor<?x?x?xf32>
}

// Attention of x to a memory.
func.func private @attend(%x: tensor<?x?x32xf32>, %memory: tensor<?x?x32xf32>, %kept: !heddle.mask)
    -> (tensor<?x?x32xf32>, tensor<?x4x?x?xf32>) {
  %wq = heddle.weight_ref @in_proj_weight offsets [0, 0] : tensor<32x32xf32>
  %wk = heddle.weight_ref @in_proj_weight offsets [32, 0] : tensor<32x32xf32>
  %wv = heddle.weight_ref @in_proj_weight offsets [64, 0] : tensor<32x32xf32>
  %bq = heddle.weight_ref @in_proj_bias offsets [0] : tensor<32xf32>
  %bk = heddle.weight_ref @in_proj_bias offsets [32] : tensor<32xf32>
  %bv = heddle.weight_ref @in_proj_bias offsets [64] : tensor<32xf32>
  %wo = heddle.weight_ref @out_proj.weight : tensor<32x32xf32>
  %bo = heddle.weight_ref @out_proj.bias : tensor<32xf32>
  %y, %weights = heddle.multi_head_attention %x, %memory, %memory mask(%kept) heads(4, kv = 4)
      query(%wq, %bq : tensor<32x32xf32>, tensor<32xf32>)
      key(%wk, %bk : tensor<32x32xf32>, tensor<32xf32>)
      value(%wv, %bv : tensor<32x32xf32>, tensor<32xf32>)
      output(%wo, %bo : tensor<32x32xf32>, tensor<32xf32>) results(output, weights)
    : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %y, %weights : tensor<?x?x32xf32>, tensor<?x4x?x?xf32>
}

func.func @no_bias(%x: tensor<?x?x32xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
    %memory: tensor<?x?x32xf32> {heddle.name = "memory", heddle.sizes = ["batch", "source"]})
    -> (tensor<?x?x32xf32> {heddle.name = "y"}, tensor<?x?x?xf32> {heddle.name = "attention"}) {
  %wq = heddle.weight_ref @in_proj_weight offsets [0, 0] : tensor<32x32xf32>
  %wk = heddle.weight_ref @in_proj_weight offsets [32, 0] : tensor<32x32xf32>
  %wv = heddle.weight_ref @in_proj_weight offsets [64, 0] : tensor<32x32xf32>
  %wo = heddle.weight_ref @out_proj.weight : tensor<32x32xf32>
  %y, %weights = heddle.multi_head_attention %x, %memory, %memory heads(4, kv = 4)
      query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x32xf32>) value(%wv : tensor<32x32xf32>)
      output(%wo : tensor<32x32xf32>) results(output, weights)
    : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  %mean = heddle.reduce mean %weights axes [1] : tensor<?x4x?x?xf32> -> tensor<?x?x?xf32>
  return %y, %mean : tensor<?x?x32xf32>, tensor<?x?x?xf32>
}

// Keys and values with other channels than queries.
func.func @widths(%x: tensor<?x?x32xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x20xf32> {heddle.name = "k", heddle.sizes = ["batch", "source"]},
    %v: tensor<?x?x12xf32> {heddle.name = "v", heddle.sizes = ["batch", "source"]},
    %padding: tensor<?x?xi1> {heddle.name = "padding", heddle.sizes = ["batch", "source"]})
    -> (tensor<?x?x32xf32> {heddle.name = "y"}, tensor<?x?x?xf32> {heddle.name = "attention"}) {
  %wq = heddle.weight_ref @widths.q_proj_weight : tensor<32x32xf32>
  %wk = heddle.weight_ref @widths.k_proj_weight : tensor<32x20xf32>
  %wv = heddle.weight_ref @widths.v_proj_weight : tensor<32x12xf32>
  %bq = heddle.weight_ref @widths.in_proj_bias offsets [0] : tensor<32xf32>
  %bk = heddle.weight_ref @widths.in_proj_bias offsets [32] : tensor<32xf32>
  %bv = heddle.weight_ref @widths.in_proj_bias offsets [64] : tensor<32xf32>
  %wo = heddle.weight_ref @widths.out_proj.weight : tensor<32x32xf32>
  %bo = heddle.weight_ref @widths.out_proj.bias : tensor<32xf32>
  %dropped = heddle.mask.dense %padding over(batch, key) : tensor<?x?xi1>
  %kept = heddle.mask.not %dropped
  %y, %weights = heddle.multi_head_attention %x, %k, %v mask(%kept) heads(4, kv = 4)
      query(%wq, %bq : tensor<32x32xf32>, tensor<32xf32>)
      key(%wk, %bk : tensor<32x20xf32>, tensor<32xf32>)
      value(%wv, %bv : tensor<32x12xf32>, tensor<32xf32>)
      output(%wo, %bo : tensor<32x32xf32>, tensor<32xf32>) results(output, weights)
    : tensor<?x?x32xf32>, tensor<?x?x20xf32>, tensor<?x?x12xf32>
  %mean = heddle.reduce mean %weights axes [1] : tensor<?x4x?x?xf32> -> tensor<?x?x?xf32>
  return %y, %mean : tensor<?x?x32xf32>, tensor<?x?x?xf32>
}

//===-- Masks of booleans ---------------------------------------------------------===//

// What is true in PyTorch's masks is dropped.
func.func @boolean(%x: tensor<?x?x32xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
    %memory: tensor<?x?x32xf32> {heddle.name = "memory", heddle.sizes = ["batch", "source"]},
    %mask: tensor<?x?xi1> {heddle.name = "mask", heddle.sizes = ["length", "source"]})
    -> (tensor<?x?x32xf32> {heddle.name = "y"}, tensor<?x?x?xf32> {heddle.name = "attention"}) {
  %dropped = heddle.mask.dense %mask over(query, key) : tensor<?x?xi1>
  %kept = heddle.mask.not %dropped
  %y, %weights = func.call @attend(%x, %memory, %kept)
      : (tensor<?x?x32xf32>, tensor<?x?x32xf32>, !heddle.mask) -> (tensor<?x?x32xf32>, tensor<?x4x?x?xf32>)
  %mean = heddle.reduce mean %weights axes [1] : tensor<?x4x?x?xf32> -> tensor<?x?x?xf32>
  return %y, %mean : tensor<?x?x32xf32>, tensor<?x?x?xf32>
}

func.func @padding(%x: tensor<?x?x32xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
    %memory: tensor<?x?x32xf32> {heddle.name = "memory", heddle.sizes = ["batch", "source"]},
    %padding: tensor<?x?xi1> {heddle.name = "padding", heddle.sizes = ["batch", "source"]})
    -> (tensor<?x?x32xf32> {heddle.name = "y"}, tensor<?x?x?xf32> {heddle.name = "attention"}) {
  %dropped = heddle.mask.dense %padding over(batch, key) : tensor<?x?xi1>
  %kept = heddle.mask.not %dropped
  %y, %weights = func.call @attend(%x, %memory, %kept)
      : (tensor<?x?x32xf32>, tensor<?x?x32xf32>, !heddle.mask) -> (tensor<?x?x32xf32>, tensor<?x4x?x?xf32>)
  %mean = heddle.reduce mean %weights axes [1] : tensor<?x4x?x?xf32> -> tensor<?x?x?xf32>
  return %y, %mean : tensor<?x?x32xf32>, tensor<?x?x?xf32>
}

func.func @both(%x: tensor<?x?x32xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
    %memory: tensor<?x?x32xf32> {heddle.name = "memory", heddle.sizes = ["batch", "source"]},
    %mask: tensor<?x?xi1> {heddle.name = "mask", heddle.sizes = ["length", "source"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]})
    -> (tensor<?x?x32xf32> {heddle.name = "y"}, tensor<?x?x?xf32> {heddle.name = "attention"}) {
  %dropped = heddle.mask.dense %mask over(query, key) : tensor<?x?xi1>
  %chosen = heddle.mask.not %dropped
  %valid = heddle.mask.lengths %lengths : tensor<?xi32>
  %kept = heddle.mask.and %chosen, %valid
  %y, %weights = func.call @attend(%x, %memory, %kept)
      : (tensor<?x?x32xf32>, tensor<?x?x32xf32>, !heddle.mask) -> (tensor<?x?x32xf32>, tensor<?x4x?x?xf32>)
  %mean = heddle.reduce mean %weights axes [1] : tensor<?x4x?x?xf32> -> tensor<?x?x?xf32>
  return %y, %mean : tensor<?x?x32xf32>, tensor<?x?x?xf32>
}

// A mask for each sequence and head.
func.func @per_head(%x: tensor<?x?x32xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
    %memory: tensor<?x?x32xf32> {heddle.name = "memory", heddle.sizes = ["batch", "source"]},
    %mask: tensor<?x?x?xi1> {heddle.name = "mask", heddle.sizes = ["4 * batch", "length", "source"]})
    -> (tensor<?x?x32xf32> {heddle.name = "y"}, tensor<?x4x?x?xf32> {heddle.name = "attention"}) {
  %heads = heddle.reshape %mask to ["batch", 4, "length", "source"] : tensor<?x?x?xi1> -> tensor<?x4x?x?xi1>
  %dropped = heddle.mask.dense %heads over(batch, head, query, key) : tensor<?x4x?x?xi1>
  %kept = heddle.mask.not %dropped
  %y, %weights = func.call @attend(%x, %memory, %kept)
      : (tensor<?x?x32xf32>, tensor<?x?x32xf32>, !heddle.mask) -> (tensor<?x?x32xf32>, tensor<?x4x?x?xf32>)
  return %y, %weights : tensor<?x?x32xf32>, tensor<?x4x?x?xf32>
}

//===-- What is added to scores, and to keys --------------------------------------===//

// Queries, keys and values of x and a memory.
func.func private @project(%x: tensor<?x?x32xf32>, %memory: tensor<?x?x32xf32>)
    -> (tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>) {
  %wq = heddle.weight_ref @in_proj_weight offsets [0, 0] : tensor<32x32xf32>
  %wk = heddle.weight_ref @in_proj_weight offsets [32, 0] : tensor<32x32xf32>
  %wv = heddle.weight_ref @in_proj_weight offsets [64, 0] : tensor<32x32xf32>
  %bq = heddle.weight_ref @in_proj_bias offsets [0] : tensor<32xf32>
  %bk = heddle.weight_ref @in_proj_bias offsets [32] : tensor<32xf32>
  %bv = heddle.weight_ref @in_proj_bias offsets [64] : tensor<32xf32>
  %q = heddle.linear %x, %wq bias(%bq : tensor<32xf32>) : tensor<?x?x32xf32>, tensor<32x32xf32>
  %k = heddle.linear %memory, %wk bias(%bk : tensor<32xf32>) : tensor<?x?x32xf32>, tensor<32x32xf32>
  %v = heddle.linear %memory, %wv bias(%bv : tensor<32xf32>) : tensor<?x?x32xf32>, tensor<32x32xf32>
  return %q, %k, %v : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
}

func.func private @project_output(%x: tensor<?x?x32xf32>) -> tensor<?x?x32xf32> {
  %w = heddle.weight_ref @out_proj.weight : tensor<32x32xf32>
  %b = heddle.weight_ref @out_proj.bias : tensor<32xf32>
  %y = heddle.linear %x, %w bias(%b : tensor<32xf32>) : tensor<?x?x32xf32>, tensor<32x32xf32>
  return %y : tensor<?x?x32xf32>
}

// Numbers that are added to scores, -inf among them.
func.func @additive(%x: tensor<?x?x32xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
    %memory: tensor<?x?x32xf32> {heddle.name = "memory", heddle.sizes = ["batch", "source"]},
    %mask: tensor<?x?xf32> {heddle.name = "mask", heddle.sizes = ["length", "source"]})
    -> (tensor<?x?x32xf32> {heddle.name = "y"}, tensor<?x?x?xf32> {heddle.name = "attention"}) {
  %q, %k, %v = func.call @project(%x, %memory) : (tensor<?x?x32xf32>, tensor<?x?x32xf32>)
      -> (tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>)
  %o, %weights = heddle.attention %q, %k, %v heads(4, kv = 4) results(output, weights)
      score(%mask : tensor<?x?xf32>) {
      ^bb0(%scores: tensor<?x4x?x?xf32>, %bias: tensor<?x?xf32>):
        %0 = heddle.generic over ["batch", 4, "length", "source"]
            ins(%scores, %bias : tensor<?x4x?x?xf32>, tensor<?x?xf32>)
            maps [affine_map<(b, h, q, k) -> (b, h, q, k)>, affine_map<(b, h, q, k) -> (q, k)>] {
        ^bb0(%score: f32, %more: f32):
          %1 = arith.addf %score, %more : f32
          heddle.yield %1 : f32
        } : tensor<?x4x?x?xf32>
        heddle.yield %0 : tensor<?x4x?x?xf32>
      } : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  %y = func.call @project_output(%o) : (tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
  %mean = heddle.reduce mean %weights axes [1] : tensor<?x4x?x?xf32> -> tensor<?x?x?xf32>
  return %y, %mean : tensor<?x?x32xf32>, tensor<?x?x?xf32>
}

func.func @per_head_additive(%x: tensor<?x?x32xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
    %memory: tensor<?x?x32xf32> {heddle.name = "memory", heddle.sizes = ["batch", "source"]},
    %mask: tensor<?x?x?xf32> {heddle.name = "mask", heddle.sizes = ["4 * batch", "length", "source"]},
    %padding: tensor<?x?xi1> {heddle.name = "padding", heddle.sizes = ["batch", "source"]})
    -> (tensor<?x?x32xf32> {heddle.name = "y"}, tensor<?x4x?x?xf32> {heddle.name = "attention"}) {
  %q, %k, %v = func.call @project(%x, %memory) : (tensor<?x?x32xf32>, tensor<?x?x32xf32>)
      -> (tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>)
  %dropped = heddle.mask.dense %padding over(batch, key) : tensor<?x?xi1>
  %kept = heddle.mask.not %dropped
  %heads = heddle.reshape %mask to ["batch", 4, "length", "source"] : tensor<?x?x?xf32> -> tensor<?x4x?x?xf32>
  %o, %weights = heddle.attention %q, %k, %v mask(%kept) heads(4, kv = 4) results(output, weights)
      score(%heads : tensor<?x4x?x?xf32>) {
      ^bb0(%scores: tensor<?x4x?x?xf32>, %bias: tensor<?x4x?x?xf32>):
        %0 = arith.addf %scores, %bias : tensor<?x4x?x?xf32>
        heddle.yield %0 : tensor<?x4x?x?xf32>
      } : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  %y = func.call @project_output(%o) : (tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
  return %y, %weights : tensor<?x?x32xf32>, tensor<?x4x?x?xf32>
}

// add_zero_attn: one more key and value, of zeros. Its score is 0 and it adds nothing to the
// output, so that it is a sink. PyTorch has its weight last.
func.func @zero_key(%x: tensor<?x?x32xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
    %memory: tensor<?x?x32xf32> {heddle.name = "memory", heddle.sizes = ["batch", "source"]},
    %padding: tensor<?x?xi1> {heddle.name = "padding", heddle.sizes = ["batch", "source"]})
    -> (tensor<?x?x32xf32> {heddle.name = "y"}, tensor<?x?x?xf32> {heddle.name = "attention"}) {
  %q, %k, %v = func.call @project(%x, %memory) : (tensor<?x?x32xf32>, tensor<?x?x32xf32>)
      -> (tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>)
  %dropped = heddle.mask.dense %padding over(batch, key) : tensor<?x?xi1>
  %kept = heddle.mask.not %dropped
  %zeros = arith.constant dense<0.0> : tensor<4xf32>
  %o, %weights = heddle.attention %q, %k, %v mask(%kept) sinks(%zeros : tensor<4xf32>) heads(4, kv = 4)
      results(output, weights) : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  %y = func.call @project_output(%o) : (tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
  %mean = heddle.reduce mean %weights axes [1] : tensor<?x4x?x?xf32> -> tensor<?x?x?xf32>
  %sum = heddle.reduce sum %mean axes [2] keep_sizes : tensor<?x?x?xf32> -> tensor<?x?x1xf32>
  %one = arith.constant dense<1.0> : tensor<1xf32>
  %ones = heddle.broadcast %one to ["batch", "length", 1] : tensor<1xf32> -> tensor<?x?x1xf32>
  %rest = arith.subf %ones, %sum : tensor<?x?x1xf32>
  %all = heddle.concat %mean, %rest axis(2) : tensor<?x?x?xf32>, tensor<?x?x1xf32> -> tensor<?x?x?xf32>
  return %y, %all : tensor<?x?x32xf32>, tensor<?x?x?xf32>
}

// Keys and values with those that add_bias_kv adds to them, at the end.
func.func private @extend(%k: tensor<?x?x32xf32>, %v: tensor<?x?x32xf32>)
    -> (tensor<?x?x32xf32>, tensor<?x?x32xf32>) {
  %bias_k = heddle.weight_ref @bias_k : tensor<1x1x32xf32>
  %bias_v = heddle.weight_ref @bias_v : tensor<1x1x32xf32>
  %key = heddle.broadcast %bias_k to ["batch", 1, 32] : tensor<1x1x32xf32> -> tensor<?x1x32xf32>
  %value = heddle.broadcast %bias_v to ["batch", 1, 32] : tensor<1x1x32xf32> -> tensor<?x1x32xf32>
  %keys = heddle.concat %k, %key axis(1) : tensor<?x?x32xf32>, tensor<?x1x32xf32> -> tensor<?x?x32xf32>
  %values = heddle.concat %v, %value axis(1) : tensor<?x?x32xf32>, tensor<?x1x32xf32> -> tensor<?x?x32xf32>
  return %keys, %values : tensor<?x?x32xf32>, tensor<?x?x32xf32>
}

func.func @bias_key(%x: tensor<?x?x32xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
    %memory: tensor<?x?x32xf32> {heddle.name = "memory", heddle.sizes = ["batch", "source"]},
    %mask: tensor<?x?xi1> {heddle.name = "mask", heddle.sizes = ["length", "source"]})
    -> (tensor<?x?x32xf32> {heddle.name = "y"}, tensor<?x?x?xf32> {heddle.name = "attention"}) {
  %q, %k, %v = func.call @project(%x, %memory) : (tensor<?x?x32xf32>, tensor<?x?x32xf32>)
      -> (tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>)
  %keys, %values = func.call @extend(%k, %v)
      : (tensor<?x?x32xf32>, tensor<?x?x32xf32>) -> (tensor<?x?x32xf32>, tensor<?x?x32xf32>)
  %more = heddle.pad %mask low [0, 0] high [0, 1] value(false) : tensor<?x?xi1> -> tensor<?x?xi1>
  %dropped = heddle.mask.dense %more over(query, key) : tensor<?x?xi1>
  %kept = heddle.mask.not %dropped
  %o, %weights = heddle.attention %q, %keys, %values mask(%kept) heads(4, kv = 4) results(output, weights)
      : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  %y = func.call @project_output(%o) : (tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
  %mean = heddle.reduce mean %weights axes [1] : tensor<?x4x?x?xf32> -> tensor<?x?x?xf32>
  return %y, %mean : tensor<?x?x32xf32>, tensor<?x?x?xf32>
}

// After what add_bias_kv adds, add_zero_attn adds zeros.
func.func @bias_and_zero_key(%x: tensor<?x?x32xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
    %memory: tensor<?x?x32xf32> {heddle.name = "memory", heddle.sizes = ["batch", "source"]},
    %padding: tensor<?x?xi1> {heddle.name = "padding", heddle.sizes = ["batch", "source"]})
    -> (tensor<?x?x32xf32> {heddle.name = "y"}, tensor<?x?x?xf32> {heddle.name = "attention"}) {
  %q, %k, %v = func.call @project(%x, %memory) : (tensor<?x?x32xf32>, tensor<?x?x32xf32>)
      -> (tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>)
  %extended:2 = func.call @extend(%k, %v)
      : (tensor<?x?x32xf32>, tensor<?x?x32xf32>) -> (tensor<?x?x32xf32>, tensor<?x?x32xf32>)
  %keys = heddle.pad %extended#0 low [0, 0, 0] high [0, 1, 0] value(0.0 : f32) : tensor<?x?x32xf32> -> tensor<?x?x32xf32>
  %values = heddle.pad %extended#1 low [0, 0, 0] high [0, 1, 0] value(0.0 : f32) : tensor<?x?x32xf32> -> tensor<?x?x32xf32>
  %more = heddle.pad %padding low [0, 0] high [0, 2] value(false) : tensor<?x?xi1> -> tensor<?x?xi1>
  %dropped = heddle.mask.dense %more over(batch, key) : tensor<?x?xi1>
  %kept = heddle.mask.not %dropped
  %o, %weights = heddle.attention %q, %keys, %values mask(%kept) heads(4, kv = 4) results(output, weights)
      : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  %y = func.call @project_output(%o) : (tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
  %mean = heddle.reduce mean %weights axes [1] : tensor<?x4x?x?xf32> -> tensor<?x?x?xf32>
  return %y, %mean : tensor<?x?x32xf32>, tensor<?x?x?xf32>
}
