// nn.Transformer of PyTorch, and its nn.TransformerEncoder and nn.TransformerDecoder, which end with
// norms: the function of a name is the case of that name in goldens.py.

heddle.weight @encoder.layers.0.self_attn.in_proj_weight from "encoder.layers.0.self_attn.in_proj_weight" : tensor<48x16xf32>
heddle.weight @encoder.layers.0.self_attn.in_proj_bias from "encoder.layers.0.self_attn.in_proj_bias" : tensor<48xf32>
heddle.weight @encoder.layers.0.self_attn.out_proj.weight from "encoder.layers.0.self_attn.out_proj.weight" : tensor<16x16xf32>
heddle.weight @encoder.layers.0.self_attn.out_proj.bias from "encoder.layers.0.self_attn.out_proj.bias" : tensor<16xf32>
heddle.weight @encoder.layers.0.linear1.weight from "encoder.layers.0.linear1.weight" : tensor<36x16xf32>
heddle.weight @encoder.layers.0.linear1.bias from "encoder.layers.0.linear1.bias" : tensor<36xf32>
heddle.weight @encoder.layers.0.linear2.weight from "encoder.layers.0.linear2.weight" : tensor<16x36xf32>
heddle.weight @encoder.layers.0.linear2.bias from "encoder.layers.0.linear2.bias" : tensor<16xf32>
heddle.weight @encoder.layers.0.norm1.weight from "encoder.layers.0.norm1.weight" : tensor<16xf32>
heddle.weight @encoder.layers.0.norm1.bias from "encoder.layers.0.norm1.bias" : tensor<16xf32>
heddle.weight @encoder.layers.0.norm2.weight from "encoder.layers.0.norm2.weight" : tensor<16xf32>
heddle.weight @encoder.layers.0.norm2.bias from "encoder.layers.0.norm2.bias" : tensor<16xf32>
heddle.weight @encoder.layers.1.self_attn.in_proj_weight from "encoder.layers.1.self_attn.in_proj_weight" : tensor<48x16xf32>
heddle.weight @encoder.layers.1.self_attn.in_proj_bias from "encoder.layers.1.self_attn.in_proj_bias" : tensor<48xf32>
heddle.weight @encoder.layers.1.self_attn.out_proj.weight from "encoder.layers.1.self_attn.out_proj.weight" : tensor<16x16xf32>
heddle.weight @encoder.layers.1.self_attn.out_proj.bias from "encoder.layers.1.self_attn.out_proj.bias" : tensor<16xf32>
heddle.weight @encoder.layers.1.linear1.weight from "encoder.layers.1.linear1.weight" : tensor<36x16xf32>
heddle.weight @encoder.layers.1.linear1.bias from "encoder.layers.1.linear1.bias" : tensor<36xf32>
heddle.weight @encoder.layers.1.linear2.weight from "encoder.layers.1.linear2.weight" : tensor<16x36xf32>
heddle.weight @encoder.layers.1.linear2.bias from "encoder.layers.1.linear2.bias" : tensor<16xf32>
heddle.weight @encoder.layers.1.norm1.weight from "encoder.layers.1.norm1.weight" : tensor<16xf32>
heddle.weight @encoder.layers.1.norm1.bias from "encoder.layers.1.norm1.bias" : tensor<16xf32>
heddle.weight @encoder.layers.1.norm2.weight from "encoder.layers.1.norm2.weight" : tensor<16xf32>
heddle.weight @encoder.layers.1.norm2.bias from "encoder.layers.1.norm2.bias" : tensor<16xf32>
heddle.weight @encoder.norm.weight from "encoder.norm.weight" : tensor<16xf32>
heddle.weight @encoder.norm.bias from "encoder.norm.bias" : tensor<16xf32>
heddle.weight @decoder.layers.0.self_attn.in_proj_weight from "decoder.layers.0.self_attn.in_proj_weight" : tensor<48x16xf32>
heddle.weight @decoder.layers.0.self_attn.in_proj_bias from "decoder.layers.0.self_attn.in_proj_bias" : tensor<48xf32>
heddle.weight @decoder.layers.0.self_attn.out_proj.weight from "decoder.layers.0.self_attn.out_proj.weight" : tensor<16x16xf32>
heddle.weight @decoder.layers.0.self_attn.out_proj.bias from "decoder.layers.0.self_attn.out_proj.bias" : tensor<16xf32>
heddle.weight @decoder.layers.0.multihead_attn.in_proj_weight from "decoder.layers.0.multihead_attn.in_proj_weight" : tensor<48x16xf32>
heddle.weight @decoder.layers.0.multihead_attn.in_proj_bias from "decoder.layers.0.multihead_attn.in_proj_bias" : tensor<48xf32>
heddle.weight @decoder.layers.0.multihead_attn.out_proj.weight from "decoder.layers.0.multihead_attn.out_proj.weight" : tensor<16x16xf32>
heddle.weight @decoder.layers.0.multihead_attn.out_proj.bias from "decoder.layers.0.multihead_attn.out_proj.bias" : tensor<16xf32>
heddle.weight @decoder.layers.0.linear1.weight from "decoder.layers.0.linear1.weight" : tensor<36x16xf32>
heddle.weight @decoder.layers.0.linear1.bias from "decoder.layers.0.linear1.bias" : tensor<36xf32>
heddle.weight @decoder.layers.0.linear2.weight from "decoder.layers.0.linear2.weight" : tensor<16x36xf32>
heddle.weight @decoder.layers.0.linear2.bias from "decoder.layers.0.linear2.bias" : tensor<16xf32>
heddle.weight @decoder.layers.0.norm1.weight from "decoder.layers.0.norm1.weight" : tensor<16xf32>
heddle.weight @decoder.layers.0.norm1.bias from "decoder.layers.0.norm1.bias" : tensor<16xf32>
heddle.weight @decoder.layers.0.norm2.weight from "decoder.layers.0.norm2.weight" : tensor<16xf32>
heddle.weight @decoder.layers.0.norm2.bias from "decoder.layers.0.norm2.bias" : tensor<16xf32>
heddle.weight @decoder.layers.0.norm3.weight from "decoder.layers.0.norm3.weight" : tensor<16xf32>
heddle.weight @decoder.layers.0.norm3.bias from "decoder.layers.0.norm3.bias" : tensor<16xf32>
heddle.weight @decoder.layers.1.self_attn.in_proj_weight from "decoder.layers.1.self_attn.in_proj_weight" : tensor<48x16xf32>
heddle.weight @decoder.layers.1.self_attn.in_proj_bias from "decoder.layers.1.self_attn.in_proj_bias" : tensor<48xf32>
heddle.weight @decoder.layers.1.self_attn.out_proj.weight from "decoder.layers.1.self_attn.out_proj.weight" : tensor<16x16xf32>
heddle.weight @decoder.layers.1.self_attn.out_proj.bias from "decoder.layers.1.self_attn.out_proj.bias" : tensor<16xf32>
heddle.weight @decoder.layers.1.multihead_attn.in_proj_weight from "decoder.layers.1.multihead_attn.in_proj_weight" : tensor<48x16xf32>
heddle.weight @decoder.layers.1.multihead_attn.in_proj_bias from "decoder.layers.1.multihead_attn.in_proj_bias" : tensor<48xf32>
heddle.weight @decoder.layers.1.multihead_attn.out_proj.weight from "decoder.layers.1.multihead_attn.out_proj.weight" : tensor<16x16xf32>
heddle.weight @decoder.layers.1.multihead_attn.out_proj.bias from "decoder.layers.1.multihead_attn.out_proj.bias" : tensor<16xf32>
heddle.weight @decoder.layers.1.linear1.weight from "decoder.layers.1.linear1.weight" : tensor<36x16xf32>
heddle.weight @decoder.layers.1.linear1.bias from "decoder.layers.1.linear1.bias" : tensor<36xf32>
heddle.weight @decoder.layers.1.linear2.weight from "decoder.layers.1.linear2.weight" : tensor<16x36xf32>
heddle.weight @decoder.layers.1.linear2.bias from "decoder.layers.1.linear2.bias" : tensor<16xf32>
heddle.weight @decoder.layers.1.norm1.weight from "decoder.layers.1.norm1.weight" : tensor<16xf32>
heddle.weight @decoder.layers.1.norm1.bias from "decoder.layers.1.norm1.bias" : tensor<16xf32>
heddle.weight @decoder.layers.1.norm2.weight from "decoder.layers.1.norm2.weight" : tensor<16xf32>
heddle.weight @decoder.layers.1.norm2.bias from "decoder.layers.1.norm2.bias" : tensor<16xf32>
heddle.weight @decoder.layers.1.norm3.weight from "decoder.layers.1.norm3.weight" : tensor<16xf32>
heddle.weight @decoder.layers.1.norm3.bias from "decoder.layers.1.norm3.bias" : tensor<16xf32>
heddle.weight @decoder.norm.weight from "decoder.norm.weight" : tensor<16xf32>
heddle.weight @decoder.norm.bias from "decoder.norm.bias" : tensor<16xf32>

func.func @encoder(%x: tensor<?x?x16xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]})
    -> (tensor<?x?x16xf32> {heddle.name = "y"}) {
  %valid = heddle.mask.lengths %lengths : tensor<?xi32>
  %y = heddle.encoder %x from("encoder") layers(2) mask(%valid) heads(2) norm(pre) activation(gelu)
       epsilon(1.0e-5) : tensor<?x?x16xf32>
  return %y : tensor<?x?x16xf32>
}

func.func @decoder(%x: tensor<?x?x16xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
    %memory: tensor<?x?x16xf32> {heddle.name = "memory", heddle.sizes = ["batch", "source"]})
    -> (tensor<?x?x16xf32> {heddle.name = "y"}) {
  %causal = heddle.mask.causal align(top_left)
  %y = heddle.decoder %x, %memory from("decoder") layers(2) mask(%causal) heads(2) norm(pre)
       activation(gelu) epsilon(1.0e-5) : tensor<?x?x16xf32>, tensor<?x?x16xf32>
  return %y : tensor<?x?x16xf32>
}

func.func @whole_post(%source: tensor<?x?x16xf32> {heddle.name = "src", heddle.sizes = ["batch", "source"]},
    %target: tensor<?x?x16xf32> {heddle.name = "tgt", heddle.sizes = ["batch", "length"]},
    %source_lengths: tensor<?xi32> {heddle.name = "source_lengths", heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]})
    -> (tensor<?x?x16xf32> {heddle.name = "y"}) {
  %source_valid = heddle.mask.lengths %source_lengths : tensor<?xi32>
  %causal = heddle.mask.causal align(top_left)
  %valid = heddle.mask.lengths %lengths : tensor<?xi32>
  %kept = heddle.mask.and %causal, %valid
  %y = heddle.encoder_decoder %source, %target from("") layers(2, 2) source_mask(%source_valid)
       target_mask(%kept) memory_mask(%source_valid) heads(2) norm(post) activation(gelu)
       epsilon(1.0e-5) : tensor<?x?x16xf32>, tensor<?x?x16xf32> -> tensor<?x?x16xf32>
  return %y : tensor<?x?x16xf32>
}

func.func @whole_pre(%source: tensor<?x?x16xf32> {heddle.name = "src", heddle.sizes = ["batch", "source"]},
    %target: tensor<?x?x16xf32> {heddle.name = "tgt", heddle.sizes = ["batch", "length"]},
    %source_lengths: tensor<?xi32> {heddle.name = "source_lengths", heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]})
    -> (tensor<?x?x16xf32> {heddle.name = "y"}) {
  %source_valid = heddle.mask.lengths %source_lengths : tensor<?xi32>
  %causal = heddle.mask.causal align(top_left)
  %valid = heddle.mask.lengths %lengths : tensor<?xi32>
  %kept = heddle.mask.and %causal, %valid
  %y = heddle.encoder_decoder %source, %target from("") layers(2, 2) source_mask(%source_valid)
       target_mask(%kept) memory_mask(%source_valid) heads(2) norm(pre) activation(gelu)
       epsilon(1.0e-5) : tensor<?x?x16xf32>, tensor<?x?x16xf32> -> tensor<?x?x16xf32>
  return %y : tensor<?x?x16xf32>
}
