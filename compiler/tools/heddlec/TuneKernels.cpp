// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddlec --tune: configurations with which kernels are faster here than with
// those of the machine model.

#include "compiler/CodeGen/Object.h"
#include "compiler/Lowering/Names.h"
#include "compiler/Tune/TuningSearch.h"
#include "compiler/tools/common/Link.h"
#include "compiler/tools/common/Tool.h"
#include "compiler/tools/heddlec/CompilationSession.h"
#include "compiler/tools/heddlec/TimedLibrary.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace heddle;

using Clock = std::chrono::steady_clock;

// Of two libraries that are called in turn: pairs of calls at least, and at
// most as many as there is time for. The clock of a CPU and the other programs
// of a machine change from second to second, for both alike.
static constexpr int kFewestPairs = 5, kMostPairs = 200;
static constexpr std::chrono::milliseconds kPairsTime(700);

// Kernels that take less of all time are not searched.
static constexpr double kLeastShare = 0.005;

llvm::Expected<ScratchFile> CompilationSession::buildLibrary(ModuleOp kernels) {
  TargetProgram variant;
  variant.machine = targets.front().machine;
  variant.glue = targets.front().glue;
  variant.module = kernels.clone();
  PassManager passes(&context);
  buildToHalide(passes);
  buildToSchedule(passes, options.pipeline);
  buildToHost(passes);
  if (failed(passes.run(*variant.module)))
    return alreadyReported();
  auto compiled = compilePipelines(variant);
  if (failed(compiled))
    return alreadyReported();
  variant.plan = planModel(*variant.module);
  llvm::LLVMContext llvmContext;
  std::vector<std::unique_ptr<llvm::Module>> programs;
  auto program = linkProgram(llvmContext, *compiled, variant);
  if (!program)
    return program.takeError();
  programs.push_back(std::move(*program));
  auto module = linkTargets(std::move(programs), names.prefix);
  if (!module)
    return module.takeError();
  SmallVector<char> code;
  if (llvm::Error error = emitObject(**module, variant.machine, names.prefix,
                                     llvm::CodeGenFileType::ObjectFile, code))
    return error;
  auto object = ScratchFile::create("o", [&](llvm::raw_fd_ostream &file) {
    file.write(code.data(), code.size());
    return llvm::Error::success();
  });
  if (!object)
    return object.takeError();
  auto library = ScratchFile::create("so");
  if (!library)
    return library.takeError();
  if (llvm::Error error = linkSharedLibrary(library->path(), object->path()))
    return error;
  return library;
}

namespace {

/// The kernels as they were first, beside others.
class Race {
public:
  using Load = std::function<llvm::Expected<TimedLibrary>(StringRef library)>;

  Race(TimedLibrary first, Load load)
      : first(std::move(first)), load(std::move(load)) {}

  /// The times of the kernels of `library` by those of the first.
  llvm::Expected<llvm::StringMap<double>> measure(const ScratchFile &library) {
    auto other = load(library.path());
    if (!other)
      return other.takeError();
    // Pages are touched, and caches filled.
    for (TimedLibrary *warmed : {&first, &*other}) {
      if (llvm::Error error = warmed->call())
        return error;
      warmed->clear();
    }
    auto begin = Clock::now();
    for (int pair = 0; pair < kMostPairs; ++pair) {
      if (pair >= kFewestPairs && Clock::now() - begin > kPairsTime)
        break;
      if (llvm::Error error = first.call())
        return error;
      if (llvm::Error error = other->call())
        return error;
    }
    firstTimes = first.kernelTimes();
    firstEntries = first.entryTimes();
    otherEntries = other->entryTimes();
    llvm::StringMap<double> ratios;
    llvm::StringMap<double> others = other->kernelTimes();
    for (const auto &kernel : firstTimes)
      ratios[kernel.getKey()] =
          others.lookup(kernel.getKey()) / kernel.getValue();
    return ratios;
  }

  /// Microseconds, of the last measurement.
  double timeOf(StringRef kernel) const { return firstTimes.lookup(kernel); }
  std::string describe() const {
    std::string text;
    for (auto [before, after] : llvm::zip_equal(firstEntries, otherEntries))
      text +=
          llvm::formatv("// {0}: {1:f1} us of kernels, {2:f1} before\n",
                        before.call, after.microseconds, before.microseconds);
    return text;
  }

private:
  TimedLibrary first;
  Load load;
  llvm::StringMap<double> firstTimes;
  std::vector<TimedLibrary::EntryTime> firstEntries, otherEntries;
};

} // namespace

static void setCandidates(const TuningSearch &search) {
  for (const TuningSearch::Kernel &kernel : search.kernels())
    KernelOp(kernel.op)->setAttr(kConfigurationAttr, kernel.candidate);
}

// Configurations that are faster, the slowest kernel first. Without any, a
// comment: the file has the slowest kernel's own configuration, so that
// --schedule reads it.
static std::string describe(const TuningSearch &search, const Race &race) {
  std::vector<TuningSearch::Kernel> kernels = search.kernels();
  llvm::stable_sort(kernels, [&](const auto &x, const auto &y) {
    return race.timeOf(KernelOp(x.op).getSymName()) >
           race.timeOf(KernelOp(y.op).getSymName());
  });
  bool isAny = llvm::any_of(kernels, [](const TuningSearch::Kernel &kernel) {
    return kernel.best != kernel.first;
  });
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (const TuningSearch::Kernel &kernel : kernels) {
    bool isFaster = kernel.best != kernel.first;
    StringRef name = KernelOp(kernel.op).getSymName();
    double time = race.timeOf(name);
    stream << "\n// @" << name << ": ";
    if (isFaster)
      stream << llvm::formatv("{0:f1} us, {1:f1} before; ", time * kernel.ratio,
                              time);
    else
      stream << llvm::formatv("{0:f1} us, none is faster; ", time);
    stream << kernel.tried << " others measured\n";
    if (!isFaster && (isAny || &kernel != kernels.data()))
      continue;
    stream << "heddle.configure @" << name << " " << kernel.best << "\n";
  }
  return text;
}

llvm::Error CompilationSession::tune() {
  const auto begin = Clock::now();
  const Clock::time_point end = begin + options.tuningTime;
  TargetProgram &target = targets.front();
  target.plan = planModel(*target.module);
  auto sizes = options.calls.parseSizes(target.plan, names.prefix);
  if (!sizes)
    return sizes.takeError();
  for (const EntryPlan &entry : target.plan.entries)
    if (options.calls.entry.empty() || options.calls.entry == entry.name)
      if (auto all = usualSizes(entry.name, entry.chosenSizes(), *sizes); !all)
        return all.takeError();
  if (llvm::Error error = writeWeights(target))
    return error;
  auto threads = createThreads(/*count=*/0);
  if (!threads)
    return threads.takeError();
  auto load = [&](StringRef library) {
    return TimedLibrary::load(library, target.weightsPath, **threads,
                              options.calls.entry, *sizes);
  };
  auto firstLibrary = buildLibrary(*target.module);
  if (!firstLibrary)
    return firstLibrary.takeError();
  auto first = load(firstLibrary->path());
  if (!first)
    return first.takeError();
  // Beside itself, to know what takes time.
  Race race(std::move(*first), load);
  if (auto same = race.measure(*firstLibrary); !same)
    return same.takeError();
  double total = 0;
  auto kernels = target.module->getOps<KernelOp>();
  for (KernelOp kernel : kernels)
    total += race.timeOf(kernel.getSymName());
  TuningSearch search(*target.module, target.machine, [&](KernelOp kernel) {
    return race.timeOf(kernel.getSymName()) > kLeastShare * total;
  });

  if (search.kernels().empty())
    return llvm::createStringError(
        "--tune: no kernel of these calls takes any time");

  // Builds of rounds are not shown one by one.
  Progress rounds = std::exchange(progress, Progress("heddlec", false));
  auto measureCandidates = [&] {
    setCandidates(search);
    auto library = buildLibrary(*target.module);
    return library ? race.measure(*library) : library.takeError();
  };
  Clock::duration longest{0};
  for (int round = 1; search.propose(); ++round) {
    auto start = Clock::now();
    // The best are measured once more at the end.
    if (round > 1 && start + 2 * longest > end)
      break;
    rounds.showLongPart(llvm::formatv(
        "round {0} of measurements, {1} of {2} s", round,
        std::chrono::duration_cast<std::chrono::seconds>(start - begin).count(),
        options.tuningTime.count()));
    auto ratios = measureCandidates();
    if (!ratios)
      return ratios.takeError();
    for (const auto &ratio : *ratios)
      search.learn(ratio.getKey(), ratio.getValue());
    longest = std::max(longest, Clock::now() - start);
  }
  rounds.show("measuring the fastest");
  // Once more without what goes back to its first configuration, so that what
  // is told is of what is written.
  bool isConfirmed = false;
  for (int attempt = 0; attempt < 2 && !isConfirmed; ++attempt) {
    search.proposeBest();
    auto ratios = measureCandidates();
    if (!ratios)
      return ratios.takeError();
    isConfirmed = true;
    for (const auto &ratio : *ratios)
      isConfirmed &= search.confirm(ratio.getKey(), ratio.getValue());
  }
  rounds.done();
  return writeText("// " + target.machine.cpu + ", " +
                   std::to_string(heddle_threads_count(threads->get())) +
                   " threads\n" + race.describe() + describe(search, race));
}
