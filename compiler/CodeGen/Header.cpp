// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generated C header: what a program needs to know to call the model.

#include "compiler/CodeGen/Object.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <set>

using namespace heddle;

static llvm::StringRef cType(const ArgumentPlan &argument) {
  if (argument.kind == HEDDLE_ARGUMENT_CACHE)
    return "void *";
  if (argument.kind == HEDDLE_ARGUMENT_OUTPUT)
    return "float *";
  return argument.type == HEDDLE_TYPE_I32 ? "const int32_t *" : "const float *";
}

// "[batch, length]"
static std::string shape(const EntryPlan &entry, const ArgumentPlan &argument) {
  std::string text = "[";
  llvm::interleave(
      argument.extents,
      [&](int64_t extent) {
        text += extent < 0 ? entry.symbols[-1 - extent].name
                           : std::to_string(extent);
      },
      [&] { text += ", "; });
  return text + "]";
}

// The name of a cache's batch (0) or capacity (1).
static std::string cacheSize(const EntryPlan &entry,
                             const ArgumentPlan &argument, unsigned axis) {
  return entry.symbols[-1 - argument.extents[axis]].name;
}

static std::string explain(const EntryPlan &entry,
                           const ArgumentPlan &argument) {
  if (argument.kind == HEDDLE_ARGUMENT_CACHE)
    return "keys and values so far, " +
           std::to_string(argument.extents.back()) + " bytes for each of [" +
           cacheSize(entry, argument, 0) + ", " +
           cacheSize(entry, argument, 1) + "]";
  std::string text = shape(entry, argument);
  if (argument.type == HEDDLE_TYPE_F32)
    text += " f32";
  switch (argument.rule) {
  case HEDDLE_RULE_BELOW_LIMIT:
    return text + " i32, each from 0 to " + std::to_string(argument.limit - 1);
  case HEDDLE_RULE_LENGTH:
    return text + " i32, how many ids of each sequence are valid, at least 1";
  case HEDDLE_RULE_START:
    return text + " i32, how many positions of each sequence the cache holds; "
                  "start + length is at most the capacity";
  case HEDDLE_RULE_POSITION:
    return text + " i32, the position of the first token; at most " +
           std::to_string(argument.limit) + " - " +
           (argument.tokens < 0 ? entry.symbols[-1 - argument.tokens].name
                                : std::to_string(argument.tokens));
  default:
    return text;
  }
}

static void writeEntry(llvm::raw_ostream &out, const EntryPlan &entry,
                       llvm::StringRef prefix) {
  out << "/*";
  if (entry.name == "prefill")
    out << " Reads the ids of each sequence at once, appends them to the cache "
           "and gives\n * the logits after the last of them.\n *\n";
  else if (entry.name == "decode")
    out << " The same for one id of each sequence.\n *\n";
  else
    out << "\n";
  for (const ArgumentPlan &argument : entry.arguments)
    out << " *   " << argument.name << ": " << explain(entry, argument) << "\n";
  for (const SymbolPlan &symbol : entry.symbols)
    out << " *   " << symbol.name << ": " << symbol.minimum << " to "
        << symbol.maximum << "\n";
  out << " *   workspace: scratch of at least the size that " << prefix << "_"
      << entry.name
      << "_workspace_size gives,\n *     aligned to HEDDLE_ALIGNMENT, not "
         "shared "
         "by calls that run at the same time\n"
      << " */\nheddle_status " << prefix << "_" << entry.name
      << "(\n    const heddle_context *context, const heddle_weights *weights";
  for (const ArgumentPlan &argument : entry.arguments)
    out << ",\n    " << cType(argument) << argument.name;
  for (const SymbolPlan &symbol : entry.symbols)
    out << ",\n    int64_t " << symbol.name;
  out << ",\n    void *workspace, size_t workspace_size);\n\n";

  auto writeSizes = [&] {
    llvm::ListSeparator comma;
    for (const SymbolPlan &symbol : entry.symbols)
      out << comma << "int64_t " << symbol.name;
    out << (entry.symbols.empty() ? "" : ",\n    ");
  };
  auto writeBody = [&](llvm::StringRef call) {
    out << "size_t *bytes, heddle_error *error) {\n";
    // C has no empty arrays.
    if (entry.symbols.empty()) {
      out << "  return " << call << "NULL, bytes, error);\n}\n\n";
      return;
    }
    out << "  const int64_t sizes[] = {";
    llvm::ListSeparator comma;
    for (const SymbolPlan &symbol : entry.symbols)
      out << comma << symbol.name;
    out << "};\n  return " << call << "sizes, bytes, error);\n}\n\n";
  };
  std::string find =
      ("heddle_find_entry(&" + prefix + "_model, \"" + entry.name + "\"), ")
          .str();
  out << "/* Bytes of workspace for a call with these sizes. */\n"
      << "static inline heddle_status " << prefix << "_" << entry.name
      << "_workspace_size(\n    ";
  writeSizes();
  writeBody("heddle_workspace_size(" + find);
}

// `name`(batch, capacity, ...): the bytes of that argument of `entry`.
static void writeCacheSize(llvm::raw_ostream &out, const EntryPlan &entry,
                           unsigned index, llvm::StringRef prefix,
                           llvm::StringRef name) {
  const ArgumentPlan &argument = entry.arguments[index];
  std::string batch = cacheSize(entry, argument, 0);
  std::string capacity = cacheSize(entry, argument, 1);
  out << "/* Bytes of a cache. It is the caller's, aligned to "
         "HEDDLE_ALIGNMENT; what it holds\n * before the first call does "
         "not matter. Calls that share it have equal "
      << batch << " and\n * " << capacity << ". */\n"
      << "static inline heddle_status " << prefix << "_" << name << "(int64_t "
      << batch << ", int64_t " << capacity
      << ",\n    size_t *bytes, heddle_error *error) {\n"
         "  const int64_t sizes[] = {";
  llvm::ListSeparator comma;
  for (const SymbolPlan &symbol : entry.symbols)
    out << comma
        << (symbol.name == batch || symbol.name == capacity ? symbol.name
                                                            : "1");
  out << "};\n  return heddle_argument_size(heddle_find_entry(&" << prefix
      << "_model, \"" << entry.name << "\"), " << index
      << ", sizes, bytes, error);\n}\n\n";
}

// X_cache_size where all caches have the same bytes in a position, else
// X_<argument>_cache_size, as with vocabularies. Neither depends on the entry
// point: the first that has such an argument serves.
static void writeCacheSizes(llvm::raw_ostream &out, const ModelPlan &plan,
                            llvm::StringRef prefix) {
  struct Named {
    const EntryPlan *entry;
    unsigned index;
    std::set<int64_t> sizes;
  };
  std::set<int64_t> all;
  std::map<std::string, Named> named;
  for (const EntryPlan &entry : plan.entries)
    for (auto [index, argument] : llvm::enumerate(entry.arguments))
      if (argument.kind == HEDDLE_ARGUMENT_CACHE) {
        int64_t bytes = argument.extents.back();
        all.insert(bytes);
        auto first = Named{&entry, unsigned(index), {}};
        named.try_emplace(argument.name, first)
            .first->second.sizes.insert(bytes);
      }
  for (const auto &[name, cache] : named) {
    if (all.size() == 1)
      return writeCacheSize(out, *cache.entry, cache.index, prefix,
                            "cache_size");
    if (cache.sizes.size() == 1)
      writeCacheSize(out, *cache.entry, cache.index, prefix,
                     name + "_cache_size");
  }
}

// How many rows tables of ids have: X_VOCABULARY where all have the same, else
// X_<ARGUMENT>_VOCABULARY. A name of several numbers is none; what the entry
// points say of their arguments remains.
static void writeVocabularies(llvm::raw_ostream &out, const ModelPlan &plan,
                              llvm::StringRef upper) {
  std::set<int64_t> all;
  std::map<std::string, std::set<int64_t>> named;
  for (const EntryPlan &entry : plan.entries)
    for (const ArgumentPlan &argument : entry.arguments)
      if (argument.rule == HEDDLE_RULE_BELOW_LIMIT) {
        all.insert(argument.limit);
        named[llvm::StringRef(argument.name).upper()].insert(argument.limit);
      }
  if (all.size() == 1)
    out << "#define " << upper << "_VOCABULARY " << *all.begin() << "\n";
  else
    for (const auto &[name, limits] : named)
      if (limits.size() == 1)
        out << "#define " << upper << "_" << name << "_VOCABULARY "
            << *limits.begin() << "\n";
}

std::string heddle::writeHeader(const ModelPlan &plan,
                                const MachineModel &machine,
                                const GlueOptions &options,
                                llvm::StringRef source) {
  std::string text;
  llvm::raw_string_ostream out(text);
  std::string upper = llvm::StringRef(options.prefix).upper();
  llvm::StringRef prefix = options.prefix;
  out << "/* Generated by heddlec from " << source << "; do not edit.\n"
      << " * Compiled for " << machine.cpu
      << ". Link with libheddle_runtime. See heddle.h for\n"
      << " * contexts, weights and threads. */\n"
      << "#ifndef " << upper << "_H\n#define " << upper << "_H\n\n"
      << "#include \"heddle.h\"\n\n"
      << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
      << "extern const heddle_model " << prefix << "_model;\n\n";
  writeVocabularies(out, plan, upper);
  if (!plan.entries.empty()) {
    auto isCapacity = [](const SymbolPlan &symbol) {
      return symbol.role == SizeRole::Capacity;
    };
    const std::vector<SymbolPlan> &symbols = plan.entries.front().symbols;
    if (auto found = llvm::find_if(symbols, isCapacity); found != symbols.end())
      out << "#define " << upper << "_POSITIONS " << found->maximum << "\n";
  }
  out << "\n";
  for (const EntryPlan &entry : plan.entries)
    writeEntry(out, entry, prefix);
  writeCacheSizes(out, plan, prefix);
  out << "#ifdef __cplusplus\n}\n#endif\n#endif /* " << upper << "_H */\n";
  return text;
}
