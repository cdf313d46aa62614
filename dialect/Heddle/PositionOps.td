// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What tells a token its position.

// A number for each pair of channels of tokens, the same for all sequences or not:
// [length, pairs] or [batch, length, pairs]
def Heddle_Angles : RankedTensorOf<[Heddle_FloatElement],
    [HasAnyRankOfPred<[2, 3]>, Heddle_HasStaticChannels],
    "2D or 3D tensor with static channels">;

def Heddle_RotaryOp : Heddle_LayerOp<"rotary",
    [AllTypesMatch<["input", "result"]>, AttrSizedOperandSegments]> {
  let summary = "rotary position embedding";
  let description = [{
    The channels are `heads` heads, of which the first d channels rotate, all of them
    without `rotated`. Channel pairs (i, i + d/2) of the token at position p are rotated by
    the angle `p * frequency(i)`, with `frequency(i) = base^(-2i / d)`, stretched by
    `scaling`, and multiplied by its attention factor (Su et al., arXiv:2104.09864; the
    half-split order is that of Hugging Face checkpoints):
    `y[i] = x[i] cos - x[i + d/2] sin`, `y[i + d/2] = x[i + d/2] cos + x[i] sin`

    With `interleaved` pair i is channels (2i, 2i + 1), as in the paper and in GPT-J. The
    other channels of a head stay as they are, as in GPT-NeoX.

    Token s of sequence b is at p = starts[b] + s with `at`, at p = position_ids[b, s] with
    `position_ids`, and at p = s without either. All p are in [0, positions); entry points
    refuse others. Where heddle.cache.append has the same starts this holds for the tokens
    that it stores; the others are padding, and their result is anything.

    With `cosines` and `sines` these are given for each token and pair: [batch, length,
    d/2], or [length, d/2] where all sequences share them. Tables of all positions have
    the rows of tokens by heddle.gather. Hugging Face models hand on [batch, length, d], of
    which the first half is these.

    ```mlir
    %y = heddle.rotary %x at(%starts : tensor<?xi32>) heads(8) positions(512) base(10000.0)
       : tensor<?x?x64xf32>
    %y = heddle.rotary %x at(%starts : tensor<?xi32>) heads(2) rotated(12) interleaved positions(512)
         base(10000.0) : tensor<?x?x64xf32>
    %y = heddle.rotary %x position_ids(%ids : tensor<?x?xi64>) heads(8) positions(512)
         base(10000.0) : tensor<?x?x64xf32>
    %y = heddle.rotary %x cosines(%cos : tensor<?x4xf32>) sines(%sin : tensor<?x4xf32>)
         heads(8) : tensor<?x?x64xf32>
    %y = heddle.rotary %z heads(8) positions(512) base(10000.0) : tensor<2x7x64xf32>
    ```

    Constraints:
    * (C1) `input` is [batch, length, channels].
    * (C2) `heads` divides the channels into an even number, if all of them rotate.
    * (C3) `base` is finite and at least 1: angles are no larger than positions.
    * (C4) `positions` is from 1 to 1073739776, which is as many as calls can count, and
      heddle.rotary_table takes at most 256 MiB for them.
    * (C5) `rotated` is an even number of channels that each head has.
    * (C6) `scaling` fits: `dynamic` needs more than 2 rotating channels, `yarn` a base
      above 1, and the lists of `longrope` have a number for each pair.
    * (C7) at most one of `at`, `position_ids`, and `cosines` with `sines` is given.
    * (C8) `positions` and `base` are given without `cosines`, and neither these nor
      `scaling` with them.
    * (C9) `cosines` and `sines` have one type, of two or three dimensions. The last is
      half of the rotating channels; the others are those of the input, or 1 in place of
      the batch.
    * (C10) where nothing gives positions, the length is seen to be at most `positions`, as
      it is, or as the function declares it in `heddle.symbols`.
  }];
  let arguments = (ins Heddle_Tokens:$input, Optional<Heddle_Counts>:$starts,
      Optional<Heddle_NumbersOfTokens>:$positionIds, Optional<Heddle_Angles>:$cosines,
      Optional<Heddle_Angles>:$sines, I64Attr:$heads, OptionalAttr<I64Attr>:$rotated,
      UnitAttr:$interleaved, OptionalAttr<I64Attr>:$positions, OptionalAttr<F64Attr>:$base,
      OptionalAttr<Heddle_RopeScalingAttr>:$scaling);
  let results = (outs Heddle_Tokens:$result);
  let assemblyFormat = [{
    $input (`at` `(` $starts^ `:` type($starts) `)`)?
    (`position_ids` `(` $positionIds^ `:` type($positionIds) `)`)?
    (`cosines` `(` $cosines^ `:` type($cosines) `)`)?
    (`sines` `(` $sines^ `:` type($sines) `)`)?
    `heads` `(` $heads `)` (`rotated` `(` $rotated^ `)`)? (`interleaved` $interleaved^)?
    (`positions` `(` $positions^ `)`)? (`base` `(` $base^ `)`)?
    (`scaling` `(` $scaling^ `)`)?
    attr-dict `:` type($input)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getHeadDim() {
      return getInput().getType().getDimSize(2) / getHeads();
    }
    /// The channels of a head that rotate.
    int64_t getDimension() { return getRotated().value_or(getHeadDim()); }
    /// Parts of the verifier: where angles come from, and given ones.
    ::llvm::LogicalResult verifyAngles();
    ::llvm::LogicalResult checkAngles();
  }];
}

def Heddle_SinusoidalPositionsOp : Heddle_PureOp<"sinusoidal_positions",
    [DeclareOpInterfaceMethods<Heddle_TableOpInterface>]> {
  let summary = "sines and cosines of positions";
  let description = [{
    With `channels` c, as Vaswani et al., arXiv:1706.03762, section 3.5, have it:
    `positions[p, 2i] = sin(p * base^(-2i / c))`,
    `positions[p, 2i + 1] = cos(p * base^(-2i / c))`

    With `halves`, as tensor2tensor and Whisper have it, sines come first, and the last
    frequency is 1 / base:
    `positions[p, i] = sin(p * base^(-i / (c/2 - 1)))`,
    `positions[p, c/2 + i] = cos(p * base^(-i / (c/2 - 1)))`

    With `split`, as Marian has it, sines come first, of the frequencies of Vaswani et al.:
    `positions[p, i] = sin(p * base^(-2i / c))`,
    `positions[p, c/2 + i] = cos(p * base^(-2i / c))`

    The table is computed in double when the model is compiled, and one of f32 rounded once.

    ```mlir
    %t = heddle.sinusoidal_positions base(10000.0) : tensor<1500x384xf32>
    %t = heddle.sinusoidal_positions halves base(10000.0) : tensor<1500x384xf32>
    %t = heddle.sinusoidal_positions split base(10000.0) : tensor<512x512xf32>
    ```

    Constraints:
    * (C1) the result has an even number of channels, of `halves` more than 2.
    * (C2) `base` is finite and positive.
    * (C3) the table takes at most 256 MiB.
    * (C4) there is not both `halves` and `split`.
  }];
  let arguments = (ins UnitAttr:$halves, UnitAttr:$split, F64Attr:$base);
  let results = (outs RankedTensorOf<[F32, F64],
      [HasAnyRankOfPred<[2]>, HasStaticShapePred], "static 2D tensor">:$result);
  let assemblyFormat =
      "(`halves` $halves^)? (`split` $split^)? `base` `(` $base `)` attr-dict `:` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = Heddle_FusionRole<"Constant">.declaration;
}

def Heddle_AddPositionsOp : Heddle_LayerOp<"add_positions",
    [AllTypesMatch<["input", "result"]>, AttrSizedOperandSegments]> {
  let summary = "tokens and what a table has for their positions";
  let description = [{
    `add_positions(x, table)[b, s, c] = x[b, s, c] + table[p, c]`, with p = starts[b] + s
    with `at`, p = position_ids[b, s] with `position_ids`, and p = s without either.

    The table is learned (a weight) or heddle.sinusoidal_positions. All positions are rows
    of it; entry points refuse others. Where heddle.cache.append has the same starts
    this holds for the tokens that it stores; the others are padding, and their result is
    anything.

    ```mlir
    %y = heddle.add_positions %x, %table at(%starts : tensor<?xi32>)
       : tensor<?x?x64xf32>, tensor<512x64xf32>
    %y = heddle.add_positions %x, %table position_ids(%ids : tensor<?x?xi64>)
       : tensor<?x?x64xf32>, tensor<512x64xf32>
    ```

    Constraints:
    * (C1) `table` has as many columns as `input` has channels.
    * (C2) without positions, the length is seen to be at most the rows of `table`, as it
      is, or as the function declares it in `heddle.symbols`.
    * (C3) there is not both `at` and `position_ids`.
  }];
  let arguments = (ins Heddle_Tokens:$input, Heddle_Matrix:$table,
      Optional<Heddle_Counts>:$starts, Optional<Heddle_NumbersOfTokens>:$positionIds);
  let results = (outs Heddle_Tokens:$result);
  let assemblyFormat = [{
    $input `,` $table (`at` `(` $starts^ `:` type($starts) `)`)?
    (`position_ids` `(` $positionIds^ `:` type($positionIds) `)`)? attr-dict
    `:` type($input) `,` type($table)
  }];
  let hasVerifier = 1;
}
