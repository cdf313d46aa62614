// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attention without softmax, as a recurrence over tokens whose state has a constant size.
// Both ops are computed in chunks, so that all but the state is products of matrices.

// [batch, heads, length, channels]
def Heddle_TokensOfHeads : RankedTensorOf<[Heddle_FloatElement],
    [HasAnyRankOfPred<[4]>, Heddle_HasStaticChannels],
    "4D tensor with static channels">;
// A number for each token of each head: [batch, heads, length]
def Heddle_NumbersOfHeads : TensorRankOf<[Heddle_FloatElement], [3]>;
// The same, or one for each channel of a key: [batch, heads, length, channels]
def Heddle_GatesOfHeads : TensorRankOf<[Heddle_FloatElement], [3, 4]>;

class Heddle_RecurrentAttentionOp<string mnemonic>
    : Heddle_LayerOp<mnemonic, [AttrSizedOperandSegments]> {
  let results = (outs Heddle_TokensOfHeads:$output,
      Optional<Heddle_TokensOfHeads>:$finalState);
  let hasVerifier = 1;
}

def Heddle_LinearAttentionOp : Heddle_RecurrentAttentionOp<"linear_attention"> {
  let summary = "causal attention whose weights are products, with a decay";
  let description = [{
    For each head, with q_t, k_t and v_t the rows of token t, g_t its gate, or 0 without
    `gates`, and S_0 the `state`, or 0 without:
    `S_t = exp(g_t) S_(t-1) + k_t v_t^T`, `o_t = S_t^T q_t`

    A gate is one number, or one for each channel of a key, by which the row of the channel
    in S decays: `S_t = diag(exp(g_t)) S_(t-1) + k_t v_t^T`. Of H heads of values and K of
    queries and keys, head h reads head h div (H / K) of these.

    This is linear attention (Katharopoulos et al., arXiv:2006.16236) of queries and keys
    that have gone through its feature map; where v has a channel of ones, that channel of
    o is what the others are divided by. With one gate for each head it is RetNet and Mamba-2,
    with one for each channel gated linear attention (Yang et al., arXiv:2312.06635).

    Gates are logarithms of decays. Of any below 0 the results are those of the formula;
    where gates of neighbours add up to more than 88, the exponential of their sum is
    infinite in f32 (in f64 it is so above 709), and NaN where it is multiplied with 0. NaN or infinity in a token
    reaches all results of its chunk, also those of tokens before it, so that padding
    must hold numbers.

    The second result, if there is one, is S_t of the last token: a call with it as
    `state` goes on with the text.

    `--heddle-decompose` rewrites it to products over chunks of `chunk` tokens. With G_i the
    sum of the gates of a chunk up to its token i, G the sum of all, and S the state before
    the chunk,
    `o_i = exp(G_i) S^T q_i + sum over j <= i of exp(G_i - G_j) (q_i . k_j) v_j` and
    `S' = exp(G) S + sum over j of exp(G - G_j) k_j v_j^T`.
    With gates of channels, exponentials are those of a channel c, and
    `exp(G_i - G_j) (q_i . k_j)` is `sum over c of q_ic exp(G_ic - G_jc) k_jc`. The states of all n chunks are a scan over these, in log2(n) steps.

    ```mlir
    %o = heddle.linear_attention %q, %k, %v
       : tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>, tensor<?x4x?x24xf32>
       -> tensor<?x4x?x24xf32>
    %o1, %s1 = heddle.linear_attention %q, %k, %v gates(%g : tensor<?x4x?xf32>)
         state(%s : tensor<?x4x16x24xf32>) chunk(32)
       : tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>, tensor<?x4x?x24xf32>
       -> tensor<?x4x?x24xf32>, tensor<?x4x16x24xf32>
    // Two heads of values for each of keys, and a decay for each channel.
    %o2 = heddle.linear_attention %q, %k, %v2 gates(%g2 : tensor<?x8x?x16xf32>)
       : tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>, tensor<?x8x?x24xf32>
       -> tensor<?x8x?x24xf32>
    ```

    Constraints:
    * (C1) `query` and `key` have equal sizes, and `value` has theirs, but for its channels
      and for its heads, which are as many, or a multiple.
    * (C2) `gates` is [batch, heads of values, length] or that with channels of a key.
    * (C3) `state` is [batch, heads of values, channels of a key, channels of a value].
    * (C4) `chunk` is a power of two from 1 to 256.
    * (C5) all operands are of f64, or none is.
  }];
  let arguments = (ins Heddle_TokensOfHeads:$query, Heddle_TokensOfHeads:$key,
      Heddle_TokensOfHeads:$value, Optional<Heddle_GatesOfHeads>:$gates,
      Optional<Heddle_TokensOfHeads>:$state, DefaultValuedAttr<I64Attr, "64">:$chunk);
  let assemblyFormat = [{
    $query `,` $key `,` $value
    (`gates` `(` $gates^ `:` type($gates) `)`)? (`state` `(` $state^ `:` type($state) `)`)?
    (`chunk` `(` $chunk^ `)`)? attr-dict
    `:` type($query) `,` type($key) `,` type($value)
    `->` type($output) (`,` type($finalState)^)?
  }];
}

def Heddle_GatedDeltaRuleOp : Heddle_RecurrentAttentionOp<"gated_delta_rule"> {
  let summary = "linear attention that replaces what its state has of a key";
  let description = [{
    For each head, with q_t, k_t and v_t the rows of token t, b_t its strength, g_t its
    gate, or 0 without `gates`, and S_0 the `state`, or 0 without:
    `S_t = (I - b_t k_t k_t^T) diag(exp(g_t)) S_(t-1) + b_t k_t v_t^T`, `o_t = S_t^T q_t`
    (Yang, Kautz and Hatamizadeh, arXiv:2412.06464; without gates DeltaNet,
    arXiv:2406.06484; with a gate for each channel of a key Kimi Delta Attention,
    arXiv:2510.26692). Gates of channels and heads that share keys are as those of
    heddle.linear_attention. The state stays bounded where keys have at most the length 1,
    strengths are from 0 to 2, and gates are not positive. Of gates, NaN and infinity
    holds what heddle.linear_attention says.

    The second result, if there is one, is S_t of the last token: a call with it as
    `state` goes on with the text.

    `--heddle-decompose` rewrites it to an scf.for over chunks of `chunk` tokens, in which
    S is carried round. With G_i, G and S as heddle.linear_attention has them, and A the
    strictly lower triangular matrix `A_ij = b_i exp(G_i - G_j) (k_i . k_j)` of a chunk:
    `u = (I + A)^-1 (b_i v_i - b_i exp(G_i) S^T k_i)_i`,
    `o_i = exp(G_i) S^T q_i + sum over j <= i of exp(G_i - G_j) (q_i . k_j) u_j` and
    `S' = exp(G) S + sum over j of exp(G - G_j) k_j u_j^T`.
    The inverse is made of those of its diagonal blocks, from the smallest on:
    `[[L, 0], [B, M]]^-1 = [[L^-1, 0], [-M^-1 B L^-1, M^-1]]`. The product of the
    (I + A^(2^n)), which is the same, has powers of A that lose all digits where keys
    are alike.

    ```mlir
    %o = heddle.gated_delta_rule %q, %k, %v strengths(%b)
       : tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>, tensor<?x4x?x24xf32>, tensor<?x4x?xf32>
       -> tensor<?x4x?x24xf32>
    %o1, %s1 = heddle.gated_delta_rule %q, %k, %v strengths(%b)
         gates(%g : tensor<?x4x?xf32>) state(%s : tensor<?x4x16x24xf32>) chunk(32)
       : tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>, tensor<?x4x?x24xf32>, tensor<?x4x?xf32>
       -> tensor<?x4x?x24xf32>, tensor<?x4x16x24xf32>
    ```

    Constraints:
    * (C1) `query` and `key` have equal sizes, and `value` has theirs, but for its channels
      and for its heads, which are as many, or a multiple.
    * (C2) `strengths` is [batch, heads of values, length], and `gates` that, or that with
      channels of a key.
    * (C3) `state` is [batch, heads of values, channels of a key, channels of a value].
    * (C4) `chunk` is a power of two from 1 to 256.
    * (C5) all operands are of f64, or none is.
  }];
  let arguments = (ins Heddle_TokensOfHeads:$query, Heddle_TokensOfHeads:$key,
      Heddle_TokensOfHeads:$value, Heddle_NumbersOfHeads:$strengths,
      Optional<Heddle_GatesOfHeads>:$gates, Optional<Heddle_TokensOfHeads>:$state,
      DefaultValuedAttr<I64Attr, "64">:$chunk);
  let assemblyFormat = [{
    $query `,` $key `,` $value `strengths` `(` $strengths `)`
    (`gates` `(` $gates^ `:` type($gates) `)`)? (`state` `(` $state^ `:` type($state) `)`)?
    (`chunk` `(` $chunk^ `)`)? attr-dict
    `:` type($query) `,` type($key) `,` type($value) `,` type($strengths)
    `->` type($output) (`,` type($finalState)^)?
  }];
}
