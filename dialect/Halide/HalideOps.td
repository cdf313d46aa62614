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

def Halide_Scalar : AnyTypeOf<[I1, I8, I32, I64, F32, BF16, F16]>;

include "dialect/Halide/AlgorithmOps.td"
include "dialect/Halide/ScheduleOps.td"
include "dialect/Halide/StageDirectives.td"
include "dialect/Halide/GpuDirectives.td"
include "dialect/Halide/FuncDirectives.td"

#endif // HALIDE_OPS_TD
