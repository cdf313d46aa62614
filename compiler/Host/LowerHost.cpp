// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// module { heddle.signature @k, func @f.run(!heddle.frame) }
//   -> module { llvm.func @<prefix>k, llvm.func @<prefix>f.run(!llvm.ptr) }

#include "compiler/Host/AbiStructs.h"
#include "compiler/Host/LowerDispatch.h"
#include "compiler/Host/LowerFrame.h"
#include "compiler/Host/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {
#define GEN_PASS_DEF_LOWERHOST
#include "compiler/Host/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {
struct LowerHost : heddle::impl::LowerHostBase<LowerHost> {
  using LowerHostBase::LowerHostBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    for (auto signature :
         llvm::make_early_inc_range(module.getOps<SignatureOp>()))
      declare(b, signature);
    for (auto function : module.getOps<func::FuncOp>()) {
      StringRef name = function.getName();
      if (name.ends_with(kRunSuffix))
        createText(b, function.getLoc(), name,
                   name.drop_back(kRunSuffix.size()));
      function.setName(prefix + name.str());
    }
    LowerToLLVMOptions options(context);
    // Pointers are what the callers in C have.
    options.useBarePtrCallConv = true;
    LLVMTypeConverter converter(context, options);
    addFrameConversions(converter);
    RewritePatternSet patterns(context);
    populateFramePatterns(converter, patterns);
    populateFrameMemoryPatterns(converter, patterns);
    populateDispatchPatterns(converter, patterns, prefix);
    populateFuncToLLVMConversionPatterns(converter, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    LLVMConversionTarget target(*context);
    target.addLegalOp<ModuleOp>();
    if (failed(applyFullConversion(module, target, std::move(patterns))))
      signalPassFailure();
  }

  // Names are constants, of which the observer is told.
  void createText(OpBuilder &b, Location loc, StringRef name, StringRef text) {
    std::string bytes = (text + Twine('\0')).str();
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
    LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                           LLVM::Linkage::Private, textSymbol(prefix, name),
                           b.getStringAttr(bytes));
  }

  void declare(OpBuilder &b, SignatureOp signature) {
    AbiStructs abi(&getContext());
    SmallVector<Type> types = {abi.pointer};
    for (Type type : signature.getTypes().getAsValueRange<TypeAttr>())
      types.push_back(isa<MemRefType>(type) ? abi.pointer : type);
    std::string name = signature.getSymName().str();
    createText(b, signature.getLoc(), name, name);
    LLVM::LLVMFuncOp::create(
        b, signature.getLoc(), prefix + name,
        LLVM::LLVMFunctionType::get(b.getI32Type(), types));
    signature.erase();
  }
};
} // namespace
