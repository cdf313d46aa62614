// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/CudaCode.h"

#include "compiler/CodeGen/KernelSemantics.h"
#include "compiler/CodeGen/Optimize.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/InferAlignment.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"

using namespace heddle;
using namespace llvm;

static std::unique_ptr<TargetMachine> createTarget(StringRef chip) {
  Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      triple, chip, "", TargetOptions(), std::nullopt, std::nullopt,
      CodeGenOptLevel::Aggressive));
}

//===-- What a device has and a CPU does not ------------------------------===//

// Memory that the threads of a block share; how much of it a launch says.
static Value *sharedMemory(Module &module, IRBuilder<> &b) {
  constexpr unsigned space = 3;
  auto *type = ArrayType::get(b.getInt8Ty(), 0);
  auto *memory = new GlobalVariable(
      module, type, /*isConstant=*/false, GlobalValue::ExternalLinkage,
      /*Initializer=*/nullptr, "heddle_shared_memory", nullptr,
      GlobalVariable::NotThreadLocal, space);
  memory->setAlignment(Align(64));
  return b.CreateAddrSpaceCast(memory, b.getPtrTy());
}

// What numbers of twice the bits give, in those of the arguments.
static Value *widened(CallInst &call, IRBuilder<> &b,
                      function_ref<Value *(Value *, Value *)> compute) {
  Type *type = call.getType(), *wide = type->getExtendedType();
  Value *result = compute(b.CreateZExt(call.getArgOperand(0), wide),
                          b.CreateZExt(call.getArgOperand(1), wide));
  return b.CreateTrunc(result, type);
}

// Threads may come to different barriers, as LLVM copies code without knowing
// that they meet there.
static Value *replacementOf(CallInst &call, IRBuilder<> &b) {
  StringRef name = call.getCalledFunction()->getName();
  Type *half = b.getHalfTy(), *bfloat = b.getBFloatTy(), *i16 = b.getInt16Ty();
  if (name == "heddle_thread")
    return b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_tid_x, {});
  if (name == "heddle_block")
    return b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_ctaid_x, {});
  if (name == "heddle_barrier") {
    b.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_sync_all, {b.getInt32(0)});
    return b.getInt32(0);
  }
  if (name == "heddle_shared")
    return sharedMemory(*call.getModule(), b);
  if (name == "heddle_f16_to_f32")
    return b.CreateFPExt(b.CreateBitCast(call.getArgOperand(0), half),
                         b.getFloatTy());
  if (name == "heddle_f32_to_f16")
    return b.CreateBitCast(b.CreateFPTrunc(call.getArgOperand(0), half), i16);
  if (name == "heddle_f32_to_bf16")
    return b.CreateBitCast(b.CreateFPTrunc(call.getArgOperand(0), bfloat), i16);
  // Halide divides by constants with instructions of the CPU that it compiles
  // for, in one lane of their vectors.
  if (name.starts_with("llvm.x86.sse2.pavg."))
    return widened(call, b, [&](Value *x, Value *y) {
      Value *one = ConstantInt::get(x->getType(), 1);
      return b.CreateLShr(b.CreateAdd(b.CreateAdd(x, y), one), 1);
    });
  return nullptr;
}

static void replaceCalls(Module &module) {
  for (Function &function : make_early_inc_range(module)) {
    StringRef name = function.getName();
    if (!function.isDeclaration() ||
        !(name.starts_with("heddle_") || name.starts_with("llvm.x86.")))
      continue;
    for (User *user : make_early_inc_range(function.users())) {
      auto *call = cast<CallInst>(user);
      IRBuilder<> b(call);
      if (Value *value = replacementOf(*call, b)) {
        call->replaceAllUsesWith(value);
        call->eraseFromParent();
      }
    }
    if (function.use_empty())
      function.eraseFromParent();
  }
}

// Whether a loop of each thread carries many numbers: the sums of a tile.
static bool keepsSums(const Function &kernel) {
  constexpr unsigned many = 32;
  return any_of(kernel, [](const BasicBlock &block) {
    return count_if(block.phis(), [](const PHINode &phi) {
             return phi.getType()->isFloatTy();
           }) >= many;
  });
}

// The only function returns nothing, and is started by the host. Halide's TBAA
// tells LLVM that buffers are not each other's; ptxas learns it of those that
// are only read, and loads from them before it stores.
static void makeKernel(Module &module, const TranslatedFunction &translated) {
  Function *thread = module.getFunction(translated.name);
  LLVMContext &context = module.getContext();
  auto *kernel = Function::Create(
      FunctionType::get(Type::getVoidTy(context),
                        thread->getFunctionType()->params(), false),
      GlobalValue::ExternalLinkage, "", module);
  kernel->splice(kernel->begin(), thread);
  for (auto [from, to, alignment] :
       zip_equal(thread->args(), kernel->args(), translated.alignments)) {
    from.replaceAllUsesWith(&to);
    if (to.getType()->isPointerTy()) {
      to.addAttr(Attribute::getWithAlignment(context, Align(alignment)));
      to.addAttr(Attribute::NoAlias);
    }
  }
  for (BasicBlock &block : *kernel)
    if (auto *end = dyn_cast<ReturnInst>(block.getTerminator())) {
      ReturnInst::Create(context, nullptr, end->getIterator());
      end->eraseFromParent();
    }
  thread->eraseFromParent();
  kernel->setName(translated.name);
  kernel->setCallingConv(CallingConv::PTX_Kernel);
  kernel->addFnAttr("nvvm.maxntid", std::to_string(translated.threads));
  // While one block waits for its tiles, another one computes. ptxas takes as
  // many registers as a thread may have if nobody asks for two, and those of a
  // multiprocessor (CUDA C++ Programming Guide, from compute capability 8.0 on)
  // may then be enough for one block.
  constexpr int64_t registers = 65536, mostOfThread = 255;
  bool mayBeAlone = 2 * translated.threads * mostOfThread > registers;
  if (mayBeAlone && keepsSums(*kernel))
    kernel->addFnAttr("nvvm.minctasm", "2");
}

// Code generation does this, too, but not before it has lost what is known of
// alignments in loops.
static void joinLoads(Module &module, TargetMachine &target) {
  runPasses(module, target, [](PassBuilder &) {
    ModulePassManager passes;
    FunctionPassManager functions;
    functions.addPass(InferAddressSpacesPass());
    functions.addPass(InferAlignmentPass());
    functions.addPass(LoadStoreVectorizerPass());
    passes.addPass(createModuleToFunctionPassAdaptor(std::move(functions)));
    return passes;
  });
}

// Of a library of C there is none, and of a CPU's instructions.
static Error checkCalls(const Module &module) {
  auto has = [](const Function &function) {
    return function.isIntrinsic() &&
           (!function.isTargetIntrinsic() ||
            function.getName().starts_with("llvm.nvvm."));
  };
  for (const Function &function : module)
    if (function.isDeclaration() && !function.use_empty() && !has(function))
      return createStringError("it calls %s, which a device does not have",
                               function.getName().str().c_str());
  return Error::success();
}

Expected<std::string> heddle::compileToPtx(const TranslatedFunction &function,
                                           StringRef chip) {
  LLVMContext context;
  auto parsed = parseBitcodeFile(
      MemoryBufferRef(std::get<std::string>(function.code), function.name),
      context);
  if (!parsed)
    return parsed.takeError();
  Module &module = **parsed;
  std::unique_ptr<TargetMachine> target = createTarget(chip);
  module.setTargetTriple(target->getTargetTriple());
  module.setDataLayout(target->createDataLayout());
  for (NamedMDNode &node : make_early_inc_range(module.named_metadata()))
    module.eraseNamedMetadata(&node);
  for (Function &each : module)
    for (StringRef attribute :
         {"target-cpu", "target-features", "tune-cpu", "reciprocal-estimates"})
      each.removeFnAttr(attribute);
  correctSemantics(module);
  replaceCalls(module);
  makeKernel(module, function);
  optimize(module, *target);
  joinLoads(module, *target);
  if (Error error = checkCalls(module))
    return error;
  SmallString<0> text;
  raw_svector_ostream out(text);
  legacy::PassManager passes;
  if (target->addPassesToEmitFile(passes, out, nullptr,
                                  CodeGenFileType::AssemblyFile))
    return createStringError("LLVM prints no PTX");
  passes.run(module);
  return std::string(text);
}
