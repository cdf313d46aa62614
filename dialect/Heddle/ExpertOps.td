// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Layers of which each token takes a part.

def Heddle_ExpertLinearOp : Heddle_LayerOp<"expert_linear", [InferTypeOpAdaptor]> {
  let summary = "matrix product with the weights of experts that each token has chosen";
  let description = [{
    With the dimensions of tokens [..] and j counting what a token has chosen:
    `expert_linear(x, e, W, b)[.., j, n] = sum_k x[.., k] * W[e[.., j], n, k] + b[e[.., j], n]`

    Where x has a dimension for j, too, it is `x[.., j, k]`. Products and sums are f32 or
    f64, as with heddle.linear. Numbers of experts that there are not are limited to those that
    there are. Rows of one expert are multiplied together, so that its weights are read for
    several of them, and weights of experts that nobody chose once at most.

    What experts compute, how they are chosen and how much each counts is said by other
    ops: heddle.mixture_of_experts is one composition of them.

    ```mlir
    // %e: the chosen experts
    %h = heddle.expert_linear %x, %e, %up
       : tensor<?x64xf32>, tensor<?x2xi32>, tensor<8x172x64xf32>
    %y = heddle.expert_linear %h, %e, %down bias(%b : tensor<8x64xf32>)
       : tensor<?x2x172xf32>, tensor<?x2xi32>, tensor<8x64x172xf32>
    ```

    Constraints:
    * (C1) `experts` has at least one dimension, and one that is static as its last.
    * (C2) `input` has the dimensions of `experts`, or all but the last, and then as many
      channels as a matrix of `weight`, [experts, outputs, inputs], has columns.
    * (C3) `bias` has the shape [experts, outputs].
  }];
  let arguments = (ins Heddle_Activations:$input, Heddle_Indices:$experts,
      Heddle_Matrices:$weight, Optional<Heddle_Matrix>:$bias);
  let results = (outs Heddle_Activations:$result);
  let assemblyFormat = [{
    $input `,` $experts `,` $weight (`bias` `(` $bias^ `:` type($bias) `)`)? attr-dict
    `:` type($input) `,` type($experts) `,` type($weight)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether each choice of a token has an input of its own.
    bool hasOwnInputs() {
      return ::llvm::cast<::mlir::RankedTensorType>(getInput().getType()).getRank() >
             ::llvm::cast<::mlir::RankedTensorType>(getExperts().getType()).getRank();
    }
  }];
}

def Heddle_MixtureOfExpertsOp : Heddle_LayerOp<"mixture_of_experts",
    [AllTypesMatch<["input", "result"]>, AttrSizedOperandSegments]> {
  let summary = "feed-forward layers, of which each token takes a few";
  let description = [{
    With `p = softmax(linear(x, router))` over the experts, e_1, .., e_k the `top` largest
    of p in descending order, of equal ones the first, and q_j = p[e_j], divided by
    q_1 + .. + q_k with `normalized`:
    `mixture_of_experts(x) = sum_j q_j * gated_feed_forward(x, gate[e_j], up[e_j], down[e_j])`
    (Shazeer et al., arXiv:1701.06538; Mixtral, arXiv:2401.04088, is `normalized`). A shared
    expert is one more gated_feed_forward of each token, which is added (DeepSeekMoE,
    arXiv:2401.06066).

    Only the chosen experts are computed: `--heddle-decompose` makes heddle.expert_linear of it.

    ```mlir
    %y = heddle.mixture_of_experts silu %x router(%r) experts(%g, %u, %d) top(2) normalized
       : tensor<?x64xf32>, tensor<8x64xf32>, tensor<8x172x64xf32>, tensor<8x172x64xf32>,
         tensor<8x64x172xf32>
    %y = heddle.mixture_of_experts silu %x router(%r) experts(%g, %u, %d)
         shared(%a, %b, %c : tensor<96x64xf32>, tensor<96x64xf32>, tensor<64x96xf32>) top(2)
       : tensor<?x64xf32>, tensor<8x64xf32>, tensor<8x172x64xf32>, tensor<8x172x64xf32>,
         tensor<8x64x172xf32>
    ```

    Constraints:
    * (C1) `router` has the shape [experts, channels].
    * (C2) `gate` and `up` have the shape [experts, hidden, channels].
    * (C3) `down` has the shape [experts, channels, hidden].
    * (C4) `top` is from 1 to the number of experts.
    * (C5) the weights of the shared expert are those of a heddle.gated_feed_forward.
  }];
  let arguments = (ins Heddle_ActivationAttr:$kind, Heddle_Activations:$input,
      Heddle_Matrix:$router, Heddle_Matrices:$gate, Heddle_Matrices:$up,
      Heddle_Matrices:$down, Optional<Heddle_Matrix>:$sharedGate,
      Optional<Heddle_Matrix>:$sharedUp, Optional<Heddle_Matrix>:$sharedDown,
      I64Attr:$top, UnitAttr:$normalized);
  let results = (outs Heddle_Activations:$result);
  let assemblyFormat = [{
    custom<Keyword>($kind) $input `router` `(` $router `)`
    `experts` `(` $gate `,` $up `,` $down `)`
    (`shared` `(` $sharedGate^ `,` $sharedUp `,` $sharedDown
        `:` type($sharedGate) `,` type($sharedUp) `,` type($sharedDown) `)`)?
    `top` `(` $top `)` (`normalized` $normalized^)? attr-dict
    `:` type($input) `,` type($router) `,` type($gate) `,` type($up) `,` type($down)
  }];
  let hasVerifier = 1;
}
