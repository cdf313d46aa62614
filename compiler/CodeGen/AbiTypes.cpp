// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/AbiTypes.h"

#include "compiler/CodeGen/EmbeddedWeights.h"
#include "compiler/CodeGen/TileInstructions.h"

#include "llvm/ADT/StringSwitch.h"

using namespace heddle;
using llvm::Constant;

heddle_role heddle::roleCode(ArgumentRole role) {
  switch (role) {
  case ArgumentRole::Ids:
    return HEDDLE_ROLE_IDS;
  case ArgumentRole::Lengths:
    return HEDDLE_ROLE_LENGTHS;
  case ArgumentRole::Starts:
    return HEDDLE_ROLE_STARTS;
  case ArgumentRole::Positions:
    return HEDDLE_ROLE_POSITIONS;
  case ArgumentRole::Logits:
    return HEDDLE_ROLE_LOGITS;
  case ArgumentRole::Pages:
    return HEDDLE_ROLE_PAGES;
  case ArgumentRole::Pool:
    return HEDDLE_ROLE_POOL;
  case ArgumentRole::Types:
    return HEDDLE_ROLE_TYPES;
  case ArgumentRole::Hidden:
    return HEDDLE_ROLE_HIDDEN;
  case ArgumentRole::Pooled:
    return HEDDLE_ROLE_POOLED;
  case ArgumentRole::Embedding:
    return HEDDLE_ROLE_EMBEDDING;
  case ArgumentRole::Cross:
    return HEDDLE_ROLE_CROSS;
  case ArgumentRole::CrossLengths:
    return HEDDLE_ROLE_CROSS_LENGTHS;
  case ArgumentRole::Other:
    return HEDDLE_ROLE_OTHER;
  }
  llvm_unreachable("all roles are covered");
}

static heddle_count countCode(SymbolRole role) {
  switch (role) {
  case SymbolRole::Batch:
    return HEDDLE_COUNT_BATCH;
  case SymbolRole::Length:
    return HEDDLE_COUNT_LENGTH;
  case SymbolRole::Capacity:
    return HEDDLE_COUNT_CAPACITY;
  case SymbolRole::Other:
    return HEDDLE_COUNT_OTHER;
  }
  llvm_unreachable("all roles are covered");
}

static heddle_device_kind deviceKind(const MachineModel &machine) {
  if (!machine.device)
    return HEDDLE_DEVICE_NONE;
  return machine.device->kind == DeviceModel::OpenCL ? HEDDLE_DEVICE_OPENCL
                                                     : HEDDLE_DEVICE_CUDA;
}

AbiTypes::AbiTypes(llvm::Module &module, llvm::StringRef prefix)
    : module(module), prefix(prefix) {
  llvm::LLVMContext &c = module.getContext();
  i32 = llvm::Type::getInt32Ty(c);
  i64 = llvm::Type::getInt64Ty(c);
  pointer = llvm::PointerType::getUnqual(c);
  auto *extents = llvm::ArrayType::get(pointer, HEDDLE_MAX_RANK);
  context = llvm::StructType::get(pointer, pointer, pointer, pointer, pointer,
                                  pointer, i64, pointer);
  frame = llvm::StructType::get(pointer, pointer, pointer, pointer, pointer,
                                pointer, pointer, pointer);
  symbol = llvm::StructType::get(pointer, i32, i32, i64, i64);
  argument =
      llvm::StructType::get(pointer, i32, i32, i32, i32, extents, i64, pointer,
                            pointer, i32, i32, i32, i32, pointer);
  entry = llvm::StructType::get(pointer, i32, i32, i32, i32, pointer, pointer,
                                pointer, pointer, pointer);
  deviceFunction = llvm::StructType::get(pointer, pointer);
  model = llvm::StructType::get(i32, i32, pointer, pointer, pointer, i64, i64,
                                i32, i32, pointer, pointer, i64, pointer, i64,
                                pointer, pointer, pointer);
  llvm::Type *f32 = llvm::Type::getFloatTy(c);
  rules = llvm::StructType::get(pointer, pointer, pointer, pointer, i32, i32,
                                i32, i32, i64, i64, i64);
  generation =
      llvm::StructType::get(pointer, pointer, i32, i32, f32, f32, f32, f32, f32,
                            i32, i32, i32, i64, i64, i64, rules);
}

Constant *AbiTypes::integer(llvm::Type *type, int64_t value) const {
  return llvm::ConstantInt::getSigned(type, value);
}

llvm::GlobalVariable *AbiTypes::global(Constant *value,
                                       llvm::Twine name) const {
  return new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                  llvm::GlobalValue::PrivateLinkage, value,
                                  prefix + "_" + name);
}

Constant *AbiTypes::next(const GlueOptions &options, llvm::Type *type,
                         llvm::Twine name) const {
  if (!options.next)
    return llvm::ConstantPointerNull::get(pointer);
  std::string symbol = (options.prefixOf(*options.next) + "_" + name).str();
  return module.getOrInsertGlobal(symbol, type, [&] {
    return new llvm::GlobalVariable(module, type, /*isConstant=*/true,
                                    llvm::GlobalValue::ExternalLinkage,
                                    /*Initializer=*/nullptr, symbol);
  });
}

Constant *AbiTypes::string(llvm::StringRef text) const {
  Constant *&known = strings[text];
  if (!known)
    known =
        global(llvm::ConstantDataArray::getString(module.getContext(), text),
               "string");
  return known;
}

// An array of texts, of which those past the last are null.
Constant *AbiTypes::extents(llvm::ArrayRef<SizeAttr> sizes) const {
  llvm::SmallVector<Constant *> elements(
      HEDDLE_MAX_RANK, llvm::ConstantPointerNull::get(pointer));
  for (auto [axis, size] : llvm::enumerate(sizes))
    elements[axis] = string(size.str());
  return llvm::ConstantArray::get(
      llvm::ArrayType::get(pointer, HEDDLE_MAX_RANK), elements);
}

Constant *AbiTypes::describe(const ArgumentPlan &plan) const {
  Constant *null = llvm::ConstantPointerNull::get(pointer);
  auto number = [&](std::optional<unsigned> argument) {
    return integer(i32,
                   argument ? int32_t(*argument) : int32_t(HEDDLE_NO_ARGUMENT));
  };
  ValuesAttr values = plan.values;
  auto parts = llvm::map_to_vector(
      plan.parts(), [&](int64_t bytes) { return integer(i64, bytes); });
  return llvm::ConstantStruct::get(
      argument,
      {string(plan.name), integer(i32, plan.kind), integer(i32, plan.type),
       integer(i32, roleCode(plan.role)), integer(i32, plan.extents.size()),
       extents(plan.extents), integer(i64, values ? values.getMinimum() : 0),
       values ? string(values.getMaximum().str()) : null,
       values && values.getSize() ? string(values.getSize().str()) : null,
       number(plan.lengths()), number(plan.padding), integer(i32, parts.size()),
       integer(i32, int32_t(plan.layout())), array(i64, parts, "part_bytes")});
}

Constant *AbiTypes::array(llvm::Type *type, llvm::ArrayRef<Constant *> values,
                          llvm::Twine name) const {
  if (values.empty())
    return llvm::ConstantPointerNull::get(pointer);
  return global(llvm::ConstantArray::get(
                    llvm::ArrayType::get(type, values.size()), values),
                name);
}

Constant *AbiTypes::describe(const EntryPlan &plan, const MachineModel &machine,
                             const GlueOptions &options,
                             llvm::Function *measure,
                             llvm::Function *run) const {
  llvm::SmallVector<Constant *> symbols, arguments;
  for (SymbolAttr s : plan.symbols)
    symbols.push_back(llvm::ConstantStruct::get(
        symbol, {string(s.getName().getValue()),
                 integer(i32, countCode(s.getRole())), integer(i32, 0),
                 integer(i64, s.getMinimum()), integer(i64, s.getMaximum())}));
  for (const ArgumentPlan &a : plan.arguments)
    arguments.push_back(describe(a));
  Constant *fields[] = {string(plan.name),
                        integer(i32, symbols.size()),
                        integer(i32, arguments.size()),
                        integer(i32, plan.kernels),
                        integer(i32, deviceKind(machine)),
                        array(symbol, symbols, plan.name + "_symbols"),
                        array(argument, arguments, plan.name + "_arguments"),
                        measure,
                        run,
                        next(options, entry, plan.name + "_entry")};
  llvm::GlobalVariable *result =
      global(llvm::ConstantStruct::get(entry, fields), plan.name + "_entry");
  if (options.next) // until programs are linked
    result->setLinkage(llvm::GlobalValue::ExternalLinkage);
  return result;
}

Constant *AbiTypes::describeGeneration(const ModelPlan &plan) const {
  if (plan.startIds.empty() && plan.endIds.empty() && !plan.generation)
    return llvm::ConstantPointerNull::get(pointer);
  const GenerationDefaults &defaults =
      plan.generation.value_or(GenerationDefaults());
  auto number = [&](float value) {
    return llvm::ConstantFP::get(llvm::Type::getFloatTy(module.getContext()),
                                 double(value));
  };
  auto ids = [&](llvm::ArrayRef<int64_t> values, llvm::Twine name) {
    return array(i32,
                 llvm::map_to_vector(
                     values, [&](int64_t id) { return integer(i32, id); }),
                 name);
  };
  auto id = [&](std::optional<int64_t> value, llvm::Twine name) {
    return ids(value ? llvm::ArrayRef(*value) : llvm::ArrayRef<int64_t>(),
               name);
  };
  Constant *ofRules[] = {ids(defaults.suppressedIds, "suppressed_ids"),
                         ids(defaults.suppressedFirst, "suppressed_first"),
                         id(defaults.forcedFirst, "forced_first"),
                         id(defaults.forcedLast, "forced_last"),
                         integer(i32, defaults.suppressedIds.size()),
                         integer(i32, defaults.suppressedFirst.size()),
                         integer(i32, defaults.renormalizes),
                         integer(i32, 0),
                         integer(i64, defaults.minimumLength),
                         integer(i64, defaults.minimumNew),
                         integer(i64, defaults.uniqueRun)};
  Constant *fields[] = {ids(plan.endIds, "end_ids"),
                        ids(plan.startIds, "start_ids"),
                        integer(i32, plan.endIds.size()),
                        integer(i32, plan.startIds.size()),
                        number(defaults.temperature),
                        number(defaults.topP),
                        number(defaults.minP),
                        number(defaults.repetitionPenalty),
                        number(defaults.lengthPenalty),
                        integer(i32, defaults.earlyStopping),
                        integer(i32, defaults.beams),
                        integer(i32, 0),
                        integer(i64, defaults.topK),
                        integer(i64, defaults.limit),
                        integer(i64, defaults.maximumLength),
                        llvm::ConstantStruct::get(rules, ofRules)};
  return global(llvm::ConstantStruct::get(generation, fields), "generation");
}

Constant *AbiTypes::describe(const ModelPlan &plan, const MachineModel &machine,
                             const GlueOptions &options,
                             llvm::ArrayRef<Constant *> entries) const {
  llvm::SmallVector<Constant *> functions;
  llvm::DenseMap<const std::string *, Constant *> programs;
  for (const DeviceFunction &function : options.deviceFunctions) {
    Constant *&program = programs[function.program.get()];
    if (!program)
      program = string(*function.program);
    functions.push_back(llvm::ConstantStruct::get(
        deviceFunction, {string(function.name), program}));
  }
  Constant *weights = llvm::ConstantPointerNull::get(pointer);
  if (options.embeddedSize)
    weights = reserveEmbeddedWeights(module, options.prefix(), options.target);
  Constant *fields[] = {
      integer(i32, HEDDLE_ABI_VERSION),
      integer(i32, sizeof(heddle_model)),
      string(options.name),
      string(machine.cpuName()),
      string(instructionSets(machine.features, usesTileRegisters(module))),
      llvm::ConstantInt::get(i64, options.fingerprint),
      integer(i64, plan.weights.size()),
      integer(i32, entries.size()),
      integer(i32, deviceKind(machine)),
      array(pointer, entries, "entries"),
      weights,
      integer(i64, options.embeddedSize),
      string(machine.deviceName()),
      integer(i64, functions.size()),
      array(deviceFunction, functions, "device_functions"),
      next(options, model, "model"),
      describeGeneration(plan)};
  llvm::GlobalVariable *result =
      global(llvm::ConstantStruct::get(model, fields), "model");
  result->setLinkage(llvm::GlobalValue::ExternalLinkage);
  return result;
}

std::string heddle::instructionSets(llvm::StringRef features, bool withTiles) {
  llvm::SmallVector<llvm::StringRef> all;
  features.split(all, ',', -1, /*KeepEmpty=*/false);
  std::string result;
  for (llvm::StringRef feature : all) {
    if (!feature.consume_front("+"))
      continue;
    // What code generation may use in kernels; CPUs that differ in nothing else
    // can run the object.
    bool isUsed =
        llvm::StringSwitch<bool>(feature)
            .Cases({"sse3", "ssse3", "sse4.1", "sse4.2", "popcnt"}, true)
            .Cases({"avx", "avx2", "fma", "f16c", "bmi", "bmi2"}, true)
            .Cases({"lzcnt", "movbe", "gfni", "sse4a"}, true)
            .Cases({"avxvnni", "avxifma", "avxneconvert"}, true)
            .Cases({"avxvnniint8", "avxvnniint16"}, true)
            // Of some AMD CPUs before Zen.
            .Cases({"fma4", "xop", "tbm"}, true)
            // The parts of APX.
            .Cases({"egpr", "push2pop2", "ppx", "ndd", "ccmp", "nf"}, true)
            .Cases({"cf", "zu"}, true)
            .StartsWith("avx10", true)
            .StartsWith("avx512", true)
            .Cases({"amx-tile", "amx-int8", "amx-bf16"}, withTiles)
            .Default(false);
    if (!isUsed)
      continue;
    if (!result.empty())
      result += ',';
    result += feature;
  }
  return result;
}
