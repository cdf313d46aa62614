// A GPT of three blocks that sorts letters, written by hand: its weights are those of a model
// that others have trained (README.md). `sort` gives what is likely to follow; `steps` gives
// every value on the way there, of the first block all of them.

heddle.weight @wte from "transformer.wte.weight" : tensor<3x48xf32>
heddle.weight @wpe from "transformer.wpe.weight" : tensor<11x48xf32>
heddle.weight @ln_f_w from "transformer.ln_f.weight" : tensor<48xf32>
heddle.weight @ln_f_b from "transformer.ln_f.bias" : tensor<48xf32>
heddle.weight @head from "lm_head.weight" : tensor<3x48xf32>
heddle.weight @ln1_w0 from "transformer.h.0.ln_1.weight" : tensor<48xf32>
heddle.weight @ln1_b0 from "transformer.h.0.ln_1.bias" : tensor<48xf32>
heddle.weight @qkv_w0 from "transformer.h.0.attn.c_attn.weight" : tensor<144x48xf32>
heddle.weight @qkv_b0 from "transformer.h.0.attn.c_attn.bias" : tensor<144xf32>
heddle.weight @proj_w0 from "transformer.h.0.attn.c_proj.weight" : tensor<48x48xf32>
heddle.weight @proj_b0 from "transformer.h.0.attn.c_proj.bias" : tensor<48xf32>
heddle.weight @ln2_w0 from "transformer.h.0.ln_2.weight" : tensor<48xf32>
heddle.weight @ln2_b0 from "transformer.h.0.ln_2.bias" : tensor<48xf32>
heddle.weight @fc_w0 from "transformer.h.0.mlp.c_fc.weight" : tensor<192x48xf32>
heddle.weight @fc_b0 from "transformer.h.0.mlp.c_fc.bias" : tensor<192xf32>
heddle.weight @out_w0 from "transformer.h.0.mlp.c_proj.weight" : tensor<48x192xf32>
heddle.weight @out_b0 from "transformer.h.0.mlp.c_proj.bias" : tensor<48xf32>

heddle.weight @ln1_w1 from "transformer.h.1.ln_1.weight" : tensor<48xf32>
heddle.weight @ln1_b1 from "transformer.h.1.ln_1.bias" : tensor<48xf32>
heddle.weight @qkv_w1 from "transformer.h.1.attn.c_attn.weight" : tensor<144x48xf32>
heddle.weight @qkv_b1 from "transformer.h.1.attn.c_attn.bias" : tensor<144xf32>
heddle.weight @proj_w1 from "transformer.h.1.attn.c_proj.weight" : tensor<48x48xf32>
heddle.weight @proj_b1 from "transformer.h.1.attn.c_proj.bias" : tensor<48xf32>
heddle.weight @ln2_w1 from "transformer.h.1.ln_2.weight" : tensor<48xf32>
heddle.weight @ln2_b1 from "transformer.h.1.ln_2.bias" : tensor<48xf32>
heddle.weight @fc_w1 from "transformer.h.1.mlp.c_fc.weight" : tensor<192x48xf32>
heddle.weight @fc_b1 from "transformer.h.1.mlp.c_fc.bias" : tensor<192xf32>
heddle.weight @out_w1 from "transformer.h.1.mlp.c_proj.weight" : tensor<48x192xf32>
heddle.weight @out_b1 from "transformer.h.1.mlp.c_proj.bias" : tensor<48xf32>

heddle.weight @ln1_w2 from "transformer.h.2.ln_1.weight" : tensor<48xf32>
heddle.weight @ln1_b2 from "transformer.h.2.ln_1.bias" : tensor<48xf32>
heddle.weight @qkv_w2 from "transformer.h.2.attn.c_attn.weight" : tensor<144x48xf32>
heddle.weight @qkv_b2 from "transformer.h.2.attn.c_attn.bias" : tensor<144xf32>
heddle.weight @proj_w2 from "transformer.h.2.attn.c_proj.weight" : tensor<48x48xf32>
heddle.weight @proj_b2 from "transformer.h.2.attn.c_proj.bias" : tensor<48xf32>
heddle.weight @ln2_w2 from "transformer.h.2.ln_2.weight" : tensor<48xf32>
heddle.weight @ln2_b2 from "transformer.h.2.ln_2.bias" : tensor<48xf32>
heddle.weight @fc_w2 from "transformer.h.2.mlp.c_fc.weight" : tensor<192x48xf32>
heddle.weight @fc_b2 from "transformer.h.2.mlp.c_fc.bias" : tensor<192xf32>
heddle.weight @out_w2 from "transformer.h.2.mlp.c_proj.weight" : tensor<48x192xf32>
heddle.weight @out_b2 from "transformer.h.2.mlp.c_proj.bias" : tensor<48xf32>

// 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
func.func private @gelu(%x: tensor<?x?x192xf32>) -> tensor<?x?x192xf32> {
  %y = heddle.generic over ["batch", "length", 192] ins(%x : tensor<?x?x192xf32>)
      maps [affine_map<(b, s, c) -> (b, s, c)>] {
  ^bb0(%e: f32):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %cubed = arith.constant 0.044715 : f32
    %root = arith.constant 0.7978845608 : f32
    %0 = arith.mulf %e, %e : f32
    %1 = arith.mulf %0, %e : f32
    %2 = arith.mulf %1, %cubed : f32
    %3 = arith.addf %e, %2 : f32
    %4 = arith.mulf %3, %root : f32
    %5 = math.tanh %4 : f32
    %6 = arith.addf %5, %one : f32
    %7 = arith.mulf %e, %half : f32
    %8 = arith.mulf %7, %6 : f32
    heddle.yield %8 : f32
  } : tensor<?x?x192xf32>
  return %y : tensor<?x?x192xf32>
}

// One block. Its last result is what it makes of %x; the others are on the way.
func.func private @block(%x: tensor<?x?x48xf32>,
    %ln1_w: tensor<48xf32>, %ln1_b: tensor<48xf32>, %qkv_w: tensor<144x48xf32>, %qkv_b: tensor<144xf32>,
    %proj_w: tensor<48x48xf32>, %proj_b: tensor<48xf32>, %ln2_w: tensor<48xf32>, %ln2_b: tensor<48xf32>,
    %fc_w: tensor<192x48xf32>, %fc_b: tensor<192xf32>, %out_w: tensor<48x192xf32>, %out_b: tensor<48xf32>)
    -> (tensor<?x?x48xf32>, tensor<?x?x144xf32>, tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>, tensor<?x?x48xf32>,
        tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x192xf32>, tensor<?x?x192xf32>,
        tensor<?x?x48xf32>, tensor<?x?x48xf32>) {
  %ln1 = heddle.layer_norm %x, %ln1_w, %ln1_b epsilon(1.0e-5) : tensor<?x?x48xf32>, tensor<48xf32>, tensor<48xf32>
  %qkv = heddle.linear %ln1, %qkv_w bias(%qkv_b : tensor<144xf32>) : tensor<?x?x48xf32>, tensor<144x48xf32>
  %q, %k, %v = heddle.split %qkv axis(2) sizes [48, 48, 48]
      : tensor<?x?x144xf32> -> tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>
  %causal = heddle.mask.causal align(top_left)
  %y, %scores, %weights = heddle.attention %q, %k, %v mask(%causal) heads(3, kv = 3)
      results(output, masked_scores, weights) : tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>
  %proj = heddle.linear %y, %proj_w bias(%proj_b : tensor<48xf32>) : tensor<?x?x48xf32>, tensor<48x48xf32>
  %mixed = arith.addf %x, %proj : tensor<?x?x48xf32>
  %ln2 = heddle.layer_norm %mixed, %ln2_w, %ln2_b epsilon(1.0e-5) : tensor<?x?x48xf32>, tensor<48xf32>, tensor<48xf32>
  %fc = heddle.linear %ln2, %fc_w bias(%fc_b : tensor<192xf32>) : tensor<?x?x48xf32>, tensor<192x48xf32>
  %gelu = func.call @gelu(%fc) : (tensor<?x?x192xf32>) -> tensor<?x?x192xf32>
  %mlp = heddle.linear %gelu, %out_w bias(%out_b : tensor<48xf32>) : tensor<?x?x192xf32>, tensor<48x192xf32>
  %out = arith.addf %mixed, %mlp : tensor<?x?x48xf32>
  return %ln1, %qkv, %scores, %weights, %y, %proj, %mixed, %ln2, %fc, %gelu, %mlp, %out
      : tensor<?x?x48xf32>, tensor<?x?x144xf32>, tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>, tensor<?x?x48xf32>,
        tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x192xf32>, tensor<?x?x192xf32>,
        tensor<?x?x48xf32>, tensor<?x?x48xf32>
}

func.func private @block0(%x: tensor<?x?x48xf32>)
    -> (tensor<?x?x48xf32>, tensor<?x?x144xf32>, tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>, tensor<?x?x48xf32>,
        tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x192xf32>, tensor<?x?x192xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>) {
  %ln1_w = heddle.weight_ref @ln1_w0 : tensor<48xf32>
  %ln1_b = heddle.weight_ref @ln1_b0 : tensor<48xf32>
  %qkv_w = heddle.weight_ref @qkv_w0 : tensor<144x48xf32>
  %qkv_b = heddle.weight_ref @qkv_b0 : tensor<144xf32>
  %proj_w = heddle.weight_ref @proj_w0 : tensor<48x48xf32>
  %proj_b = heddle.weight_ref @proj_b0 : tensor<48xf32>
  %ln2_w = heddle.weight_ref @ln2_w0 : tensor<48xf32>
  %ln2_b = heddle.weight_ref @ln2_b0 : tensor<48xf32>
  %fc_w = heddle.weight_ref @fc_w0 : tensor<192x48xf32>
  %fc_b = heddle.weight_ref @fc_b0 : tensor<192xf32>
  %out_w = heddle.weight_ref @out_w0 : tensor<48x192xf32>
  %out_b = heddle.weight_ref @out_b0 : tensor<48xf32>
  %r:12 = func.call @block(%x, %ln1_w, %ln1_b, %qkv_w, %qkv_b, %proj_w, %proj_b, %ln2_w, %ln2_b, %fc_w, %fc_b, %out_w, %out_b)
      : (tensor<?x?x48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<144x48xf32>, tensor<144xf32>, tensor<48x48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<192x48xf32>, tensor<192xf32>, tensor<48x192xf32>, tensor<48xf32>)
      -> (tensor<?x?x48xf32>, tensor<?x?x144xf32>, tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x192xf32>, tensor<?x?x192xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>)
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6, %r#7, %r#8, %r#9, %r#10, %r#11
      : tensor<?x?x48xf32>, tensor<?x?x144xf32>, tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x192xf32>, tensor<?x?x192xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>
}

func.func private @block1(%x: tensor<?x?x48xf32>)
    -> (tensor<?x?x48xf32>, tensor<?x?x144xf32>, tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>, tensor<?x?x48xf32>,
        tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x192xf32>, tensor<?x?x192xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>) {
  %ln1_w = heddle.weight_ref @ln1_w1 : tensor<48xf32>
  %ln1_b = heddle.weight_ref @ln1_b1 : tensor<48xf32>
  %qkv_w = heddle.weight_ref @qkv_w1 : tensor<144x48xf32>
  %qkv_b = heddle.weight_ref @qkv_b1 : tensor<144xf32>
  %proj_w = heddle.weight_ref @proj_w1 : tensor<48x48xf32>
  %proj_b = heddle.weight_ref @proj_b1 : tensor<48xf32>
  %ln2_w = heddle.weight_ref @ln2_w1 : tensor<48xf32>
  %ln2_b = heddle.weight_ref @ln2_b1 : tensor<48xf32>
  %fc_w = heddle.weight_ref @fc_w1 : tensor<192x48xf32>
  %fc_b = heddle.weight_ref @fc_b1 : tensor<192xf32>
  %out_w = heddle.weight_ref @out_w1 : tensor<48x192xf32>
  %out_b = heddle.weight_ref @out_b1 : tensor<48xf32>
  %r:12 = func.call @block(%x, %ln1_w, %ln1_b, %qkv_w, %qkv_b, %proj_w, %proj_b, %ln2_w, %ln2_b, %fc_w, %fc_b, %out_w, %out_b)
      : (tensor<?x?x48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<144x48xf32>, tensor<144xf32>, tensor<48x48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<192x48xf32>, tensor<192xf32>, tensor<48x192xf32>, tensor<48xf32>)
      -> (tensor<?x?x48xf32>, tensor<?x?x144xf32>, tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x192xf32>, tensor<?x?x192xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>)
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6, %r#7, %r#8, %r#9, %r#10, %r#11
      : tensor<?x?x48xf32>, tensor<?x?x144xf32>, tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x192xf32>, tensor<?x?x192xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>
}

func.func private @block2(%x: tensor<?x?x48xf32>)
    -> (tensor<?x?x48xf32>, tensor<?x?x144xf32>, tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>, tensor<?x?x48xf32>,
        tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x192xf32>, tensor<?x?x192xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>) {
  %ln1_w = heddle.weight_ref @ln1_w2 : tensor<48xf32>
  %ln1_b = heddle.weight_ref @ln1_b2 : tensor<48xf32>
  %qkv_w = heddle.weight_ref @qkv_w2 : tensor<144x48xf32>
  %qkv_b = heddle.weight_ref @qkv_b2 : tensor<144xf32>
  %proj_w = heddle.weight_ref @proj_w2 : tensor<48x48xf32>
  %proj_b = heddle.weight_ref @proj_b2 : tensor<48xf32>
  %ln2_w = heddle.weight_ref @ln2_w2 : tensor<48xf32>
  %ln2_b = heddle.weight_ref @ln2_b2 : tensor<48xf32>
  %fc_w = heddle.weight_ref @fc_w2 : tensor<192x48xf32>
  %fc_b = heddle.weight_ref @fc_b2 : tensor<192xf32>
  %out_w = heddle.weight_ref @out_w2 : tensor<48x192xf32>
  %out_b = heddle.weight_ref @out_b2 : tensor<48xf32>
  %r:12 = func.call @block(%x, %ln1_w, %ln1_b, %qkv_w, %qkv_b, %proj_w, %proj_b, %ln2_w, %ln2_b, %fc_w, %fc_b, %out_w, %out_b)
      : (tensor<?x?x48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<144x48xf32>, tensor<144xf32>, tensor<48x48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<192x48xf32>, tensor<192xf32>, tensor<48x192xf32>, tensor<48xf32>)
      -> (tensor<?x?x48xf32>, tensor<?x?x144xf32>, tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x192xf32>, tensor<?x?x192xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>)
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6, %r#7, %r#8, %r#9, %r#10, %r#11
      : tensor<?x?x48xf32>, tensor<?x?x144xf32>, tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x192xf32>, tensor<?x?x192xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>
}

func.func private @embed(%ids: tensor<?x?xi32>) -> (tensor<?x?x48xf32>, tensor<?x?x48xf32>) {
  %wte = heddle.weight_ref @wte : tensor<3x48xf32>
  %wpe = heddle.weight_ref @wpe : tensor<11x48xf32>
  %letters = heddle.embedding %ids, %wte : tensor<?x?xi32>, tensor<3x48xf32>
  %x = heddle.add_positions %letters, %wpe : tensor<?x?x48xf32>, tensor<11x48xf32>
  return %letters, %x : tensor<?x?x48xf32>, tensor<?x?x48xf32>
}

func.func private @end(%x: tensor<?x?x48xf32>) -> (tensor<?x?x48xf32>, tensor<?x?x3xf32>, tensor<?x?x3xf32>) {
  %w = heddle.weight_ref @ln_f_w : tensor<48xf32>
  %b = heddle.weight_ref @ln_f_b : tensor<48xf32>
  %head = heddle.weight_ref @head : tensor<3x48xf32>
  %ln_f = heddle.layer_norm %x, %w, %b epsilon(1.0e-5) : tensor<?x?x48xf32>, tensor<48xf32>, tensor<48xf32>
  %logits = heddle.linear %ln_f, %head : tensor<?x?x48xf32>, tensor<3x48xf32>
  %probabilities = heddle.softmax %logits axis(2) : tensor<?x?x3xf32>
  return %ln_f, %logits, %probabilities : tensor<?x?x48xf32>, tensor<?x?x3xf32>, tensor<?x?x3xf32>
}

// What follows each of the letters, as a probability for A, B and C.
func.func @sort(%ids: tensor<?x?xi32> {heddle.sizes = ["batch", "length"], heddle.name = "ids"})
    -> (tensor<?x?x3xf32> {heddle.name = "probabilities"})
    attributes {heddle.symbols = [#heddle.symbol<"batch", 1 to 1024>, #heddle.symbol<"length", 1 to 11>]} {
  %letters, %x = func.call @embed(%ids) : (tensor<?x?xi32>) -> (tensor<?x?x48xf32>, tensor<?x?x48xf32>)
  %b0:12 = func.call @block0(%x) : (tensor<?x?x48xf32>)
      -> (tensor<?x?x48xf32>, tensor<?x?x144xf32>, tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x192xf32>, tensor<?x?x192xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>)
  %b1:12 = func.call @block1(%b0#11) : (tensor<?x?x48xf32>)
      -> (tensor<?x?x48xf32>, tensor<?x?x144xf32>, tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x192xf32>, tensor<?x?x192xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>)
  %b2:12 = func.call @block2(%b1#11) : (tensor<?x?x48xf32>)
      -> (tensor<?x?x48xf32>, tensor<?x?x144xf32>, tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x192xf32>, tensor<?x?x192xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>)
  %e:3 = func.call @end(%b2#11) : (tensor<?x?x48xf32>) -> (tensor<?x?x48xf32>, tensor<?x?x3xf32>, tensor<?x?x3xf32>)
  return %e#2 : tensor<?x?x3xf32>
}

func.func @steps(%ids: tensor<?x?xi32> {heddle.sizes = ["batch", "length"], heddle.name = "ids"})
    -> (tensor<?x?x48xf32> {heddle.name = "tok_emb"},
        tensor<?x?x48xf32> {heddle.name = "x"},
        tensor<?x?x48xf32> {heddle.name = "ln1"},
        tensor<?x?x144xf32> {heddle.name = "qkv"},
        tensor<?x3x?x?xf32> {heddle.name = "att"},
        tensor<?x3x?x?xf32> {heddle.name = "attSm"},
        tensor<?x?x48xf32> {heddle.name = "y"},
        tensor<?x?x48xf32> {heddle.name = "yProj"},
        tensor<?x?x48xf32> {heddle.name = "attnResid"},
        tensor<?x?x48xf32> {heddle.name = "ln2"},
        tensor<?x?x192xf32> {heddle.name = "fc"},
        tensor<?x?x192xf32> {heddle.name = "gelu"},
        tensor<?x?x48xf32> {heddle.name = "mlp"},
        tensor<?x?x48xf32> {heddle.name = "block0"},
        tensor<?x?x48xf32> {heddle.name = "block1"},
        tensor<?x?x48xf32> {heddle.name = "block2"},
        tensor<?x?x48xf32> {heddle.name = "ln_f"},
        tensor<?x?x3xf32> {heddle.name = "lm_head"},
        tensor<?x?x3xf32> {heddle.name = "probs"})
    attributes {heddle.symbols = [#heddle.symbol<"batch", 1 to 1024>, #heddle.symbol<"length", 1 to 11>]} {
  %letters, %x = func.call @embed(%ids) : (tensor<?x?xi32>) -> (tensor<?x?x48xf32>, tensor<?x?x48xf32>)
  %b0:12 = func.call @block0(%x) : (tensor<?x?x48xf32>)
      -> (tensor<?x?x48xf32>, tensor<?x?x144xf32>, tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x192xf32>, tensor<?x?x192xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>)
  %b1:12 = func.call @block1(%b0#11) : (tensor<?x?x48xf32>)
      -> (tensor<?x?x48xf32>, tensor<?x?x144xf32>, tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x192xf32>, tensor<?x?x192xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>)
  %b2:12 = func.call @block2(%b1#11) : (tensor<?x?x48xf32>)
      -> (tensor<?x?x48xf32>, tensor<?x?x144xf32>, tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x192xf32>, tensor<?x?x192xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>)
  %e:3 = func.call @end(%b2#11) : (tensor<?x?x48xf32>) -> (tensor<?x?x48xf32>, tensor<?x?x3xf32>, tensor<?x?x3xf32>)
  return %letters, %x, %b0#0, %b0#1, %b0#2, %b0#3, %b0#4, %b0#5, %b0#6, %b0#7, %b0#8, %b0#9, %b0#10, %b0#11, %b1#11, %b2#11, %e#0, %e#1, %e#2
      : tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x144xf32>, tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x192xf32>, tensor<?x?x192xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x3xf32>, tensor<?x?x3xf32>
}
