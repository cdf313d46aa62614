// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the compiler has to know of an op.

#ifndef HEDDLE_INTERFACES_TD
#define HEDDLE_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Heddle_SizesOpInterface : OpInterface<"SizesOpInterface"> {
  let cppNamespace = "::heddle";
  let description = [{
    The sizes of results, as expressions, and which sizes of operands must be equal.
    Models without it cannot be compiled: there is no default.
  }];
  let methods = [
    InterfaceMethod<[{
      Appends the sizes of each result (empty for a mask) to `results`. The types of
      operands have their sizes already. Reports operands whose sizes do not fit.
    }], "::llvm::LogicalResult", "inferSizes",
        (ins "::llvm::SmallVectorImpl<::heddle::Sizes> &":$results)>
  ];
}

def Heddle_DecomposeOpInterface : OpInterface<"DecomposeOpInterface"> {
  let cppNamespace = "::heddle";
  let description = [{
    Ops that mean what other ops mean together: heddle.generic in the end. The models are
    in compiler/Prepare.
  }];
  let methods = [
    InterfaceMethod<[{
      Creates these ops, whose types have their sizes, and returns a value for each result.
    }], "::llvm::SmallVector<::mlir::Value>", "decompose",
        (ins "::mlir::OpBuilder &":$builder)>,
    InterfaceMethod<[{
      Whether kernels cannot compute the op as it is.
    }], "bool", "needsDecomposing", (ins), "", [{ return true; }]>
  ];
}

def Heddle_ActivationsOpInterface : OpInterface<"ActivationsOpInterface"> {
  let cppNamespace = "::heddle";
  let description = [{
    Layers that compute in f32. With activations of bf16 or f16 they are the same layers of
    f32, between casts: what comes of them is rounded once (--heddle-widen-activations).
    Where their first operand is of f64, they compute in f64 and give f64; weights may be of
    any floats. Where it is not, no operand and no result is of f64.
  }];
  let verify = [{ return ::heddle::verifyPrecision($_op); }];
  let methods = [
    InterfaceMethod<[{
      Whether an operand may be cast to f32. Those that regions take may not.
    }], "bool", "isActivation", (ins "::mlir::OpOperand &":$operand), "",
        [{ return true; }]>
  ];
}

// Of ops whose regions take the operands of `ranges`, which come last.
class Heddle_RegionOperands<string ranges> {
  string declaration = [{
    bool isActivation(::mlir::OpOperand &operand) {
      for (::mlir::OperandRange range : }] # "{" # ranges # "}" # [{)
        if (!range.empty() && operand.getOperandNumber() >= range.getBeginOperandIndex())
          return false;
      return true;
    }
  }];
}

def Heddle_ConvertOpInterface : OpInterface<"ConvertOpInterface"> {
  let cppNamespace = "::heddle";
  let description = [{
    Ops of other dialects (`linalg`, `tensor`, a few of `arith` and `math`), which are
    replaced by ops that later stages know once the sizes of their operands are known;
    those that numbers have as well also in bodies. The models are in compiler/Prepare.
  }];
  let methods = [
    InterfaceMethod<[{
      Creates ops, whose types have their sizes, and appends a value for each result. Or
      reports why the op has no meaning here.
    }], "::llvm::LogicalResult", "convert",
        (ins "::mlir::OpBuilder &":$builder,
             "::llvm::SmallVectorImpl<::mlir::Value> &":$results)>
  ];
}

def Heddle_FusionOpInterface : OpInterface<"FusionOpInterface"> {
  let cppNamespace = "::heddle";
  let description = [{
    How fusion sees an op: as something that kernels compute, unless it says otherwise.
    Ops without it are those of other dialects.
  }];
  let methods = [
    InterfaceMethod<"Returns what it is.", "::heddle::FusionRole",
        "getFusionRole", (ins), "", [{ return ::heddle::FusionRole::Root; }]>
  ];
}

def Heddle_TableOpInterface : OpInterface<"TableOpInterface"> {
  let cppNamespace = "::heddle";
  let description = [{
    Tensors of f32 or f64 that follow from attributes alone. They are computed when the
    model is compiled and stored beside the weights.
  }];
  let methods = [
    InterfaceMethod<[{
      Returns the elements, the last dimension fastest, before they are rounded.
    }], "std::vector<double>", "computeTable">
  ];
}

def Heddle_MaskOpInterface : OpInterface<"MaskOpInterface"> {
  let cppNamespace = "::heddle";
  let description = [{
    Ops that give a mask, which does not say what scores it is for: each attention that
    uses it asks whether it fits.
  }];
  let methods = [
    InterfaceMethod<[{
      Reports, at `attention`, operands that do not have the sizes of its scores.
    }], "::llvm::LogicalResult", "checkSpace",
        (ins "::mlir::Operation *":$attention,
             "const ::heddle::ScoreSpace &":$space),
        "", [{ return ::mlir::success(); }]>
  ];
}

#endif // HEDDLE_INTERFACES_TD
