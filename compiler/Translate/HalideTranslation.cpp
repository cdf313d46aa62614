// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Translate/HalideTranslation.h"

#include "compiler/Lowering/Names.h"
#include "compiler/Support/Files.h"
#include "compiler/Support/Memory.h"
#include "compiler/Translate/AlgorithmTranslation.h"
#include "compiler/Translate/CheckPromises.h"
#include "compiler/Translate/CheckStack.h"
#include "compiler/Translate/CorrectLoads.h"
#include "compiler/Translate/HalfConversions.h"
#include "compiler/Translate/LoopNest.h"
#include "compiler/Translate/MemoryFile.h"
#include "compiler/Translate/OffloadKernels.h"
#include "compiler/Translate/SumsOfPairs.h"
#include "compiler/Translate/TileRegisters.h"
#include "compiler/Translate/WholeTiles.h"
#include "dialect/Heddle/Configuration.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"

#include <cstdlib>
#include <mutex>

using namespace mlir;
using namespace heddle;

// Halide has its own LLVM optimise before LLVM 22 does. That one unrolls loops
// of few steps whole, although the schedule has unrolled what is worth it: all
// that a row keeps is then loaded at once and goes back to memory, where it
// waits behind the row's results. A softmax took twice the time. And it may not
// read the elements of a vector one by one because each is an argument of a
// call: these become one instruction (HalfConversions.h). Nor does it look for
// vectors in straight code, which the schedule has made: it found addresses of
// rows, and took them out of vectors again in each step of a sum.
std::string heddle::optionsOfHalide() {
  // Read when Halide makes its first module. Who sets it knows better.
  setenv("HL_LLVM_ARGS",
         "-unroll-full-max-count=1 -disable-vector-combine "
         "-vectorize-slp=false",
         /*overwrite=*/0);
  return getenv("HL_LLVM_ARGS");
}

// Whether both factors of `product` are narrower numbers, widened to `type`.
static bool multiplies(Operation *product, Type type,
                       llvm::function_ref<bool(Type)> isNarrow) {
  return product->getResult(0).getType() == type &&
         llvm::all_of(product->getOperands(), [&](Value factor) {
           auto widen = factor.getDefiningOp<CastOpInterface>();
           return widen && isNarrow(widen->getOperand(0).getType());
         });
}

// Whether the CPU has an instruction for a sum of products in the pipeline,
// which Halide uses for one of its CPUs alone.
static bool addsProducts(halide::PipelineOp pipeline,
                         const MachineModel &machine) {
  OpBuilder b(pipeline.getContext());
  auto isByte = [](Type type) { return type.isInteger(8); };
  auto isBFloat = [](Type type) { return type.isBF16(); };
  return pipeline
      ->walk([&](Operation *op) {
        bool isFound = (machine.byteTerms > 1 && isa<arith::MulIOp>(op) &&
                        multiplies(op, b.getI32Type(), isByte)) ||
                       (machine.productPairs() > 1 && isa<arith::MulFOp>(op) &&
                        op->hasAttr(halide::kReorderedAttr) &&
                        multiplies(op, b.getF32Type(), isBFloat));
        return isFound ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

// Whether sums are made of blocks.
static bool addsBlocks(halide::PipelineOp pipeline) {
  return pipeline
      ->walk([](halide::UpdateOp update) {
        return llvm::is_contained(
                   update.getReductionVars().getAsValueRange<StringAttr>(),
                   kDepthBlockVar)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

// What Halide has to know of the machine: which instructions its own lowering
// may ask for. LLVM 22 gets the exact CPU later.
static Halide::Target toTarget(const MachineModel &machine,
                               halide::PipelineOp pipeline) {
  using Halide::Target;
  std::vector<Target::Feature> features = {
      Target::SSE41,       Target::AVX,         Target::AVX2,
      Target::FMA,         Target::NoRuntime,   Target::NoBoundsQuery,
      Target::UserContext, Target::LargeBuffers};
  if (!pipeline->hasAttr(kCheckedAttr))
    features.push_back(Target::NoAsserts);
  if (machine.hasF16C)
    features.push_back(Target::F16C);
  if (machine.hasAVX512) {
    features.push_back(Target::AVX512);
    features.push_back(Target::AVX512_Skylake);
  }
  // Halide's name of vpdpbusd is that of a CPU with bf16, which it would use.
  if (addsProducts(pipeline, machine))
    features.push_back(Target::AVX512_SapphireRapids);
  return Target(Target::Linux, Target::X86, 64, features);
}

namespace {
/// Hears what Halide says while it compiles `pipeline`.
class Reporter : public Halide::CompileTimeErrorReporter {
public:
  explicit Reporter(halide::PipelineOp pipeline) : pipeline(pipeline) {
    Halide::set_custom_compile_time_error_reporter(this);
  }
  ~Reporter() override {
    Halide::set_custom_compile_time_error_reporter(nullptr);
  }

  // Halide proves what it can of assertions, whether the code has them or not:
  // a bound in the schedule is smaller than what is computed.
  void warning(const char *message) override {
    StringRef text = StringRef(message).trim();
    text.consume_front("Warning: ");
    if (text.consume_front(
            "This pipeline is guaranteed to fail an assertion at runtime:"))
      return fail("the schedule promises what does not hold: " + text.trim());
    pipeline.emitWarning("Halide: ") << text;
  }

  void error(const char *message) override { fail(StringRef(message).trim()); }

private:
  // Reports are made by destructors, those of errors on the way out, too.
  static void fail(const Twine &message) {
    if (!std::uncaught_exceptions())
      throw Halide::CompileError(message.str());
  }

  halide::PipelineOp pipeline;
};
} // namespace

static Halide::OutputFileType typeOf(TranslationOutput output) {
  switch (output) {
  case TranslationOutput::Bitcode:
    return Halide::OutputFileType::bitcode;
  case TranslationOutput::Statement:
    return Halide::OutputFileType::stmt;
  case TranslationOutput::StatementHtml:
    return Halide::OutputFileType::stmt_html;
  }
  llvm_unreachable("unknown output");
}

// Kernels may have any name, functions of a device one of C's.
static std::string functionName(StringRef kernel) {
  std::string name = kernel.str();
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  return "k_" + name;
}

static std::vector<int64_t> alignmentsOf(const OffloadedKernel &kernel,
                                         const TranslatedPipeline &pipeline) {
  std::vector<int64_t> alignments;
  for (const auto &argument : kernel.arguments) {
    auto known = pipeline.alignments.find(argument.name);
    alignments.push_back(known == pipeline.alignments.end()
                             ? argument.type.bytes()
                             : known->second);
  }
  return alignments;
}

// Halide counts its variables in a process, and puts what commutes, what it
// lifts out of loops and what closures hold in the order of their names, in
// which t10 stands before t9. A kernel is the same wherever it is compiled, as
// long as all numbers have as many digits.
static void countFromLargeNumbers() {
  static std::once_flag once;
  std::call_once(once, [] {
    for (char letter = 'a'; letter <= 'z'; ++letter)
      while (Halide::Internal::unique_name(letter).size() < 6) {
      }
  });
}

FailureOr<Translation> heddle::translateToHalide(halide::PipelineOp op,
                                                 const MachineModel &machine,
                                                 TranslationOutput output) {
  optionsOfHalide();
  countFromLargeNumbers();
  auto reject = [&](const Twine &why) -> LogicalResult {
    InFlightDiagnostic diagnostic = op.emitOpError(why);
    for (auto schedule : op.getBody().front().getOps<halide::ScheduleOp>())
      if (isa<FileLineColLoc>(schedule.getLoc()))
        diagnostic.attachNote(schedule.getLoc()) << "with this schedule";
    return diagnostic;
  };
  auto fail = [&](const Twine &what, std::error_code code) -> LogicalResult {
    return op.emitError(llvm::toString(systemError(
        code, "cannot " + what + " a file in memory: " + code.message())));
  };
  Translation translation;
  MemoryFile file;
  if (file.error())
    return fail("make", file.error());
  try {
    Reporter reporter(op);
    TranslatedPipeline pipeline;
    Halide::Target target = toTarget(machine, op);
    bool isOnDevice = machine.device.has_value();
    if (failed(translateAlgorithm(op, isOnDevice, pipeline)))
      return failure();
    for (auto schedule : op.getBody().front().getOps<halide::ScheduleOp>())
      if (failed(translateSchedule(schedule, pipeline, isOnDevice)))
        return failure();
    if (!pipeline.tiles.empty() && machine.tileRegisterRows == 0)
      return reject("keeps a func in amx_tile, and '" + Twine(machine.cpu) +
                    "' has no tile registers");
    Halide::Pipeline outputs(pipeline.outputs);
    sumInTileRegisters(outputs, pipeline.tiles);
    correctLoads(outputs, pipeline.outputs);
    makePairsStrict(outputs);
    if (addsBlocks(op))
      separateWholeTiles(outputs);
    callHalfConversions(outputs, machine.hasF16C && !isOnDevice,
                        machine.productPairs() > 1 && !isOnDevice);
    std::vector<OffloadedKernel> kernels;
    if (isOnDevice)
      offloadKernels(outputs, pipeline, functionName(op.getSymName()),
                     *machine.device,
                     threadsOf(op->getAttr(kConfigurationAttr)), kernels);
    Halide::Module module = outputs.compile_to_module(
        pipeline.arguments, op.getSymName().str(), target);
    if (int64_t bytes = stackBytes(module); bytes > kMostStackBytes)
      return reject("expected funcs that take at most " +
                    Twine(kMostStackBytes) + " bytes of the stack, found " +
                    Twine(bytes) + "; store_in(heap) keeps a func elsewhere");
    if (std::string promise = unprovenPromise(module);
        !promise.empty() && !op->hasAttr(kCheckedAttr))
      return reject("cannot be proven to compute what its schedule promises: " +
                    promise);
    module.compile({{typeOf(output), file.path()}});
    if (output != TranslationOutput::Bitcode)
      kernels.clear();
    for (const OffloadedKernel &kernel : kernels) {
      TranslatedFunction function{
          kernel.name, {}, kernel.threads, alignmentsOf(kernel, pipeline)};
      if (machine.device->kind == DeviceModel::OpenCL) {
        function.code = printOpenCl(kernel);
      } else {
        llvm::ErrorOr<std::string> code = compileForCuda(kernel);
        if (!code)
          return fail("keep", code.getError());
        function.code = std::move(*code);
      }
      translation.functions.push_back(std::move(function));
    }
  } catch (const MappingError &error) {
    return reject("cannot be done by blocks of threads: " + error.message);
  } catch (const Halide::Error &error) {
    // Halide takes it for granted that its stacks are there. The end of the
    // process is the only one, as other threads may find the same.
    if (isShortOfMemory())
      llvm::report_bad_alloc_error(kOutOfMemory);
    return reject("was rejected by Halide: " + StringRef(error.what()).trim());
  }
  auto written = file.read();
  if (!written)
    return fail("read", written.getError());
  translation.output = std::move(*written);
  return translation;
}
