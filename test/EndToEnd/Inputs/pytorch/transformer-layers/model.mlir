// nn.TransformerEncoderLayer and nn.TransformerDecoderLayer of PyTorch, with `norm_first` (pre) and
// without (post): the function of a name is the case of that name in goldens.py. Queries see no
// later keys, and no padding.

heddle.weight @encoder_layer.self_attn.in_proj_weight from "encoder_layer.self_attn.in_proj_weight" : tensor<72x24xf32>
heddle.weight @encoder_layer.self_attn.in_proj_bias from "encoder_layer.self_attn.in_proj_bias" : tensor<72xf32>
heddle.weight @encoder_layer.self_attn.out_proj.weight from "encoder_layer.self_attn.out_proj.weight" : tensor<24x24xf32>
heddle.weight @encoder_layer.self_attn.out_proj.bias from "encoder_layer.self_attn.out_proj.bias" : tensor<24xf32>
heddle.weight @encoder_layer.linear1.weight from "encoder_layer.linear1.weight" : tensor<40x24xf32>
heddle.weight @encoder_layer.linear1.bias from "encoder_layer.linear1.bias" : tensor<40xf32>
heddle.weight @encoder_layer.linear2.weight from "encoder_layer.linear2.weight" : tensor<24x40xf32>
heddle.weight @encoder_layer.linear2.bias from "encoder_layer.linear2.bias" : tensor<24xf32>
heddle.weight @encoder_layer.norm1.weight from "encoder_layer.norm1.weight" : tensor<24xf32>
heddle.weight @encoder_layer.norm1.bias from "encoder_layer.norm1.bias" : tensor<24xf32>
heddle.weight @encoder_layer.norm2.weight from "encoder_layer.norm2.weight" : tensor<24xf32>
heddle.weight @encoder_layer.norm2.bias from "encoder_layer.norm2.bias" : tensor<24xf32>
heddle.weight @decoder_layer.self_attn.in_proj_weight from "decoder_layer.self_attn.in_proj_weight" : tensor<72x24xf32>
heddle.weight @decoder_layer.self_attn.in_proj_bias from "decoder_layer.self_attn.in_proj_bias" : tensor<72xf32>
heddle.weight @decoder_layer.self_attn.out_proj.weight from "decoder_layer.self_attn.out_proj.weight" : tensor<24x24xf32>
heddle.weight @decoder_layer.self_attn.out_proj.bias from "decoder_layer.self_attn.out_proj.bias" : tensor<24xf32>
heddle.weight @decoder_layer.multihead_attn.in_proj_weight from "decoder_layer.multihead_attn.in_proj_weight" : tensor<72x24xf32>
heddle.weight @decoder_layer.multihead_attn.in_proj_bias from "decoder_layer.multihead_attn.in_proj_bias" : tensor<72xf32>
heddle.weight @decoder_layer.multihead_attn.out_proj.weight from "decoder_layer.multihead_attn.out_proj.weight" : tensor<24x24xf32>
heddle.weight @decoder_layer.multihead_attn.out_proj.bias from "decoder_layer.multihead_attn.out_proj.bias" : tensor<24xf32>
heddle.weight @decoder_layer.linear1.weight from "decoder_layer.linear1.weight" : tensor<40x24xf32>
heddle.weight @decoder_layer.linear1.bias from "decoder_layer.linear1.bias" : tensor<40xf32>
heddle.weight @decoder_layer.linear2.weight from "decoder_layer.linear2.weight" : tensor<24x40xf32>
heddle.weight @decoder_layer.linear2.bias from "decoder_layer.linear2.bias" : tensor<24xf32>
heddle.weight @decoder_layer.norm1.weight from "decoder_layer.norm1.weight" : tensor<24xf32>
heddle.weight @decoder_layer.norm1.bias from "decoder_layer.norm1.bias" : tensor<24xf32>
heddle.weight @decoder_layer.norm2.weight from "decoder_layer.norm2.weight" : tensor<24xf32>
heddle.weight @decoder_layer.norm2.bias from "decoder_layer.norm2.bias" : tensor<24xf32>
heddle.weight @decoder_layer.norm3.weight from "decoder_layer.norm3.weight" : tensor<24xf32>
heddle.weight @decoder_layer.norm3.bias from "decoder_layer.norm3.bias" : tensor<24xf32>

//===-- Encoder layers ------------------------------------------------------------===//

func.func @encoder_post_relu(%x: tensor<?x?x24xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]})
    -> (tensor<?x?x24xf32> {heddle.name = "y"}) {
  %causal = heddle.mask.causal align(top_left)
  %valid = heddle.mask.lengths %lengths : tensor<?xi32>
  %kept = heddle.mask.and %causal, %valid
  %y = heddle.encoder_layer %x from("encoder_layer") mask(%kept) heads(3) norm(post) activation(relu)
       epsilon(1.0e-5) : tensor<?x?x24xf32>
  return %y : tensor<?x?x24xf32>
}

func.func @encoder_post_gelu(%x: tensor<?x?x24xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]})
    -> (tensor<?x?x24xf32> {heddle.name = "y"}) {
  %causal = heddle.mask.causal align(top_left)
  %valid = heddle.mask.lengths %lengths : tensor<?xi32>
  %kept = heddle.mask.and %causal, %valid
  %y = heddle.encoder_layer %x from("encoder_layer") mask(%kept) heads(3) norm(post) activation(gelu)
       epsilon(1.0e-5) : tensor<?x?x24xf32>
  return %y : tensor<?x?x24xf32>
}

func.func @encoder_pre_relu(%x: tensor<?x?x24xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]})
    -> (tensor<?x?x24xf32> {heddle.name = "y"}) {
  %causal = heddle.mask.causal align(top_left)
  %valid = heddle.mask.lengths %lengths : tensor<?xi32>
  %kept = heddle.mask.and %causal, %valid
  %y = heddle.encoder_layer %x from("encoder_layer") mask(%kept) heads(3) norm(pre) activation(relu)
       epsilon(1.0e-5) : tensor<?x?x24xf32>
  return %y : tensor<?x?x24xf32>
}

func.func @encoder_pre_gelu(%x: tensor<?x?x24xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]})
    -> (tensor<?x?x24xf32> {heddle.name = "y"}) {
  %causal = heddle.mask.causal align(top_left)
  %valid = heddle.mask.lengths %lengths : tensor<?xi32>
  %kept = heddle.mask.and %causal, %valid
  %y = heddle.encoder_layer %x from("encoder_layer") mask(%kept) heads(3) norm(pre) activation(gelu)
       epsilon(1.0e-5) : tensor<?x?x24xf32>
  return %y : tensor<?x?x24xf32>
}

//===-- Decoder layers ------------------------------------------------------------===//

// What is true in PyTorch's masks is dropped.
func.func @decoder_post_relu(%x: tensor<?x?x24xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
    %memory: tensor<?x?x24xf32> {heddle.name = "memory", heddle.sizes = ["batch", "source"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]},
    %memory_mask: tensor<?x?xi1> {heddle.name = "memory_mask", heddle.sizes = ["length", "source"]},
    %memory_lengths: tensor<?xi32> {heddle.name = "memory_lengths", heddle.sizes = ["batch"]})
    -> (tensor<?x?x24xf32> {heddle.name = "y"}) {
  %causal = heddle.mask.causal align(top_left)
  %valid = heddle.mask.lengths %lengths : tensor<?xi32>
  %kept = heddle.mask.and %causal, %valid
  %dropped = heddle.mask.dense %memory_mask over(query, key) : tensor<?x?xi1>
  %chosen = heddle.mask.not %dropped
  %memory_valid = heddle.mask.lengths %memory_lengths : tensor<?xi32>
  %memory_kept = heddle.mask.and %chosen, %memory_valid
  %y = heddle.decoder_layer %x, %memory from("decoder_layer") mask(%kept) memory_mask(%memory_kept)
       heads(3) norm(post) activation(relu) epsilon(1.0e-5) : tensor<?x?x24xf32>, tensor<?x?x24xf32>
  return %y : tensor<?x?x24xf32>
}

func.func @decoder_post_gelu(%x: tensor<?x?x24xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
    %memory: tensor<?x?x24xf32> {heddle.name = "memory", heddle.sizes = ["batch", "source"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]},
    %memory_mask: tensor<?x?xi1> {heddle.name = "memory_mask", heddle.sizes = ["length", "source"]},
    %memory_lengths: tensor<?xi32> {heddle.name = "memory_lengths", heddle.sizes = ["batch"]})
    -> (tensor<?x?x24xf32> {heddle.name = "y"}) {
  %causal = heddle.mask.causal align(top_left)
  %valid = heddle.mask.lengths %lengths : tensor<?xi32>
  %kept = heddle.mask.and %causal, %valid
  %dropped = heddle.mask.dense %memory_mask over(query, key) : tensor<?x?xi1>
  %chosen = heddle.mask.not %dropped
  %memory_valid = heddle.mask.lengths %memory_lengths : tensor<?xi32>
  %memory_kept = heddle.mask.and %chosen, %memory_valid
  %y = heddle.decoder_layer %x, %memory from("decoder_layer") mask(%kept) memory_mask(%memory_kept)
       heads(3) norm(post) activation(gelu) epsilon(1.0e-5) : tensor<?x?x24xf32>, tensor<?x?x24xf32>
  return %y : tensor<?x?x24xf32>
}

func.func @decoder_pre_relu(%x: tensor<?x?x24xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
    %memory: tensor<?x?x24xf32> {heddle.name = "memory", heddle.sizes = ["batch", "source"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]},
    %memory_mask: tensor<?x?xi1> {heddle.name = "memory_mask", heddle.sizes = ["length", "source"]},
    %memory_lengths: tensor<?xi32> {heddle.name = "memory_lengths", heddle.sizes = ["batch"]})
    -> (tensor<?x?x24xf32> {heddle.name = "y"}) {
  %causal = heddle.mask.causal align(top_left)
  %valid = heddle.mask.lengths %lengths : tensor<?xi32>
  %kept = heddle.mask.and %causal, %valid
  %dropped = heddle.mask.dense %memory_mask over(query, key) : tensor<?x?xi1>
  %chosen = heddle.mask.not %dropped
  %memory_valid = heddle.mask.lengths %memory_lengths : tensor<?xi32>
  %memory_kept = heddle.mask.and %chosen, %memory_valid
  %y = heddle.decoder_layer %x, %memory from("decoder_layer") mask(%kept) memory_mask(%memory_kept)
       heads(3) norm(pre) activation(relu) epsilon(1.0e-5) : tensor<?x?x24xf32>, tensor<?x?x24xf32>
  return %y : tensor<?x?x24xf32>
}

func.func @decoder_pre_gelu(%x: tensor<?x?x24xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
    %memory: tensor<?x?x24xf32> {heddle.name = "memory", heddle.sizes = ["batch", "source"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]},
    %memory_mask: tensor<?x?xi1> {heddle.name = "memory_mask", heddle.sizes = ["length", "source"]},
    %memory_lengths: tensor<?xi32> {heddle.name = "memory_lengths", heddle.sizes = ["batch"]})
    -> (tensor<?x?x24xf32> {heddle.name = "y"}) {
  %causal = heddle.mask.causal align(top_left)
  %valid = heddle.mask.lengths %lengths : tensor<?xi32>
  %kept = heddle.mask.and %causal, %valid
  %dropped = heddle.mask.dense %memory_mask over(query, key) : tensor<?x?xi1>
  %chosen = heddle.mask.not %dropped
  %memory_valid = heddle.mask.lengths %memory_lengths : tensor<?xi32>
  %memory_kept = heddle.mask.and %chosen, %memory_valid
  %y = heddle.decoder_layer %x, %memory from("decoder_layer") mask(%kept) memory_mask(%memory_kept)
       heads(3) norm(pre) activation(gelu) epsilon(1.0e-5) : tensor<?x?x24xf32>, tensor<?x?x24xf32>
  return %y : tensor<?x?x24xf32>
}
