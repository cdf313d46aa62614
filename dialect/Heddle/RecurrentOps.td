// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One step of recurrent layers. Gates, their order and their weights are PyTorch's. A
// loop over time is an scf.for around the cell, which carries the state.

def Heddle_GRUCellOp : Heddle_LayerOp<"gru_cell",
    [AllTypesMatch<["hidden", "result"]>, AttrSizedOperandSegments]> {
  let summary = "one step of a gated recurrent unit";
  let description = [{
    Rows of the weights are the gates r, z and n, one after the other, as are elements of
    the biases (torch.nn.GRUCell; Cho et al., arXiv:1406.1078):
    `r = sigmoid(W_r x + b_r + U_r h + c_r)`, `z = sigmoid(W_z x + b_z + U_z h + c_z)`,
    `n = tanh(W_n x + b_n + r * (U_n h + c_n))`,
    `gru_cell(x, h, W, U, b, c) = (1 - z) * n + z * h`

    With `reset_before` the reset gate comes before the layer of the hidden state:
    `n = tanh(W_n x + b_n + U_n (r * h) + c_n)` (version 3 of that paper;
    `linear_before_reset = 0` of ONNX, `reset_after=False` of Keras).

    `--heddle-decompose` rewrites it to two linear layers and elementwise maths, or to three.

    ```mlir
    %y = heddle.gru_cell %x, %h, %w, %u
       : tensor<?x20xf32>, tensor<?x24xf32>, tensor<72x20xf32>, tensor<72x24xf32>
    %y = heddle.gru_cell %x, %h, %w, %u biases(%b, %c : tensor<72xf32>, tensor<72xf32>)
         reset_before
       : tensor<?x20xf32>, tensor<?x24xf32>, tensor<72x20xf32>, tensor<72x24xf32>
    ```

    Constraints:
    * (C1) the weights have the shapes [3 * hidden, in] and [3 * hidden, hidden].
    * (C2) both biases are given, or none, with 3 * hidden elements.
    * (C3) `input` and `hidden` have equal sizes, but for their channels.
  }];
  let arguments = (ins Heddle_Activations:$input, Heddle_Activations:$hidden,
      Heddle_Matrix:$inputWeight, Heddle_Matrix:$hiddenWeight,
      Optional<Heddle_Vector>:$inputBias, Optional<Heddle_Vector>:$hiddenBias,
      UnitAttr:$resetBefore);
  let results = (outs Heddle_Activations:$result);
  let assemblyFormat = [{
    $input `,` $hidden `,` $inputWeight `,` $hiddenWeight
    (`biases` `(` $inputBias^ `,` $hiddenBias
        `:` type($inputBias) `,` type($hiddenBias) `)`)?
    (`reset_before` $resetBefore^)?
    attr-dict `:` type($input) `,` type($hidden) `,` type($inputWeight) `,` type($hiddenWeight)
  }];
  let hasVerifier = 1;
}

def Heddle_LSTMCellOp : Heddle_LayerOp<"lstm_cell",
    [AllTypesMatch<["hidden", "cell", "nextHidden", "nextCell"]>,
     AttrSizedOperandSegments]> {
  let summary = "one step of a long short-term memory";
  let description = [{
    Rows of the weights are the gates i, f, g and o, one after the other, as are elements
    of the biases (torch.nn.LSTMCell; Hochreiter and Schmidhuber 1997, with the forget
    gate of Gers et al. 2000). With `a = W x + b + U h + d`:
    `i = sigmoid(a_i)`, `f = sigmoid(a_f)`, `g = tanh(a_g)`, `o = sigmoid(a_o)`,
    `c' = f * c + i * g`, `h' = o * tanh(c')`, and `lstm_cell(x, h, c, W, U, b, d) = h', c'`

    `peepholes` are weights p of the gates i, f and o, one after the other (Gers et al.
    2002; `P` of ONNX, which has them as i, o, f): `i = sigmoid(a_i + p_i * c)`,
    `f = sigmoid(a_f + p_f * c)`, `o = sigmoid(a_o + p_o * c')`.

    `--heddle-decompose` rewrites it to two linear layers and elementwise maths.

    ```mlir
    %h1, %c1 = heddle.lstm_cell %x, %h, %c, %w, %u
       : tensor<?x20xf32>, tensor<?x24xf32>, tensor<96x20xf32>, tensor<96x24xf32>
    %h2, %c2 = heddle.lstm_cell %x, %h1, %c1, %w, %u peepholes(%p : tensor<72xf32>)
       : tensor<?x20xf32>, tensor<?x24xf32>, tensor<96x20xf32>, tensor<96x24xf32>
    ```

    Constraints:
    * (C1) the weights have the shapes [4 * hidden, in] and [4 * hidden, hidden].
    * (C2) both biases are given, or none, with 4 * hidden elements.
    * (C3) `input` and `hidden` have equal sizes, but for their channels, and `cell` has
      those of `hidden`.
    * (C4) `peepholes` has 3 * hidden elements.
  }];
  let arguments = (ins Heddle_Activations:$input, Heddle_Activations:$hidden,
      Heddle_Activations:$cell, Heddle_Matrix:$inputWeight, Heddle_Matrix:$hiddenWeight,
      Optional<Heddle_Vector>:$inputBias, Optional<Heddle_Vector>:$hiddenBias,
      Optional<Heddle_Vector>:$peepholes);
  let results = (outs Heddle_Activations:$nextHidden, Heddle_Activations:$nextCell);
  let assemblyFormat = [{
    $input `,` $hidden `,` $cell `,` $inputWeight `,` $hiddenWeight
    (`biases` `(` $inputBias^ `,` $hiddenBias
        `:` type($inputBias) `,` type($hiddenBias) `)`)?
    (`peepholes` `(` $peepholes^ `:` type($peepholes) `)`)?
    attr-dict `:` type($input) `,` type($hidden) `,` type($inputWeight) `,` type($hiddenWeight)
  }];
  let hasVerifier = 1;
}
