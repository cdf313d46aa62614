// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler driver: a model in, an object file, a header and packed weights
// out.

#include "compiler/Import/Families/Family.h"
#include "compiler/tools/common/NamedValue.h"
#include "compiler/tools/common/Options.h"
#include "compiler/tools/common/Tool.h"
#include "compiler/tools/common/ToolMain.h"
#include "compiler/tools/common/WeightTypes.h"
#include "compiler/tools/heddlec/Compilation.h"

#include "llvm/Support/CommandLine.h"

using namespace heddle;
namespace cl = llvm::cl;

static cl::OptionCategory category("heddlec options");

static cl::opt<std::string>
    input(cl::Positional, cl::Required,
          cl::desc("<model folder, .gguf, .onnx or .mlir file>"),
          cl::cat(category));
static cl::opt<std::string>
    output("o", cl::value_desc("file"), cl::cat(category),
           cl::desc("Output file; headers and weights are named after it. Text "
                    "goes to standard output by default"));
static cl::opt<Stage> emit(
    "emit", cl::desc("What to make"), cl::init(Stage::Object),
    cl::cat(category),
    cl::values(
        clEnumValN(Stage::Heddle, "heddle", "the model as heddle ops"),
        clEnumValN(Stage::Kernels, "kernels", "kernels and launches"),
        clEnumValN(Stage::Halide, "halide", "Halide algorithms and schedules"),
        clEnumValN(Stage::Schedule, "schedule",
                   "schedules alone, as --schedule reads them"),
        clEnumValN(Stage::Host, "host", "the program that calls the kernels"),
        clEnumValN(Stage::Statement, "stmt", "Halide's lowered statements"),
        clEnumValN(Stage::StatementHtml, "stmt-html",
                   "the same as pages, one for each kernel, in a folder"),
        clEnumValN(Stage::Device, "device",
                   "programs of a device: OpenCL C, or PTX"),
        clEnumValN(Stage::LLVM, "llvm", "optimised LLVM IR"),
        clEnumValN(Stage::Assembly, "asm", "assembly"),
        clEnumValN(Stage::Object, "obj",
                   "object, header and weights (default)"),
        clEnumValN(Stage::Library, "lib", "the same, as a static library"),
        clEnumValN(Stage::Shared, "shared",
                   "the same, as a shared library with the runtime inside"),
        clEnumValN(Stage::Executable, "exe",
                   "a program that continues text, or token ids where the "
                   "folder has no tokenizer")));
static cl::opt<std::string>
    targetCpu("target-cpu", cl::init("native"), cl::value_desc("cpu"),
              cl::cat(category),
              cl::desc("CPU to compile for: native, x86-64-v3, x86-64-v4, "
                       "znver5, ..., and what it has or lacks besides: "
                       "icelake-server,-avx512f (default native)"));
static cl::list<std::string> targets(
    "target", cl::CommaSeparated, cl::value_desc("device,..."),
    cl::cat(category),
    cl::desc("What runs the kernels: cpu (default), opencl, or cuda:sm_80, "
             "cuda:sm_90, ... (cuda is cuda:sm_80); of several, one object "
             "has them all"));
static cl::opt<std::string> prefix(
    "prefix", cl::value_desc("name"), cl::cat(category),
    cl::desc("What all symbols begin with (default: the output's name)"));
static cl::opt<std::string>
    schedule("schedule", cl::value_desc("file.mlir"), cl::cat(category),
             cl::desc("Schedules, configurations and layouts that replace "
                      "the compiler's own"));
static cl::opt<std::string> weights(
    "weights", cl::value_desc("folder or file"), cl::cat(category),
    cl::desc("Checkpoint of a .mlir model: safetensors, or the ONNX file "
             "that it was printed from (default: model.safetensors "
             "beside model.mlir)"));
static cl::opt<std::string> weightType("weight-type", cl::init("stored"),
                                       cl::value_desc("type"),
                                       cl::cat(category),
                                       cl::desc(kWeightTypeText));
static cl::list<std::string> keep(
    "keep", cl::value_desc("regex"), cl::cat(category),
    cl::desc("Weights that --weight-type=int8 and int4 leave as they are, by "
             "their names"));
static cl::opt<std::string> arithmetic("arithmetic", cl::init("f32"),
                                       cl::value_desc("type"),
                                       cl::cat(category),
                                       cl::desc(kArithmeticText));
static cl::opt<std::string> cacheType("cache-type", cl::value_desc("type"),
                                      cl::cat(category),
                                      cl::desc(kCacheTypeText));
static cl::opt<bool>
    embedWeights("embed-weights", cl::cat(category),
                 cl::desc("Put the packed weights into the object, in place of "
                          "a file of their own"));
static cl::opt<bool>
    takeIds("ids", cl::cat(category),
            cl::desc("With --emit=exe: the program takes token ids though the "
                     "folder has a tokenizer"));
static cl::opt<bool> reportFusion(
    "report-fusion", cl::cat(category),
    cl::desc("Say which op went into which kernel, and why fusion stopped"));
static cl::opt<bool> reportImport(
    "import-report", cl::cat(category),
    cl::desc("Say of an ONNX file what became of its nodes: ops, attention and "
             "what stood in its way, what is computed when weights are packed, "
             "and what is one kernel"));
static cl::opt<bool> reportQuantized(
    "quantization-report", cl::cat(category),
    cl::desc("Say what is lost of each matrix that --weight-type=int8 or int4 "
             "quantizes, how many bits its weights take, and which are the "
             "checkpoint's own integers"));
static cl::opt<std::string> text(
    "text", cl::value_desc("file"), cl::cat(category),
    cl::desc("With --quantization-report: run the decoder here and tell its "
             "perplexity of this text, that of the model as it is stored, and "
             "how far logits are from each other"));
static cl::opt<bool> verifyModel(
    "verify", cl::cat(category),
    cl::desc(
        "Run the compiled model here and compare each kernel, and the results "
        "as a whole, with a reference in double precision"));
static cl::opt<bool> explain(
    "explain-masks", cl::cat(category),
    cl::desc("Make nothing, but print which blocks of keys each attention "
             "skips, compares with its mask, and keeps whole, and draw them"));
static cl::opt<std::string>
    tuning("tune", cl::value_desc("time"), cl::cat(category),
           cl::desc("Measure other configurations of the kernels here, for so "
                    "long (90s, 5m), and write those that are faster, as "
                    "--schedule reads them"));
static cl::opt<std::string>
    entry("entry", cl::value_desc("name"), cl::cat(category),
          cl::desc("The entry point for --explain-masks and --tune (default: "
                   "all)"));
static cl::list<std::string>
    sizes("size", cl::CommaSeparated, cl::value_desc("name=value,..."),
          cl::cat(category),
          cl::desc("Sizes for --explain-masks and --tune, such as "
                   "batch=1,length=128. Others are 1 of a batch, or else the "
                   "largest of those given, or 512. Without either, sizes that "
                   "the model of an ONNX file has in all calls"));
static cl::list<std::string> inputs(
    "input", cl::value_desc("name=value"), cl::cat(category),
    cl::desc("An input for --explain-masks: a file.npy, or an integer for all "
             "of its elements. Without one, lengths are the longest, and "
             "the last query stands at the last key; what else masks read is "
             "not known"));
static cl::opt<Sanitizer>
    sanitize("sanitize", cl::init(Sanitizer::None), cl::cat(category),
             cl::desc("Instrument the code, for programs under a sanitizer"),
             cl::values(clEnumValN(Sanitizer::Address, "address",
                                   "as cc -fsanitize=address does"),
                        clEnumValN(Sanitizer::Thread, "thread",
                                   "as cc -fsanitize=thread does")));
static cl::opt<bool> noCache(
    "no-cache", cl::cat(category),
    cl::desc("Compile all kernels, also those that were compiled before, and "
             "keep none (they are in $HEDDLE_CACHE or ~/.cache/heddle)"));
// As --version does, it asks for nothing else on the command line.
static void printFamilies() {
  for (const Family &family : families())
    llvm::outs() << family.name << " (" << family.modelType
                 << "): " << llvm::join(family.architectures(), ", ") << "\n";
  llvm::outs().flush();
  std::exit(0);
}
static cl::opt<bool> listFamilies(
    "list-families", cl::ValueDisallowed, cl::cat(category),
    cl::desc("Print the model_type and the architectures that a model folder "
             "may have"),
    cl::callback([](const bool &) { printFamilies(); }));
static cl::opt<bool> quiet("quiet", cl::cat(category),
                           cl::desc("Show no progress"));

int heddle_tool_main(int argc, char **argv) {
  startTool("heddlec");
  cl::HideUnrelatedOptions(category);
  OptionValues values;
  values.add(emit)
      .add(weightType, weightTypeKind())
      .add(arithmetic, arithmeticKind())
      .add(cacheType, cacheTypeKind())
      .addTime(tuning)
      .add(sanitize);
  if (llvm::Error error = parseOptions(
          argc, argv, "compiles transformer models ahead of time\n",
          "a model folder, or an .onnx, .gguf or .mlir file", values))
    return finishTool(std::move(error));
  for (const cl::Option *option :
       {(cl::Option *)&explain, (cl::Option *)&tuning})
    if (option->getNumOccurrences() && emit.getNumOccurrences())
      return finishTool(llvm::createStringError(
          "--" + option->ArgStr + " prints text alone; expected no --emit"));
  if (explain && tuning.getNumOccurrences())
    return finishTool(llvm::createStringError(
        "--explain-masks and --tune: expected one of them"));
  CompilationOptions options;
  if (llvm::Error error = setWeightType(options.import, weightType, keep))
    return finishTool(std::move(error));
  options.input = input;
  options.import.checkpoint = weights;
  options.output = output;
  options.stage = emit;
  options.prefix = prefix;
  options.pipeline.targetCpu = targetCpu;
  options.devices = targets;
  if (options.devices.empty())
    options.devices = {"cpu"};
  setArithmetic(options.import, arithmetic);
  setCacheType(options.import, cacheType);
  options.pipeline.scheduleFile = schedule;
  options.pipeline.fusionRemarks = reportFusion;
  options.reportsQuantization = reportQuantized;
  options.reportsImport = reportImport;
  options.text = text;
  options.useCache = !noCache;
  options.embedWeights = embedWeights;
  options.takesIds = takeIds;
  options.verify = verifyModel;
  if (explain)
    options.stage = Stage::Masks;
  if (tuning.getNumOccurrences()) {
    options.stage = Stage::Tuning;
    options.tuningTime = *parseTime(tuning);
  }
  options.calls = {entry, sizes, inputs};
  if (options.stage != Stage::Masks && options.stage != Stage::Tuning) {
    auto fixed = parseSizes(sizes);
    if (!fixed)
      return finishTool(fixed.takeError());
    options.import.fixedSizes = std::move(*fixed);
  }
  options.sanitizer = sanitize;
  options.showProgress = !quiet;
  return finishTool(compile(options));
}
