// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Verify/VerifyKernels.h"

#include "compiler/Lowering/Names.h"
#include "compiler/Reference/RotaryAngles.h"
#include "compiler/Verify/VerifyBuffers.h"

#include <atomic>
#include <cmath>
#include <sys/mman.h>

using namespace mlir;
using namespace heddle;
using reference::CacheStorage;
using reference::CacheView;
using reference::ErrorBounds;
using reference::findWorst;
using reference::Tensor;
using RefValue = reference::Value;

//===-- Kernels and their buffers -----------------------------------------===//

KernelVerifier::KernelVerifier(ModuleOp module, const EntryPlan &entry,
                               ArrayRef<int64_t> sizes,
                               reference::Evaluator &evaluator,
                               VerifySummary &summary,
                               std::function<void(StringRef)> started)
    : entry(entry), sizes(sizes), evaluator(evaluator), summary(summary),
      started(std::move(started)), symbols(module) {
  auto function = symbols.lookup<func::FuncOp>(entry.name);
  function.walk([&](LaunchOp launch) { launches.push_back(launch); });
  for (auto pipeline :
       symbols.lookup<ModuleOp>(kPipelinesModule).getOps<halide::PipelineOp>())
    signatures[pipeline.getSymName()] = KernelSignature::of(pipeline);
}

LaunchOp KernelVerifier::launchOf(const heddle_kernel_event &event) const {
  return launches[event.launch];
}

KernelOp KernelVerifier::kernelOf(const heddle_kernel_event &event) const {
  return symbols.lookup<KernelOp>(launchOf(event).getKernel());
}

SmallVector<unsigned>
KernelVerifier::buffersOf(const heddle_kernel_event &event, bool isResult,
                          unsigned index) const {
  SmallVector<unsigned> found;
  const KernelSignature &kernel = signatures.at(event.kernel);
  for (auto [position, buffer] : llvm::enumerate(kernel.buffers))
    if (buffer.isWritten == isResult && buffer.value == index)
      found.push_back(position);
  return found;
}

SmallVector<int64_t> KernelVerifier::shapeOf(Type type) const {
  return entry.evaluate(heddle::sizesOf(type), sizes);
}

// The results of a kernel that a cache argument becomes.
static std::optional<unsigned> resultOf(KernelOp kernel, BlockArgument cache) {
  Operation *yield = kernel.getBody().front().getTerminator();
  for (OpOperand &operand : yield->getOpOperands()) {
    mlir::Value value = operand.get();
    while (auto append = value.getDefiningOp<CacheAppendOp>())
      value = append.getCache();
    if (value == cache)
      return operand.getOperandNumber();
  }
  return std::nullopt;
}

//===-- Before a kernel ---------------------------------------------------===//

llvm::Error KernelVerifier::readArguments(const heddle_kernel_event &event) {
  arguments.clear();
  for (unsigned index = 0; index < kernelOf(event).getNumArguments(); ++index) {
    llvm::Expected<RefValue> argument = readArgument(event, index);
    if (!argument)
      return argument.takeError();
    arguments.push_back(std::move(*argument));
  }
  return llvm::Error::success();
}

llvm::Expected<RefValue>
KernelVerifier::readArgument(const heddle_kernel_event &event, unsigned index) {
  // Weights are those of the model, not of the packed file.
  mlir::Value operand = launchOf(event).getOperand(index);
  if (auto reference = operand.getDefiningOp<WeightRefOp>())
    return evaluator.weight(symbols.lookup<WeightOp>(reference.getWeight()),
                            reference);
  // Tables of f32 are, too, rounded as they are packed. Those of f64 differ in
  // their last bits from function to function: those are as they are packed,
  // and the model as a whole tells whether they are right.
  if (auto table = operand.getDefiningOp<TableOpInterface>()) {
    Tensor packed = reference::tableOf(table);
    if (getElementTypeOrSelf(operand).isF64())
      packed.data = table.computeTable();
    else
      for (double &element : packed.data)
        element = float(element);
    return RefValue(std::move(packed));
  }

  KernelOp kernel = kernelOf(event);
  BlockArgument argument = kernel.getArgument(index);
  SmallVector<unsigned> buffers = buffersOf(event, /*isResult=*/false, index);
  if (auto cache = dyn_cast<CacheType>(argument.getType())) {
    // What is only appended to is an output.
    if (std::optional<unsigned> result = resultOf(kernel, argument))
      buffers = buffersOf(event, /*isResult=*/true, *result);
    return RefValue(readCache(event, cache, buffers));
  }
  SmallVector<int64_t> shape = shapeOf(argument.getType());
  // An argument that nothing reads has no buffer.
  if (buffers.empty())
    return RefValue(Tensor::zeros(shape));
  llvm::Expected<Tensor> tensor = readBuffer(*event.buffers[buffers[0]], shape);
  if (!tensor)
    return tensor.takeError();
  return RefValue(std::move(*tensor));
}

CacheView KernelVerifier::readCache(const heddle_kernel_event &event,
                                    CacheType type,
                                    ArrayRef<unsigned> buffers) {
  SmallVector<int64_t> shape = shapeOf(type);
  CacheView view = CacheView::create(type, shape[0], shape[1]);
  CacheStorage &storage = *view.storage;
  CacheBuffers parts;
  SmallVector<CachePart> kinds = type.getParts();
  const KernelSignature &kernel = signatures.at(event.kernel);
  for (unsigned index : buffers)
    parts[kinds[kernel.buffers[index].part]] = event.buffers[index];
  for (CachePart part : {CachePart::Keys, CachePart::Values})
    if (parts.count(part))
      storage.part(part) = readCachePart(parts, part, storage);
  return view;
}

//===-- After a kernel ----------------------------------------------------===//

llvm::Error KernelVerifier::compareResults(const heddle_kernel_event &event) {
  bounds = ErrorBounds();
  appends.clear();
  evaluator.setObserver([this](Operation *op, ArrayRef<RefValue> operands,
                               ArrayRef<RefValue> results,
                               const reference::Environment &environment) {
    bounds.follow(op, results, environment);
    if (isa<CacheAppendOp>(op))
      appends.try_emplace(op, operands);
  });
  llvm::StringMap<int64_t> symbols;
  for (auto [symbol, size] : llvm::zip_equal(entry.symbols, sizes))
    symbols[symbol.getName().getValue()] = size;
  auto results = evaluator.run(kernelOf(event), arguments, symbols);
  if (!results)
    return results.takeError();
  for (auto [index, result] : llvm::enumerate(*results))
    if (llvm::Error failure = result.isCache()
                                  ? compareCache(event, index, result)
                                  : compareTensor(event, index, result))
      return failure;
  return llvm::Error::success();
}

llvm::Error KernelVerifier::compareTensor(const heddle_kernel_event &event,
                                          unsigned result,
                                          const RefValue &value) {
  KernelOp kernel = kernelOf(event);
  const Tensor &want = *value.tensor();
  llvm::Expected<Tensor> tensor =
      readBuffer(*event.buffers[buffersOf(event, true, result)[0]], want.shape);
  if (!tensor)
    return llvm::createStringError(
        "%s, launch %u: kernel @%s: result %u: %s", event.entry, event.launch,
        event.kernel, result, llvm::toString(tensor.takeError()).c_str());
  separate(*tensor, want);
  const std::vector<double> &got = tensor->data;
  mlir::Value yielded =
      kernel.getBody().front().getTerminator()->getOperand(result);
  // What comes of positions that were never appended is not a number on both
  // sides.
  auto isCompared = [&](size_t element) {
    return !std::isnan(got[element]) || !std::isnan(want.data[element]);
  };
  return note(event, result, "", want.shape,
              findWorst(got, want.data, bounds.of(yielded), isCompared));
}

llvm::Error KernelVerifier::compareCache(const heddle_kernel_event &event,
                                         unsigned result,
                                         const RefValue &value) {
  const CacheStorage &want = *value.cache().storage;
  mlir::Value yielded =
      kernelOf(event).getBody().front().getTerminator()->getOperand(result);
  auto type = cast<CacheType>(yielded.getType());
  CacheView got = readCache(event, type, buffersOf(event, true, result));
  for (auto [part, name] : {std::pair(CachePart::Keys, " keys"),
                            std::pair(CachePart::Values, " values")}) {
    // Only what is appended has been computed; an exact bound of 0 holds
    // elsewhere.
    std::vector<double> bounds(want.part(part).size());
    for (mlir::Value cache = yielded;
         auto append = cache.getDefiningOp<CacheAppendOp>();
         cache = append.getCache())
      spreadBounds(append, part, want, bounds);
    int64_t shape[] = {want.batch, want.positions(), type.getKvHeads(),
                       type.getDimOf(part)};
    // What was never appended may be anything, if the same.
    auto isCompared = [&, part = part](size_t i) {
      return !std::isnan(want.part(part)[i]) ||
             !std::isnan(got.storage->part(part)[i]);
    };
    if (llvm::Error failure =
            note(event, result, name, shape,
                 findWorst(got.storage->part(part), want.part(part), bounds,
                           isCompared)))
      return failure;
  }
  return llvm::Error::success();
}

// How far an element of a cache may be off which is `value`, and which was
// rounded from what was off by `error`: by that, and by a unit in its last
// place.
static double roundedBound(Type type, double value, double error) {
  if (error == 0 || type.isF32())
    return error;
  return error + reference::unitInLastPlace(
                     cast<FloatType>(type).getFloatSemantics(), value);
}

void KernelVerifier::spreadBounds(CacheAppendOp append, CachePart part,
                                  const CacheStorage &storage,
                                  MutableArrayRef<double> to) {
  ArrayRef<RefValue> operands = appends[append];
  auto operandOf = [&](mlir::Value value) {
    for (OpOperand &operand : append->getOpOperands())
      if (operand.get() == value)
        return operands[operand.getOperandNumber()].tensor();
    return std::shared_ptr<const Tensor>();
  };
  mlir::Value from = append.getSourceOf(part);
  mlir::Value scaleName =
      part == CachePart::Keys ? append.getKeyScales() : append.getValueScales();
  auto tokens = operandOf(from), starts = operandOf(append.getStarts()),
       counts = operandOf(append.getLengths()),
       pages = operandOf(append.getPages()), scales = operandOf(scaleName);
  Type type = storage.type.getTypeOf(part);
  int64_t dim = storage.type.getDimOf(part), channels = tokens->channels();
  for (int64_t b = 0; b < tokens->shape[0]; ++b)
    for (int64_t s = 0; s < (counts ? counts->data[b] : tokens->shape[1]);
         ++s) {
      auto place = llvm::cantFail(reference::CachePlace::of(
          append, storage, pages.get(), append.getRing(), b,
          (starts ? int64_t(starts->data[b]) : 0) + s));
      int64_t row = b * tokens->shape[1] + s;
      int64_t at = storage.index(part, 0, place.sequence, place.position);
      for (int64_t c = 0; c < channels; ++c) {
        double error = bounds.at(from, row * channels + c);
        double stored = storage.part(part)[at + c];
        if (!scales) {
          to[at + c] = roundedBound(type, stored, error);
          continue;
        }
        // q s: errors of both.
        int64_t head = row * scales->channels() + c / dim;
        double scaleError = bounds.at(scaleName, head);
        double scale = std::abs(scales->data[head]) + scaleError;
        to[at + c] =
            error * scale + std::abs(stored / scales->data[head]) * scaleError;
      }
    }
}

llvm::Error KernelVerifier::note(const heddle_kernel_event &event,
                                 unsigned result, StringRef part,
                                 ArrayRef<int64_t> shape,
                                 std::optional<reference::Deviation> worst) {
  if (!worst)
    return llvm::Error::success();
  if (!(worst->ratio() <= 1)) {
    std::string what = ("result " + llvm::Twine(result) + part).str();
    return llvm::createStringError(
        "%s, launch %u: kernel @%s leaves its tolerance: %s", event.entry,
        event.launch, event.kernel,
        describeFailure(what, shape, *worst).c_str());
  }
  if (!summary.worst || worst->ratio() > summary.worst->ratio()) {
    summary.worst = worst;
    summary.worstKernel = event.kernel;
  }
  return llvm::Error::success();
}

// Names the kernel that runs, in memory that copies of this process share. The
// name is in the artifact, which they have at the same address.
static std::atomic<const char *> *running = nullptr;

void KernelVerifier::shareRunningKernel() {
  if (running)
    return;
  void *page = mmap(nullptr, sizeof(*running), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED)
    llvm::report_bad_alloc_error("no memory for the name of a kernel");
  running = new (page) std::atomic<const char *>(nullptr);
}

std::optional<StringRef> KernelVerifier::runningKernel() {
  const char *kernel = running ? running->load() : nullptr;
  return kernel ? std::optional<StringRef>(kernel) : std::nullopt;
}

void KernelVerifier::observe(void *data, const heddle_kernel_event *event) {
  static_cast<KernelVerifier *>(data)->observe(*event);
  if (running)
    *running = event->finished ? nullptr : event->kernel;
}

std::string KernelVerifier::unfinished() const {
  std::string text = begun ? " in kernel @" + std::string(begun) : "";
  const char *separator = ", with ";
  for (auto [symbol, size] : llvm::zip_equal(entry.symbols, sizes)) {
    text += separator + symbol.getName().str() + " = " + std::to_string(size);
    separator = ", ";
  }
  return text;
}

void KernelVerifier::observe(const heddle_kernel_event &event) {
  begun = event.finished ? nullptr : event.kernel;
  if (begun)
    started(begun);
  if (running)
    *running = nullptr;
  if (failure)
    return;
  if (!signatures.contains(event.kernel)) {
    failure = ("kernel @" + llvm::Twine(event.kernel) +
               " is none of this model's: it is compiled from another one")
                  .str();
    return;
  }
  if (llvm::Error error =
          event.finished ? compareResults(event) : readArguments(event))
    failure = llvm::toString(std::move(error));
}
