// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HALIDE_OPS_TD
#define HALIDE_OPS_TD

include "dialect/Halide/HalideDialect.td"
include "dialect/Heddle/HeddleDialect.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"

class Halide_Op<string mnemonic, list<Trait> traits = []>
    : Op<Halide_Dialect, mnemonic, traits>;

// Halide's integers are signed; funcs of floats of eight bits only move them.
def Halide_Scalar
    : AnyTypeOf<[I1, I8, I16, I32, I64, F32, F64, BF16, F16, F8E4M3FN, F8E5M2]>;
// Elements of tensors in memory.
def Halide_Element : Type<CPred<"::heddle::isElementType($_self)">, "element of a tensor">;

include "dialect/Halide/AlgorithmOps.td"
include "dialect/Halide/ScheduleOps.td"
include "dialect/Halide/StageDirectives.td"
include "dialect/Halide/GpuDirectives.td"
include "dialect/Halide/FuncDirectives.td"

#endif // HALIDE_OPS_TD
