// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whole layers of a transformer, and stacks of them, whose parameters are found by name:
// those of the heddle.weights whose symbols begin with a prefix and a dot. What follows is
// as in the state of PyTorch's nn.TransformerEncoderLayer, nn.TransformerDecoderLayer and
// nn.Transformer, as at inference: there is no dropout. `--heddle-expand-layers` replaces
// these ops by smaller ones.
//
// Every parameter under the prefix is used, or it is an error, and so is one that is
// missing. (Of an empty prefix other weights may be a function's own: one that nothing uses is
// an error.)
// Optional ones are used where there is a weight of their name.

// Regions say how scores of attention change, as `score` of heddle.attention does: a mask of
// numbers that are added is one of arith.addf. Each layer has its own copy.
//
// With `cache`, keys and values of attention to the tokens themselves are appended to a cache and
// read from it, as heddle.multi_head_attention has it; the second result is the cache. The mask
// keeps those that are there.

// What all of them have. Attention under the name A (`self_attn`, `multihead_attn`) has
//   A.in_proj_weight   [(heads + 2 kv) d, channels], rows in the order q, k, v
//   A.in_proj_bias     optional
//   A.out_proj.weight  [channels, heads d]
//   A.out_proj.bias    optional
//   A.q_norm.weight, A.k_norm.weight   optional, both or none: norms of heads
// A.q_proj_weight, A.k_proj_weight and A.v_proj_weight may take the place of
// A.in_proj_weight. A feed-forward layer has linear1.weight, [hidden, channels], and
// linear2.weight, [channels, hidden]; linear1.bias and linear2.bias are both there or none
// is. It is gated where there is a linear_gate.weight, [hidden, channels], with a bias if the
// others have one. A norm N has N.weight and, if its kind is `layer`, an optional N.bias.
class Heddle_TransformerOp<string mnemonic, list<Trait> traits = []>
    : Heddle_Op<mnemonic,
          !listconcat([Pure, AttrSizedOperandSegments, IsolatedFromAbove,
                       Heddle_ActivationsOpInterface], traits)> {
  dag options = (ins StrAttr:$prefix, I64Attr:$heads, OptionalAttr<I64Attr>:$kvHeads,
      Heddle_NormOrderAttr:$norm, OptionalAttr<Heddle_NormKindAttr>:$normKind,
      Heddle_ActivationAttr:$activation, F64Attr:$epsilon);
  string optionsFormat = [{
    `heads` `(` $heads (`,` `kv` `=` $kvHeads^)? `)`
    `norm` `(` custom<Keyword>($norm) (`,` custom<Keyword>($normKind)^)? `)`
    `activation` `(` custom<Keyword>($activation) `)` `epsilon` `(` $epsilon `)`
  }];
  dag caching = (ins Optional<Heddle_CacheType>:$cache, Optional<Heddle_Counts>:$starts,
      Optional<Heddle_Counts>:$lengths);
  string cachingFormat = [{
    `at` `(` $starts `:` type($starts) `)` `lengths` `(` $lengths `:` type($lengths) `)`
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

// Of a result, and the cache if there is one.
class Heddle_CachingLayerOp<string mnemonic>
    : Heddle_TransformerOp<mnemonic, [InferTypeOpAdaptor]> {
  let results = (outs Heddle_Tokens:$result, Optional<Heddle_CacheType>:$updated);
}

// The text of a change of scores.
class Heddle_ScoreFormat<string name, string operands, string region> {
  string format = "(`" # name # "` `` custom<OperandsAndRegion>($" # operands # ", type($" # operands
      # "), $" # region # ")^)?";
}

def Heddle_EncoderLayerOp : Heddle_CachingLayerOp<"encoder_layer"> {
  let summary = "attention of a sequence to itself, and a feed-forward layer";
  let description = [{
    Two steps, x = s1(x) and x = s2(x), of which f1 is heddle.multi_head_attention of x to
    itself and f2 heddle.feed_forward:

    * `norm(post)`: `s_i(x) = norm_i(x + f_i(x))` (Vaswani et al., arXiv:1706.03762)
    * `norm(pre)`: `s_i(x) = x + f_i(norm_i(x))` (Xiong et al., arXiv:2002.04745)
    * `norm(sandwich)`: `s_i(x) = x + post_norm_i(f_i(norm_i(x)))` (Gemma 2,
      arXiv:2408.00118)

    Norms are heddle.layer_norm, or heddle.rms_norm where `norm` says so: `norm(pre, rms)`.
    Parameters under the prefix: attention `self_attn`, the feed-forward layer, norms
    `norm1` and `norm2`, and of sandwiches `post_norm1` and `post_norm2`. Activations are
    [batch, length, channels]. `kv` is as many as `heads` where it is not given.

    ```mlir
    %y = heddle.encoder_layer %x from("encoder.layers.0") mask(%m) heads(4) norm(post)
         activation(relu) epsilon(1.0e-5) : tensor<?x?x64xf32>
    %z, %c1 = heddle.encoder_layer %x from("decoder.layers.0") mask(%m)
         cache(%c : !heddle.cache<5 x 4 x 16 x f32>) layer(0) at(%starts : tensor<?xi32>)
         lengths(%lengths : tensor<?xi32>) heads(4) norm(post) activation(relu) epsilon(1.0e-5)
         score(%bias : tensor<?x4x?x?xf32>) {
         ^bb0(%score: tensor<?x4x?x?xf32>, %more: tensor<?x4x?x?xf32>):
           %0 = arith.addf %score, %more : tensor<?x4x?x?xf32>
           heddle.yield %0 : tensor<?x4x?x?xf32>
         } : tensor<?x?x64xf32>
    ```

    Constraints:
    * (C1) `kv` divides `heads`.
    * (C2) `epsilon` is from 0 to the largest f32.
    * (C3) `cache`, `layer`, `at` and `lengths` are given together.
    * (C4) `score` is as that of heddle.attention, in its (C8) and (C9).
  }];
  let arguments = !con((ins Heddle_Tokens:$input, Optional<Heddle_MaskType>:$mask), caching,
      (ins OptionalAttr<I64Attr>:$layer, Variadic<Heddle_Tensor>:$scoreOperands), options);
  let regions = (region MaxSizedRegion<1>:$score);
  let extraClassDeclaration = Heddle_RegionOperands<"getScoreOperands()">.declaration;
  let assemblyFormat = [{
    $input `from` `(` $prefix `)` (`mask` `(` $mask^ `)`)?
    (`cache` `(` $cache^ `:` qualified(type($cache)) `)` `layer` `(` $layer `)`
  }] # cachingFormat # ")?" # optionsFormat
      # Heddle_ScoreFormat<"score", "scoreOperands", "score">.format
      # "attr-dict `:` type($input)";
}

def Heddle_DecoderLayerOp : Heddle_CachingLayerOp<"decoder_layer"> {
  let summary = "attention of a sequence to itself and to a memory, and a feed-forward layer";
  let description = [{
    Three steps as those of heddle.encoder_layer: f1 is attention of x to itself, f2
    attention of x to `memory` and f3 the feed-forward layer. `mask`, `cache` and `score` are
    those of f1, `memory_mask` and `memory_score` those of f2. Parameters under the prefix: attention `self_attn` and
    `multihead_attn`, the feed-forward layer, norms `norm1` to `norm3`, and of sandwiches
    `post_norm1` to `post_norm3`.

    ```mlir
    %y = heddle.decoder_layer %x, %memory from("decoder.layers.0") mask(%causal)
         memory_mask(%valid) heads(4) norm(pre) activation(gelu) epsilon(1.0e-5)
       : tensor<?x?x64xf32>, tensor<?x?x64xf32>
    ```

    Constraints:
    * (C1) `kv` divides `heads`.
    * (C2) `epsilon` is from 0 to the largest f32.
    * (C3) `cache`, `layer`, `at` and `lengths` are given together.
    * (C4) `score` and `memory_score` are as `score` of heddle.attention, in its (C8) and (C9).
  }];
  let arguments = !con((ins Heddle_Tokens:$input, Heddle_Tokens:$memory,
      Optional<Heddle_MaskType>:$mask, Optional<Heddle_MaskType>:$memoryMask), caching,
      (ins OptionalAttr<I64Attr>:$layer, Variadic<Heddle_Tensor>:$scoreOperands,
       Variadic<Heddle_Tensor>:$memoryScoreOperands), options);
  let regions = (region MaxSizedRegion<1>:$score, MaxSizedRegion<1>:$memoryScore);
  let extraClassDeclaration = Heddle_RegionOperands<
      "getScoreOperands(), getMemoryScoreOperands()">.declaration;
  let assemblyFormat = [{
    $input `,` $memory `from` `(` $prefix `)` (`mask` `(` $mask^ `)`)?
    (`memory_mask` `(` $memoryMask^ `)`)?
    (`cache` `(` $cache^ `:` qualified(type($cache)) `)` `layer` `(` $layer `)`
  }] # cachingFormat # ")?" # optionsFormat
      # Heddle_ScoreFormat<"score", "scoreOperands", "score">.format
      # Heddle_ScoreFormat<"memory_score", "memoryScoreOperands", "memoryScore">.format
      # "attr-dict `:` type($input) `,` type($memory)";
}

def Heddle_EncoderOp : Heddle_CachingLayerOp<"encoder"> {
  let summary = "encoder layers, one after the other";
  let description = [{
    heddle.encoder_layer from `PREFIX.layers.0`, `PREFIX.layers.1` and so on, `layers` of
    them, and then the norm `PREFIX.norm`, if there is a `PREFIX.norm.weight`. Layer i has
    layer i of the cache.

    ```mlir
    %y = heddle.encoder %x from("encoder") layers(6) mask(%m) heads(4) norm(post)
         activation(relu) epsilon(1.0e-5) : tensor<?x?x64xf32>
    ```

    Constraints:
    * (C1) `kv` divides `heads`.
    * (C2) `epsilon` is from 0 to the largest f32.
    * (C3) there is at least one layer.
    * (C4) `cache`, `at` and `lengths` are given together.
    * (C5) `score` is as that of heddle.attention, in its (C8) and (C9).
  }];
  let arguments = !con((ins Heddle_Tokens:$input, Optional<Heddle_MaskType>:$mask), caching,
      (ins Variadic<Heddle_Tensor>:$scoreOperands, I64Attr:$layers), options);
  let regions = (region MaxSizedRegion<1>:$score);
  let extraClassDeclaration = Heddle_RegionOperands<"getScoreOperands()">.declaration;
  let assemblyFormat = [{
    $input `from` `(` $prefix `)` `layers` `(` $layers `)` (`mask` `(` $mask^ `)`)?
    (`cache` `(` $cache^ `:` qualified(type($cache)) `)`
  }] # cachingFormat # ")?" # optionsFormat
      # Heddle_ScoreFormat<"score", "scoreOperands", "score">.format
      # "attr-dict `:` type($input)";
}

def Heddle_DecoderOp : Heddle_CachingLayerOp<"decoder"> {
  let summary = "decoder layers, one after the other";
  let description = [{
    heddle.decoder_layer from `PREFIX.layers.0` and so on, all with the same `memory`, and
    then the norm `PREFIX.norm`, if there is a `PREFIX.norm.weight`. Layer i has layer i of
    the cache.

    ```mlir
    %y = heddle.decoder %x, %memory from("decoder") layers(6) mask(%causal)
         memory_mask(%valid) heads(4) norm(post) activation(relu) epsilon(1.0e-5)
       : tensor<?x?x64xf32>, tensor<?x?x64xf32>
    ```

    Constraints:
    * (C1) `kv` divides `heads`.
    * (C2) `epsilon` is from 0 to the largest f32.
    * (C3) there is at least one layer.
    * (C4) `cache`, `at` and `lengths` are given together.
    * (C5) `score` and `memory_score` are as `score` of heddle.attention, in its (C8) and (C9).
  }];
  let arguments = !con((ins Heddle_Tokens:$input, Heddle_Tokens:$memory,
      Optional<Heddle_MaskType>:$mask, Optional<Heddle_MaskType>:$memoryMask), caching,
      (ins Variadic<Heddle_Tensor>:$scoreOperands, Variadic<Heddle_Tensor>:$memoryScoreOperands,
       I64Attr:$layers), options);
  let regions = (region MaxSizedRegion<1>:$score, MaxSizedRegion<1>:$memoryScore);
  let extraClassDeclaration = Heddle_RegionOperands<
      "getScoreOperands(), getMemoryScoreOperands()">.declaration;
  let assemblyFormat = [{
    $input `,` $memory `from` `(` $prefix `)` `layers` `(` $layers `)`
    (`mask` `(` $mask^ `)`)? (`memory_mask` `(` $memoryMask^ `)`)?
    (`cache` `(` $cache^ `:` qualified(type($cache)) `)`
  }] # cachingFormat # ")?" # optionsFormat
      # Heddle_ScoreFormat<"score", "scoreOperands", "score">.format
      # Heddle_ScoreFormat<"memory_score", "memoryScoreOperands", "memoryScore">.format
      # "attr-dict `:` type($input) `,` type($memory)";
}

def Heddle_EncoderDecoderOp : Heddle_TransformerOp<"encoder_decoder"> {
  let summary = "a whole transformer, from embedded tokens on";
  let description = [{
    `memory = encoder(source)` from `PREFIX.encoder` with `source_mask` and `source_score`,
    and `y = decoder(target, memory)` from `PREFIX.decoder` with `target_mask`,
    `target_score`, `memory_mask` and `memory_score`: see heddle.encoder and heddle.decoder,
    whose `layers` are the first and the second number. With an empty prefix they are `encoder` and `decoder`.

    The result is y, or with `projection` `linear(y, W, b)` of the weights
    `PROJECTION.weight`, [outputs, channels], and, optional, `PROJECTION.bias`. `softmax`
    makes it `softmax` of that, over the last dimension.

    ```mlir
    %y = heddle.encoder_decoder %source, %target from("transformer") layers(6, 6)
         source_mask(%valid) target_mask(%causal) memory_mask(%valid) projection("generator")
         softmax heads(8) norm(post) activation(relu) epsilon(1.0e-5)
       : tensor<?x?x512xf32>, tensor<?x?x512xf32> -> tensor<?x?x32000xf32>
    ```

    Constraints:
    * (C1) `kv` divides `heads`.
    * (C2) `epsilon` is from 0 to the largest f32.
    * (C3) there is at least one layer of each.
    * (C4) the result has the type of `target`, or with `projection` that but for the number
      of channels.
    * (C5) `softmax` is that of a projection.
    * (C6) the regions are as `score` of heddle.attention, in its (C8) and (C9).
  }];
  let arguments = !con((ins Heddle_Tokens:$source, Heddle_Tokens:$target,
      Optional<Heddle_MaskType>:$sourceMask, Optional<Heddle_MaskType>:$targetMask,
      Optional<Heddle_MaskType>:$memoryMask, Variadic<Heddle_Tensor>:$sourceScoreOperands,
      Variadic<Heddle_Tensor>:$targetScoreOperands,
      Variadic<Heddle_Tensor>:$memoryScoreOperands, I64Attr:$encoderLayers,
      I64Attr:$decoderLayers, OptionalAttr<StrAttr>:$projection, UnitAttr:$softmax),
      options);
  let results = (outs Heddle_Tokens:$result);
  let regions = (region MaxSizedRegion<1>:$sourceScore, MaxSizedRegion<1>:$targetScore,
      MaxSizedRegion<1>:$memoryScore);
  let extraClassDeclaration = Heddle_RegionOperands<
      "getSourceScoreOperands(), getTargetScoreOperands(), getMemoryScoreOperands()">.declaration;
  let assemblyFormat = [{
    $source `,` $target `from` `(` $prefix `)` `layers` `(` $encoderLayers `,` $decoderLayers `)`
    (`source_mask` `(` $sourceMask^ `)`)? (`target_mask` `(` $targetMask^ `)`)?
    (`memory_mask` `(` $memoryMask^ `)`)? (`projection` `(` $projection^ `)`)?
    (`softmax` $softmax^)?
  }] # optionsFormat
      # Heddle_ScoreFormat<"source_score", "sourceScoreOperands", "sourceScore">.format
      # Heddle_ScoreFormat<"target_score", "targetScoreOperands", "targetScore">.format
      # Heddle_ScoreFormat<"memory_score", "memoryScoreOperands", "memoryScore">.format
      # "attr-dict `:` type($source) `,` type($target) `->` type($result)";
}
