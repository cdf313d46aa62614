// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Pipeline.h"

#include "compiler/Attention/Passes.h"
#include "compiler/Configure/Passes.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Host/Passes.h"
#include "compiler/Lowering/Passes.h"
#include "compiler/Prepare/InputErrors.h"
#include "compiler/Prepare/Passes.h"
#include "compiler/Reference/Evaluator.h"
#include "compiler/Schedule/Passes.h"
#include "compiler/Target/Passes.h"
#include "compiler/Weights/WeightInterfaces.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace heddle;

void heddle::registerDialects(DialectRegistry &registry) {
  registry
      .insert<arith::ArithDialect, func::FuncDialect, math::MathDialect,
              linalg::LinalgDialect, tensor::TensorDialect,
              ml_program::MLProgramDialect, HeddleDialect,
              halide::HalideDialect, memref::MemRefDialect, scf::SCFDialect>();
  func::registerInlinerExtension(registry);
  registerElementwiseSizes(registry);
  registerLinalgConversions(registry);
  registerTensorConversions(registry);
  registerSplitResults(registry);
  registerDecompositions(registry);
  registerLowerings(registry);
  registerWeightExpressions(registry);
  reference::registerReferenceModels(registry);
}

// Layers first, as they name weights; then calls: private functions need not
// say what their sizes are.
static void addExpansions(OpPassManager &passes) {
  passes.addPass(createWidenActivations());
  passes.addPass(createExpandLayers());
  passes.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  passes.addPass(createSymbolDCEPass());
  passes.addPass(createBoxScalars());
}

void heddle::buildToReference(OpPassManager &passes) {
  addExpansions(passes);
  passes.addPass(createResolveSizes());
  passes.addPass(createExpandAttention());
  passes.addPass(createHoistConstants());
  passes.addPass(createDecompose({/*keepLayers=*/true}));
}

LogicalResult heddle::prepareReference(ModuleOp module) {
  PassManager passes(module.getContext());
  buildToReference(passes);
  return passes.run(module);
}

LogicalResult heddle::convertWeights(ModuleOp module,
                                     const ImportOptions &options,
                                     const MachineModel &machine,
                                     bool hasDevice) {
  Arithmetic arithmetic = options.arithmetic;
  bool isAuto = arithmetic == Arithmetic::Auto && !hasDevice;
  bool addsIntegers = isAuto || arithmetic == Arithmetic::Int16 ||
                      arithmetic == Arithmetic::Int8;
  bool addsPairs = (isAuto && options.largestInputError >= kBFloatError) ||
                   arithmetic == Arithmetic::BF16;
  if (options.weightType == WeightType::Keep && !addsIntegers && !addsPairs)
    return success();
  PassManager passes(module.getContext());
  addExpansions(passes);
  passes.addPass(createResolveSizes());
  passes.addPass(createReorderInputs());
  if (options.weightType != WeightType::Keep)
    passes.addPass(createConvertWeights(
        {weightTypeName(options.weightType).str(), options.weightGroup,
         llvm::to_vector(options.keep)}));
  // Where nothing multiplies bytes, they are no faster than 16 bits.
  bool addsBytes = arithmetic == Arithmetic::Int8 ||
                   (isAuto && machine.byteTerms > machine.integerTerms);
  if (addsIntegers)
    passes.addPass(createQuantizeActivations(
        {/*bits=*/addsBytes ? 8u : 16u,
         /*largestError=*/isAuto ? options.largestInputError : 1,
         /*required=*/!isAuto}));
  // Rounding makes f32 no faster where nothing multiplies pairs.
  bool multipliesPairs = machine.productPairs() > 1 && !hasDevice;
  if (addsPairs)
    passes.addPass(createRoundActivations(
        {/*required=*/!isAuto, /*round=*/multipliesPairs}));
  if (multipliesPairs && (addsPairs || arithmetic == Arithmetic::Int8))
    passes.addPass(createRoundAttention({machine.cpuName()}));
  return passes.run(module);
}

LogicalResult heddle::addForDevices(ModuleOp module) {
  PassManager passes(module.getContext());
  passes.addPass(createAddSampling());
  return passes.run(module);
}

void heddle::buildToKernels(OpPassManager &passes,
                            const PipelineOptions &options) {
  passes.addPass(createSetTarget({options.targetCpu, options.device}));
  addExpansions(passes);
  passes.addPass(createResolveSizes());
  passes.addPass(createReorderInputs());
  passes.addPass(createExpandAttention());
  passes.addPass(createHoistConstants());
  passes.addPass(createIntegerProducts());
  passes.addPass(createJoinSlices());
  passes.addPass(createRemoveSigns());
  passes.addPass(createDeriveWeights());
  passes.addPass(createDeclareRoles());
  passes.addPass(createSplitPhases());
  passes.addPass(createDeclareConditions());
  passes.addPass(createDecompose());
  passes.addPass(createGeneralizeElementwise());
  passes.addPass(createCSEPass());
  passes.addPass(createMergeGenerics());
  passes.addPass(createSubtractTables());
  FindAttentionOptions attention;
  attention.remarks = options.fusionRemarks;
  passes.addPass(createFindAttention(attention));
  passes.addPass(createSimplifyMasks());
  passes.addPass(createSummarizeMasks());
  passes.addPass(createPlaceHeads());
  passes.addPass(createPackAttention());
  passes.addPass(createSplitKeys());
  passes.addPass(createMergeGenerics()); // what these made
  FindContractionsOptions contractions;
  contractions.remarks = options.fusionRemarks;
  passes.addPass(createFindContractions(contractions));
  passes.addPass(createAssignLayouts({options.scheduleFile}));
  passes.addPass(createPackOperands());
  passes.addPass(createSettleContractions({options.fusionRemarks}));
  passes.addPass(createCSEPass());
  FormKernelsOptions kernels;
  kernels.remarks = options.fusionRemarks;
  passes.addPass(createFormKernels(kernels));
  passes.addPass(createConfigureKernels({options.scheduleFile}));
}

void heddle::buildToHalide(OpPassManager &passes) {
  passes.addPass(createLowerKernels());
  // In the module of pipelines: kernels stay what these are compared with.
  passes.addNestedPass<ModuleOp>(createExpandMath());
  passes.addPass(createCSEPass());
}

void heddle::buildToSchedule(OpPassManager &passes,
                             const PipelineOptions &options) {
  passes.addPass(createSchedulePipelines());
  if (!options.scheduleFile.empty())
    passes.addPass(createOverrideSchedules({options.scheduleFile}));
}

void heddle::buildToHost(OpPassManager &passes) {
  passes.addPass(createBuildHost());
}

void heddle::buildToLLVM(OpPassManager &passes, StringRef prefix) {
  passes.addPass(createSCFToControlFlowPass());
  // LLVM calls a library where a bf16 is compared and stored, too.
  arith::ArithEmulateUnsupportedFloatsOptions narrow;
  narrow.sourceTypeStrs = {"bf16", "f16"};
  passes.addPass(arith::createArithEmulateUnsupportedFloats(narrow));
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  passes.addPass(arith::createArithExpandOpsPass(expand));
  LowerHostOptions options;
  options.prefix = prefix.str();
  passes.addPass(createLowerHost(options));
}

namespace {
struct CommandLineOptions : PassPipelineOptions<CommandLineOptions> {
  Option<std::string> targetCpu{*this, "target-cpu",
                                llvm::cl::desc("the CPU to compile for"),
                                llvm::cl::init("native")};
  Option<std::string> device{*this, "device",
                             llvm::cl::desc("what runs the kernels, if it is "
                                            "not the CPU")};
};
} // namespace

void heddle::registerPasses() {
  registerTransformsPasses();
  registerTargetPasses();
  registerPreparePasses();
  registerAttentionPasses();
  registerFusionPasses();
  registerConfigurePasses();
  registerLoweringPasses();
  registerSchedulePasses();
  registerHostPasses();
  registerPass([] { return createSCFToControlFlowPass(); });
  arith::registerArithExpandOpsPass();
  auto registerUpTo = [](StringRef name, StringRef description, int stages) {
    static std::vector<
        std::unique_ptr<PassPipelineRegistration<CommandLineOptions>>>
        registrations;
    registrations.push_back(
        std::make_unique<PassPipelineRegistration<CommandLineOptions>>(
            name, description,
            [stages](OpPassManager &passes, const CommandLineOptions &line) {
              PipelineOptions options;
              options.targetCpu = line.targetCpu;
              options.device = line.device;
              buildToKernels(passes, options);
              if (stages > 1)
                buildToHalide(passes);
              if (stages > 2)
                buildToSchedule(passes, options);
              if (stages > 3)
                buildToHost(passes);
            }));
  };
  registerUpTo("heddle-to-kernels", "model to kernels", 1);
  registerUpTo("heddle-to-halide", "model to Halide algorithms", 2);
  registerUpTo("heddle-to-schedule", "model to scheduled Halide algorithms", 3);
  registerUpTo("heddle-to-host", "model to the host program", 4);
}
