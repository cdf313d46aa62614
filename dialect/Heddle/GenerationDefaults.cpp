// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/GenerationDefaults.h"

#include "mlir/IR/Builders.h"

#include <cfloat>

using namespace mlir;
using namespace heddle;

namespace {
/// A field that is a number, and what it may be.
struct FloatField {
  StringLiteral name;
  float GenerationDefaults::*member;
  GenerationDefaults::Range range;
};
struct IntegerField {
  StringLiteral name;
  int64_t GenerationDefaults::*member;
  int64_t most;
};
struct FlagField {
  StringLiteral name;
  bool GenerationDefaults::*member;
};
struct IdField {
  StringLiteral name;
  std::optional<int64_t> GenerationDefaults::*member;
};
struct IdsField {
  StringLiteral name;
  SmallVector<int64_t> GenerationDefaults::*member;
};
} // namespace

// As heddle_check_sampling and heddle_beam_search_create take them.
static constexpr FloatField floatFields[] = {
    {"temperature",
     &GenerationDefaults::temperature,
     {0, FLT_MAX, "a finite number of at least 0"}},
    {"top_p",
     &GenerationDefaults::topP,
     {FLT_TRUE_MIN, 1, "a number above 0 and up to 1"}},
    {"min_p", &GenerationDefaults::minP, {0, 1, "a number from 0 to 1"}},
    {"repetition_penalty",
     &GenerationDefaults::repetitionPenalty,
     {FLT_TRUE_MIN, FLT_MAX, "a finite number above 0"}},
    {"length_penalty",
     &GenerationDefaults::lengthPenalty,
     {-16, 16, "a number from -16 to 16"}},
};
static constexpr IntegerField integerFields[] = {
    {"top_k", &GenerationDefaults::topK, INT64_MAX},
    {"beams", &GenerationDefaults::beams, GenerationDefaults::kMostBeams},
    {"limit", &GenerationDefaults::limit, INT64_MAX},
    {"maximum_length", &GenerationDefaults::maximumLength, INT64_MAX},
    {"minimum_length", &GenerationDefaults::minimumLength, INT64_MAX},
    {"minimum_new", &GenerationDefaults::minimumNew, INT64_MAX},
    {"unique_run", &GenerationDefaults::uniqueRun, INT64_MAX},
};
static constexpr IdField idFields[] = {
    {"forced_first", &GenerationDefaults::forcedFirst},
    {"forced_last", &GenerationDefaults::forcedLast},
};
static constexpr IdsField idsFields[] = {
    {"suppressed_ids", &GenerationDefaults::suppressedIds},
    {"suppressed_first", &GenerationDefaults::suppressedFirst},
};
static constexpr FlagField flagFields[] = {
    {"early_stopping", &GenerationDefaults::earlyStopping},
    {"renormalizes", &GenerationDefaults::renormalizes},
};

bool heddle::areIds(DenseI64ArrayAttr attribute) {
  return llvm::all_of(attribute.asArrayRef(),
                      [](int64_t id) { return id >= 0 && id <= INT32_MAX; });
}

const GenerationDefaults::Range &
GenerationDefaults::rangeOf(float GenerationDefaults::*field) {
  return llvm::find_if(
             floatFields,
             [&](const FloatField &known) { return known.member == field; })
      ->range;
}

FailureOr<GenerationDefaults>
GenerationDefaults::read(DictionaryAttr attribute,
                         function_ref<InFlightDiagnostic()> emitError) {
  GenerationDefaults result;
  auto fail = [&](NamedAttribute field, const Twine &expected) {
    emitError() << "expected " << field.getName() << " of " << kGenerationAttr
                << " to be " << expected << ", found " << field.getValue();
    return failure();
  };
  for (NamedAttribute field : attribute) {
    StringRef name = field.getName();
    auto isNamed = [&](const auto &known) { return known.name == name; };
    if (const FloatField *known = llvm::find_if(floatFields, isNamed);
        known != std::end(floatFields)) {
      auto number = dyn_cast<FloatAttr>(field.getValue());
      float value = number ? float(number.getValueAsDouble()) : 0;
      const Range &range = known->range;
      if (!number || !(value >= range.least && value <= range.most))
        return fail(field, range.expected);
      result.*known->member = value;
    } else if (const IntegerField *known =
                   llvm::find_if(integerFields, isNamed);
               known != std::end(integerFields)) {
      auto number = dyn_cast<IntegerAttr>(field.getValue());
      bool isThere = number && number.getType().isSignlessInteger(64);
      if (!isThere || number.getInt() < 0 || number.getInt() > known->most)
        return fail(field, "an i64 from 0 to " + Twine(known->most));
      result.*known->member = number.getInt();
    } else if (const IdField *known = llvm::find_if(idFields, isNamed);
               known != std::end(idFields)) {
      auto number = dyn_cast<IntegerAttr>(field.getValue());
      bool isThere = number && number.getType().isSignlessInteger(64);
      if (!isThere || number.getInt() < 0 || number.getInt() > INT32_MAX)
        return fail(field, "an i64 from 0 to " + Twine(int64_t(INT32_MAX)));
      result.*known->member = number.getInt();
    } else if (const IdsField *known = llvm::find_if(idsFields, isNamed);
               known != std::end(idsFields)) {
      auto ids = dyn_cast<DenseI64ArrayAttr>(field.getValue());
      if (!ids || !areIds(ids))
        return fail(field, "array<i64: ...> of ids from 0 to " +
                               Twine(int64_t(INT32_MAX)));
      result.*known->member = SmallVector<int64_t>(ids.asArrayRef());
    } else if (const FlagField *known = llvm::find_if(flagFields, isNamed);
               known != std::end(flagFields)) {
      auto flag = dyn_cast<BoolAttr>(field.getValue());
      if (!flag)
        return fail(field, "true or false");
      result.*known->member = flag.getValue();
    } else {
      emitError() << "expected a field of heddle_generation_defaults in "
                  << kGenerationAttr << ", found " << field.getName();
      return failure();
    }
  }
  if (result.beams &&
      (result.temperature != 0 || result.topK != 0 || result.topP != 1 ||
       result.minP != 0 || result.repetitionPenalty != 1)) {
    emitError() << "expected beams in " << kGenerationAttr
                << " without fields of sampling, as a search draws no ids";
    return failure();
  }
  return result;
}

DictionaryAttr GenerationDefaults::toAttribute(MLIRContext *context) const {
  const GenerationDefaults unset;
  Builder builder(context);
  NamedAttrList fields;
  for (const FloatField &field : floatFields)
    if (this->*field.member != unset.*field.member)
      fields.set(field.name, builder.getF64FloatAttr(this->*field.member));
  for (const IntegerField &field : integerFields)
    if (this->*field.member != unset.*field.member)
      fields.set(field.name, builder.getI64IntegerAttr(this->*field.member));
  for (const IdField &field : idFields)
    if (this->*field.member)
      fields.set(field.name, builder.getI64IntegerAttr(*(this->*field.member)));
  for (const IdsField &field : idsFields)
    if (!(this->*field.member).empty())
      fields.set(field.name, builder.getDenseI64ArrayAttr(this->*field.member));
  for (const FlagField &field : flagFields)
    if (this->*field.member)
      fields.set(field.name, builder.getBoolAttr(true));
  return fields.empty() ? DictionaryAttr() : fields.getDictionary(context);
}
