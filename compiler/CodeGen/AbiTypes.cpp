// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/AbiTypes.h"

#include "llvm/ADT/StringSwitch.h"

using namespace heddle;
using llvm::Constant;

AbiTypes::AbiTypes(llvm::Module &module, llvm::StringRef prefix)
    : module(module), prefix(prefix) {
  llvm::LLVMContext &c = module.getContext();
  i8 = llvm::Type::getInt8Ty(c);
  i16 = llvm::Type::getInt16Ty(c);
  i32 = llvm::Type::getInt32Ty(c);
  i64 = llvm::Type::getInt64Ty(c);
  f32 = llvm::Type::getFloatTy(c);
  pointer = llvm::PointerType::getUnqual(c);
  auto *ranked = llvm::ArrayType::get(i64, HEDDLE_MAX_RANK);
  auto *rankedSymbols = llvm::ArrayType::get(i32, HEDDLE_MAX_RANK);
  dimension = llvm::StructType::get(i32, i32, i32, i32);
  buffer = llvm::StructType::get(i64, pointer, pointer, i64, i8, i8, i16, i32,
                                 pointer, pointer);
  event = llvm::StructType::get(pointer, pointer, i32, i32, i32, pointer);
  context = llvm::StructType::get(pointer, pointer, pointer, pointer, pointer);
  frame = llvm::StructType::get(pointer, pointer, pointer, pointer, pointer);
  symbol = llvm::StructType::get(pointer, i64, i64);
  argument =
      llvm::StructType::get(pointer, i32, i32, i32, i32, i64, ranked, i64);
  arena = llvm::StructType::get(i32, rankedSymbols, i64, i64);
  entry = llvm::StructType::get(pointer, i32, i32, i32, i32, pointer, pointer,
                                pointer, pointer);
  model = llvm::StructType::get(i32, i32, pointer, pointer, pointer, i64, i64,
                                i32, i32, pointer);
}

std::pair<uint8_t, uint8_t> AbiTypes::elementCode(mlir::Type type) {
  if (type.isInteger(32))
    return {0, 32};
  if (type.isBF16())
    return {4, 16};
  if (type.isF16())
    return {2, 16};
  return {2, 32};
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

Constant *AbiTypes::string(llvm::StringRef text) const {
  Constant *&known = strings[text];
  if (!known)
    known =
        global(llvm::ConstantDataArray::getString(module.getContext(), text),
               "string");
  return known;
}

Constant *AbiTypes::extents(llvm::ArrayRef<int64_t> values) const {
  llvm::SmallVector<Constant *> elements;
  for (unsigned i = 0; i < HEDDLE_MAX_RANK; ++i)
    elements.push_back(integer(i64, i < values.size() ? values[i] : 0));
  return llvm::ConstantArray::get(llvm::ArrayType::get(i64, HEDDLE_MAX_RANK),
                                  elements);
}

Constant *AbiTypes::array(llvm::Type *type, llvm::ArrayRef<Constant *> values,
                          llvm::Twine name) const {
  if (values.empty())
    return llvm::ConstantPointerNull::get(pointer);
  return global(llvm::ConstantArray::get(
                    llvm::ArrayType::get(type, values.size()), values),
                name);
}

Constant *AbiTypes::describe(const EntryPlan &plan, llvm::Function *run) const {
  llvm::SmallVector<Constant *> symbols, arguments, arenas;
  for (const SymbolPlan &s : plan.symbols)
    symbols.push_back(llvm::ConstantStruct::get(
        symbol,
        {string(s.name), integer(i64, s.minimum), integer(i64, s.maximum)}));
  for (const ArgumentPlan &a : plan.arguments)
    arguments.push_back(llvm::ConstantStruct::get(
        argument,
        {string(a.name), integer(i32, a.kind), integer(i32, a.type),
         integer(i32, a.rule), integer(i32, a.extents.size()),
         integer(i64, a.limit), extents(a.extents), integer(i64, a.tokens)}));
  for (const ArenaPlan &a : plan.arenas) {
    llvm::SmallVector<Constant *> indices;
    for (unsigned i = 0; i < HEDDLE_MAX_RANK; ++i)
      indices.push_back(
          integer(i32, i < a.units.symbols.size() ? a.units.symbols[i] : 0));
    Constant *symbolArray = llvm::ConstantArray::get(
        llvm::ArrayType::get(i32, HEDDLE_MAX_RANK), indices);
    // A constant factor of the rows goes into the bytes.
    arenas.push_back(llvm::ConstantStruct::get(
        arena, {integer(i32, a.units.symbols.size()), symbolArray,
                integer(i64, a.unitMultiple),
                integer(i64, a.bytesPerUnit * a.units.factor)}));
  }
  Constant *fields[] = {string(plan.name),
                        integer(i32, symbols.size()),
                        integer(i32, arguments.size()),
                        integer(i32, arenas.size()),
                        integer(i32, plan.launches.size()),
                        array(symbol, symbols, plan.name + "_symbols"),
                        array(argument, arguments, plan.name + "_arguments"),
                        array(arena, arenas, plan.name + "_arenas"),
                        run};
  return global(llvm::ConstantStruct::get(entry, fields), plan.name + "_entry");
}

Constant *AbiTypes::describe(const ModelPlan &plan, const MachineModel &machine,
                             const GlueOptions &options,
                             llvm::ArrayRef<Constant *> entries) const {
  Constant *fields[] = {integer(i32, HEDDLE_ABI_VERSION),
                        integer(i32, sizeof(heddle_model)),
                        string(options.prefix),
                        string(machine.cpu),
                        string(instructionSets(machine.features)),
                        llvm::ConstantInt::get(i64, options.fingerprint),
                        integer(i64, plan.weightsSize),
                        integer(i32, entries.size()),
                        integer(i32, 0),
                        array(pointer, entries, "entries")};
  llvm::GlobalVariable *result =
      global(llvm::ConstantStruct::get(model, fields), "model");
  result->setLinkage(llvm::GlobalValue::ExternalLinkage);
  return result;
}

std::string heddle::instructionSets(llvm::StringRef features) {
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
            .Cases({"lzcnt", "movbe", "gfni", "avxvnni"}, true)
            // Of some AMD CPUs before Zen.
            .Cases({"fma4", "xop", "tbm"}, true)
            // The parts of APX.
            .Cases({"egpr", "push2pop2", "ppx", "ndd", "ccmp", "nf"}, true)
            .Cases({"cf", "zu"}, true)
            .StartsWith("avx10", true)
            .StartsWith("avx512", true)
            .StartsWith("amx-", true)
            .Default(false);
    if (!isUsed)
      continue;
    if (!result.empty())
      result += ',';
    result += feature;
  }
  return result;
}
