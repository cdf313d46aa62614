// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The schedule: one op for each of Halide's directives, in StageDirectives.td,
// GpuDirectives.td and FuncDirectives.td. Here is what they stand in.

def Halide_ScheduleOp : Halide_Op<"schedule",
    [NoTerminator, NoRegionArguments, SingleBlock]> {
  let summary = "the schedule of a pipeline";
  let description = [{
    Stands last in a pipeline, or at the top of a file where `pipeline` says which
    pipeline's schedule it replaces (`--schedule=file.mlir`).

    ```mlir
    halide.schedule @linear_64x64 {
      halide.split @y "m" into ("mo", "mi") by 12 tail(guard_with_if)
    }
    ```
  }];
  let arguments = (ins OptionalAttr<FlatSymbolRefAttr>:$pipeline);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "($pipeline^)? attr-dict-with-keyword $body";
}

// What Halide takes as an int: a size, which is positive, or any number.
def Halide_Int : ConfinedAttr<I64Attr,
    [IntMinValue<-2147483647>, IntMaxValue<2147483647>]>;
def Halide_Size : ConfinedAttr<I64Attr, [IntPositive, IntMaxValue<2147483647>]>;
def Halide_UpdateNumber : ConfinedAttr<I64Attr, [IntNonNegative]>;

// A directive about the loops of one stage: of the func's pure definition, or of
// update number N where it says `update(N)`.
class Halide_StageDirective<string mnemonic, dag extraArguments, string format>
    : Halide_Op<mnemonic, [ParentOneOf<["ScheduleOp", "SpecializeOp"]>]> {
  let arguments = !con((ins FlatSymbolRefAttr:$func,
      OptionalAttr<Halide_UpdateNumber>:$update), extraArguments);
  let assemblyFormat =
      "$func (`update` `(` $update^ `)`)? " # format # " attr-dict";
}

// A directive about the func as a whole: where and when it is computed and kept.
class Halide_FuncDirective<string mnemonic, dag extraArguments, string format>
    : Halide_Op<mnemonic, [HasParent<"ScheduleOp">]> {
  let arguments = !con((ins FlatSymbolRefAttr:$func), extraArguments);
  let assemblyFormat = "$func " # format # " attr-dict";
}

def Halide_SpecializeOp : Halide_Op<"specialize",
    [ParentOneOf<["ScheduleOp", "SpecializeOp"]>, NoTerminator,
     NoRegionArguments, SingleBlock]> {
  let summary = "another schedule of a stage, for calls whose sizes satisfy a condition";
  let description = [{
    The condition compares the parameter of that `size` with a number; both hold
    where one specialization stands in another. Specializations begin with the loops
    that the stage has at their place in the schedule; the first one in the schedule
    whose condition holds is run.

    ```
    for x  ->  if (length == 1)  for x ...   // as the body says
               else              for x ...   // as the rest of the schedule says
    ```

    ```mlir
    halide.specialize @y "length" eq 1 {
      halide.serial @y "m"
    }
    ```

    Constraints:
    * (C1) directives of the body are of the same func and update.
    * (C2) `value` is positive for `multiple_of`.
  }];
  let arguments = (ins FlatSymbolRefAttr:$func,
      OptionalAttr<Halide_UpdateNumber>:$update, Heddle_SizeAttr:$size,
      Halide_ComparisonAttr:$comparison, Halide_Int:$value);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $func (`update` `(` $update^ `)`)? custom<Size>($size) custom<Keyword>($comparison) $value
    attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
}
