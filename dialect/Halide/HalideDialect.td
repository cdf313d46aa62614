// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HALIDE_DIALECT_TD
#define HALIDE_DIALECT_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Halide_Dialect : Dialect {
  let name = "halide";
  let cppNamespace = "::heddle::halide";
  let summary = "How a kernel is computed";
  let description = [{
    Halide's algorithm (funcs, updates, reduction domains) and its schedule, as IR:
    one op for each of Halide's calls, with its name and argument order. Coordinates
    are i32; the maths in a func's body is `arith` and `math` on scalars. Of floats it
    means what these dialects say, but for `arith.maximumf` and `arith.minimumf` without
    the attribute `halide.strict`: these drop NaN, and LLVM is promised that no operand
    is infinite. Integers are simplified as such that never overflow, but for ops with the
    attribute: there they wrap around; x / 0 and x rem 0 are 0; shifts count modulo the
    width; a float becomes the nearest integer that there is towards 0, and NaN becomes
    0. Coordinates are divided by arith.floordivsi and halide.mod without the attribute,
    where divisors are positive.
    Translation to Halide is a table and decides nothing.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = [
    "::heddle::HeddleDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect"
  ];
}

def Halide_Tail : I32EnumAttr<"Tail", "what happens where a split does not divide", [
    I32EnumAttrCase<"Auto", 0, "auto">, I32EnumAttrCase<"RoundUp", 1, "round_up">,
    I32EnumAttrCase<"GuardWithIf", 2, "guard_with_if">, I32EnumAttrCase<"ShiftInwards", 3, "shift_inwards">]> {
  let cppNamespace = "::heddle::halide";
  let genSpecializedAttr = 0;
}
def Halide_TailAttr : EnumAttr<Halide_Dialect, Halide_Tail, "tail">;

def Halide_Memory : I32EnumAttr<"Memory", "where a func's values are kept", [
    I32EnumAttrCase<"Stack", 0, "stack">, I32EnumAttrCase<"Register", 1, "register">,
    I32EnumAttrCase<"GPUShared", 2, "gpu_shared">, I32EnumAttrCase<"AMXTile", 3, "amx_tile">]> {
  let cppNamespace = "::heddle::halide";
  let genSpecializedAttr = 0;
}
def Halide_MemoryAttr : EnumAttr<Halide_Dialect, Halide_Memory, "memory">;

def Halide_Align : I32EnumAttr<"Align",
    "where loops of different lengths meet that become one", [
    I32EnumAttrCase<"Auto", 0, "auto">, I32EnumAttrCase<"Start", 1, "start">,
    I32EnumAttrCase<"End", 2, "end">, I32EnumAttrCase<"None", 3, "none">]> {
  let cppNamespace = "::heddle::halide";
  let genSpecializedAttr = 0;
}
def Halide_AlignAttr : EnumAttr<Halide_Dialect, Halide_Align, "align">;

def Halide_Comparison : I32EnumAttr<"Comparison", "how a size compares with a number", [
    I32EnumAttrCase<"Equal", 0, "eq">, I32EnumAttrCase<"NotEqual", 1, "ne">,
    I32EnumAttrCase<"Less", 2, "lt">, I32EnumAttrCase<"LessOrEqual", 3, "le">,
    I32EnumAttrCase<"Greater", 4, "gt">, I32EnumAttrCase<"GreaterOrEqual", 5, "ge">,
    I32EnumAttrCase<"MultipleOf", 6, "multiple_of">]> {
  let cppNamespace = "::heddle::halide";
  let genSpecializedAttr = 0;
}
def Halide_ComparisonAttr
    : EnumAttr<Halide_Dialect, Halide_Comparison, "comparison">;

def Halide_Reduction : I32EnumAttr<"Reduction",
    "what a func with updates stands for, which chooses its schedule", [
    I32EnumAttrCase<"Contraction", 0, "contraction">,
    I32EnumAttrCase<"Scatter", 1, "scatter">, I32EnumAttrCase<"Attention", 2, "attention">,
    I32EnumAttrCase<"Fold", 3, "fold">, I32EnumAttrCase<"Lanes", 4, "lanes">]> {
  let cppNamespace = "::heddle::halide";
  let genSpecializedAttr = 0;
}
def Halide_ReductionAttr
    : EnumAttr<Halide_Dialect, Halide_Reduction, "reduction">;

#endif // HALIDE_DIALECT_TD
