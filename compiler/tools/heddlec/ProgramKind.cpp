// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddlec/ProgramKind.h"

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/Roles.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace heddle;

static constexpr ProgramKind kIds = {"ids.c", "", false},
                             kAnswers = {"answer.c", "", true},
                             kTranscripts = {"transcribe.c", "", true},
                             kVectors = {"encode.c", "", true},
                             kLabels = {"encode.c", "LABELS=1", true};

static bool hasArgument(func::FuncOp function, ArgumentRole role) {
  for (unsigned index = 0; index < function.getNumArguments(); ++index)
    if (auto declared =
            function.getArgAttrOfType<ArgumentRoleAttr>(index, kRoleAttr))
      if (declared.getValue() == role)
        return true;
  return false;
}

/// f32, a row for each sequence, or logits for each of its tokens.
static bool hasRows(func::FuncOp function, ArgumentRole role) {
  auto isOfTexts = [role](Type type) {
    if (!getElementTypeOrSelf(type).isF32())
      return false;
    int64_t rank = cast<ShapedType>(type).getRank();
    return rank == 2 || (rank == 3 && role == ArgumentRole::Logits);
  };
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    if (auto declared =
            function.getResultAttrOfType<ArgumentRoleAttr>(index, kRoleAttr))
      if (declared.getValue() == role && isOfTexts(type))
        return true;
  return false;
}

/// Null where there is none.
static func::FuncOp findDecoder(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(kDecoderAttr) || function.getName() == "prefill")
      return function;
  return nullptr;
}

static std::optional<ProgramKind> kindOf(ModuleOp module, bool takesIds) {
  auto find = [&](StringRef name) {
    return module.lookupSymbol<func::FuncOp>(name);
  };
  if (func::FuncOp decoder = findDecoder(module)) {
    bool hasSources = hasArgument(decoder, ArgumentRole::Cross);
    func::FuncOp encode = find("encode");
    if (hasSources && encode && find("features"))
      return kTranscripts;
    // Sources are texts, or there is nothing that makes them.
    if (hasSources && !(encode && hasArgument(encode, ArgumentRole::Lengths)))
      return std::nullopt;
    return takesIds ? kIds : kAnswers;
  }
  for (auto [role, kind] : {std::pair(ArgumentRole::Embedding, kVectors),
                            std::pair(ArgumentRole::Logits, kLabels)})
    for (auto function : module.getOps<func::FuncOp>())
      if (hasArgument(function, ArgumentRole::Lengths) &&
          hasRows(function, role))
        return kind;
  return std::nullopt;
}

llvm::Expected<ProgramKind> heddle::chooseProgram(ModuleOp module,
                                                  StringRef path,
                                                  bool hasTokenizer,
                                                  bool takesIds) {
  func::FuncOp decoder = findDecoder(module);
  if (decoder && !hasRows(decoder, ArgumentRole::Logits))
    return llvm::createStringError(
        path + ": expected '" + decoder.getName() +
        "' to have a result of f32 with heddle.role = #heddle.role<logits> for "
        "--emit=exe, found none");
  std::optional<ProgramKind> kind = kindOf(module, takesIds);
  if (!kind)
    return llvm::createStringError(
        path + ": expected a model that continues or answers sequences, or an "
               "encoder that gives an embedding or labels of a text or of its "
               "tokens, for --emit=exe, found neither");
  if (kind->source == kAnswers.source && !hasTokenizer)
    return kIds;
  if (kind->takesText && takesIds)
    return llvm::createStringError("--ids: '" + path +
                                   "' is a model whose programs take no ids");
  if (kind->takesText && !hasTokenizer)
    return llvm::createStringError(
        path +
        ": expected the files of a tokenizer for --emit=exe, found none");
  return *kind;
}
