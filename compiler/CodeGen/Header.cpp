// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generated C header: what a program needs to know to call the model.

#include "compiler/CodeGen/HeaderNames.h"
#include "compiler/CodeGen/Object.h"

#include "runtime/heddle.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <set>

using namespace heddle;

static std::string cType(const ArgumentPlan &argument) {
  if (argument.kind == HEDDLE_ARGUMENT_CACHE)
    return "void *";
  llvm::StringRef qualifier =
      argument.kind == HEDDLE_ARGUMENT_OUTPUT ? "" : "const ";
  return (qualifier + findElementType(argument.type)->c + " *").str();
}

// The type as the model has it, and what C's says nothing of.
static std::string typeText(heddle_type type) {
  std::string name = heddle_type_name(type);
  switch (type) {
  case HEDDLE_TYPE_BF16:
  case HEDDLE_TYPE_F16:
  case HEDDLE_TYPE_F8E4M3:
  case HEDDLE_TYPE_F8E5M2:
    return name + ", as bits";
  default:
    break;
  }
  return type == HEDDLE_TYPE_I1 ? name + ", 0 or 1" : name;
}

// "[batch, length]"; of a single element "one"
static std::string shape(const ArgumentPlan &argument) {
  if (argument.extents.empty())
    return "one";
  std::string text = "[";
  llvm::interleave(
      argument.extents, [&](SizeAttr extent) { text += extent.str(); },
      [&] { text += ", "; });
  return text + "]";
}

// "1 to length", "0 to 99"
static std::string range(ValuesAttr values) {
  return std::to_string(values.getMinimum()) + " to " +
         values.getMaximum().str();
}

static std::string explainTensor(const ParameterNames &names,
                                 const ArgumentPlan &argument) {
  std::string text = shape(argument) + " " + typeText(argument.type);
  switch (argument.role) {
  case ArgumentRole::Lengths:
    text += ", how many tokens of each sequence are valid";
    break;
  case ArgumentRole::Starts:
    text += ", how many positions of each sequence the cache holds";
    break;
  case ArgumentRole::Positions:
    text += argument.extents.size() == 1 ? ", the position of the first token"
                                         : ", the position of each token";
    break;
  case ArgumentRole::Pages:
    text += ", the cache's pages that a sequence's positions lie in, in order";
    break;
  default:
    break;
  }
  if (argument.lengths())
    return text + "; with " + names.arguments[*argument.lengths()] +
           " added, at most " + argument.values.getMaximum().str();
  if (argument.values && argument.values.getSize())
    return text + "; at most " + argument.values.getMaximum().str() + " - " +
           argument.values.getSize().str();
  if (argument.values)
    text += ", each from " + range(argument.values);
  return text;
}

static std::string explain(const ParameterNames &names,
                           const ArgumentPlan &argument) {
  if (argument.kind == HEDDLE_ARGUMENT_CACHE)
    return "keys and values so far, " + argument.extents[2].str() +
           " bytes for each of [" + argument.extents[0].str() + ", " +
           argument.extents[1].str() + "]";
  std::string text = explainTensor(names, argument);
  if (argument.padding)
    text += "; past " + names.arguments[*argument.padding] +
            " of each sequence is padding";
  return text;
}

// `parameter`, and the model's name for it where that is another one. The name
// neither ends the comment nor begins one.
static std::string introduce(llvm::StringRef parameter, llvm::StringRef name) {
  if (parameter == name)
    return parameter.str();
  std::string text = (parameter + ", \"").str();
  for (char c : name) {
    if ((text.back() == '*' && c == '/') || (text.back() == '/' && c == '*'))
      text += ' ';
    // Compilers warn of what is no UTF-8, and of characters that turn a line.
    text += llvm::isPrint(c) ? c : '?';
  }
  return text + "\" in the model";
}

// "a, b: equal, or 1", "c: 1 or batch"
static void writeBroadcasts(llvm::raw_ostream &out, const EntryPlan &entry) {
  llvm::SmallSetVector<SizeAttr, 4> together;
  for (BroadcastAttr broadcast : entry.broadcasts) {
    SizeAttr target = broadcast.getTarget();
    if (broadcastOperands(target).size() > 1)
      together.insert(target);
    else
      out << " *   " << broadcast.getSize().str() << ": 1 or " << target.str()
          << "\n";
  }
  for (SizeAttr target : together) {
    out << " *   ";
    llvm::interleaveComma(broadcastOperands(target), out,
                          [&](SizeAttr size) { out << size.str(); });
    out << ": equal, or 1\n";
  }
}

// "n - 4: 0 or more"
static void writeCounts(llvm::raw_ostream &out, const EntryPlan &entry) {
  for (SizeAttr count : entry.counts)
    out << " *   " << count.str() << ": 0 or more\n";
}

static void writeEntry(llvm::raw_ostream &out, const EntryPlan &entry,
                       llvm::StringRef prefix, bool hasTargets) {
  const ParameterNames names(entry, prefix);
  out << "/*";
  if (entry.name == "prefill")
    out << " Reads the ids of each sequence at once, appends them to the cache "
           "and gives\n * the logits after the last of them.\n *\n";
  else if (entry.name == "decode")
    out << " The same for one id of each sequence.\n *\n";
  else
    out << "\n";
  for (auto [argument, name] :
       llvm::zip_equal(entry.arguments, names.arguments))
    out << " *   " << introduce(name, argument.name) << ": "
        << explain(names, argument) << "\n";
  for (auto [symbol, name] : llvm::zip_equal(entry.symbols, names.sizes))
    out << " *   " << introduce(name, symbol.getName().getValue()) << ": "
        << symbol.getMinimum() << " to " << symbol.getMaximum() << "\n";
  writeBroadcasts(out, entry);
  writeCounts(out, entry);
  if (llvm::any_of(entry.symbols,
                   [](SymbolAttr symbol) { return symbol.getMinimum() == 0; }))
    out << " *   An argument without elements may be null.\n";
  out << " *   workspace: scratch of at least the size that " << prefix << "_"
      << entry.name
      << "_workspace_size gives,\n *     aligned to HEDDLE_ALIGNMENT, not "
         "shared "
         "by calls that run at the same time\n"
      << " */\nheddle_status " << prefix << "_" << entry.name
      << "(\n    const heddle_context *context, const heddle_weights *weights";
  for (auto [argument, name] :
       llvm::zip_equal(entry.arguments, names.arguments))
    out << ",\n    " << cType(argument) << name;
  for (llvm::StringRef size : names.sizes)
    out << ",\n    int64_t " << size;
  out << ",\n    void *workspace, size_t workspace_size);\n\n";

  auto writeSizes = [&] {
    llvm::ListSeparator comma;
    for (llvm::StringRef size : names.sizes)
      out << comma << "int64_t " << size;
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
    for (llvm::StringRef size : names.sizes)
      out << comma << size;
    out << "};\n  return " << call << "sizes, bytes, error);\n}\n\n";
  };
  std::string find =
      ("heddle_find_entry(&" + prefix + "_model, \"" + entry.name + "\"), ")
          .str();
  out << "/* Bytes of workspace for a call with these sizes"
      << (hasTargets ? ", on any target" : "") << ". */\n"
      << "static inline heddle_status " << prefix << "_" << entry.name
      << "_workspace_size(\n    ";
  writeSizes();
  writeBody((hasTargets ? "heddle_largest_workspace_size("
                        : "heddle_workspace_size(") +
            find);
}

// `name`(batch, capacity, ...): the bytes of that argument of `entry`, which
// only the symbols of its sizes say anything of.
static void writeCacheSize(llvm::raw_ostream &out, const EntryPlan &entry,
                           unsigned index, llvm::StringRef prefix,
                           llvm::StringRef name) {
  const ArgumentPlan &argument = entry.arguments[index];
  llvm::StringSet<> used;
  argument.bytes.walkSymbols([&](llvm::StringRef name) { used.insert(name); });
  out << "/* Bytes of a cache [" << argument.extents[0].str() << ", "
      << argument.extents[1].str()
      << "]. It is the caller's, aligned to\n * HEDDLE_ALIGNMENT; what it "
         "holds "
         "before the first call does not matter. Calls\n * that share it have "
         "equal sizes of it. */\n"
      << "static inline heddle_status " << prefix << "_" << name << "(";
  const ParameterNames names(entry, prefix);
  for (auto [symbol, name] : llvm::zip_equal(entry.symbols, names.sizes))
    if (used.contains(symbol.getName().getValue()))
      out << "int64_t " << name << ", ";
  out << "size_t *bytes,\n    heddle_error *error) {\n"
         "  const int64_t sizes[] = {";
  llvm::ListSeparator comma;
  for (auto [symbol, name] : llvm::zip_equal(entry.symbols, names.sizes))
    if (used.contains(symbol.getName().getValue()))
      out << comma << name;
    else
      out << comma << symbol.getMinimum();
  out << "};\n  return heddle_argument_size(heddle_find_entry(&" << prefix
      << "_model, \"" << entry.name << "\"), " << index
      << ", sizes, bytes, error);\n}\n\n";
}

// X_cache_size where all caches of the model have as many bytes for the same
// sizes, else X_<argument>_cache_size where those of that name have, else
// X_<entry>_<argument>_cache_size.
static void writeCacheSizes(llvm::raw_ostream &out, const ModelPlan &plan,
                            llvm::StringRef prefix) {
  struct Cache {
    const EntryPlan *entry;
    unsigned index;
    std::string bytes; ///< an expression
  };
  std::vector<Cache> all;
  std::map<std::string, std::vector<Cache>> named;
  for (const EntryPlan &entry : plan.entries)
    for (auto [index, argument] : llvm::enumerate(entry.arguments))
      if (argument.kind == HEDDLE_ARGUMENT_CACHE) {
        all.push_back({&entry, unsigned(index), argument.bytes.str()});
        named[identifierOf(argument.name)].push_back(all.back());
      }
  auto write = [&](const Cache &cache, llvm::StringRef name) {
    writeCacheSize(out, *cache.entry, cache.index, prefix, name);
  };
  auto areEqual = [](llvm::ArrayRef<Cache> caches) {
    return llvm::all_equal(llvm::map_range(
        caches, [](const Cache &cache) { return cache.bytes; }));
  };
  if (all.empty())
    return;
  if (areEqual(all))
    return write(all.front(), "cache_size");
  for (const auto &[name, caches] : named) {
    if (areEqual(caches)) {
      write(caches.front(), name + "_cache_size");
      continue;
    }
    for (const Cache &cache : caches)
      write(cache,
            cache.entry->name + "_" +
                ParameterNames(*cache.entry, prefix).arguments[cache.index] +
                "_cache_size");
  }
}

// How many ids an argument may have.
static std::optional<int64_t> vocabularyOf(const ArgumentPlan &argument) {
  if (argument.role != ArgumentRole::Ids || !argument.values)
    return std::nullopt;
  std::optional<int64_t> largest = argument.values.getMaximum().asNumber();
  return largest ? std::optional(*largest + 1) : std::nullopt;
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
      if (std::optional<int64_t> rows = vocabularyOf(argument)) {
        all.insert(*rows);
        named[llvm::StringRef(identifierOf(argument.name)).upper()].insert(
            *rows);
      }
  if (all.size() == 1)
    out << "#define " << upper << "_VOCABULARY " << *all.begin() << "\n";
  else
    for (const auto &[name, limits] : named)
      if (limits.size() == 1)
        out << "#define " << upper << "_" << name << "_VOCABULARY "
            << *limits.begin() << "\n";
}

// Where the weights of another target go.
static void writeTarget(llvm::raw_ostream &out, const MachineModel &machine,
                        llvm::StringRef name) {
  std::string kind = machine.targetKind();
  std::string constant =
      machine.device ? llvm::StringRef(kind).upper() : std::string("NONE");
  out << " * Compiled for " << (machine.device ? machine.deviceName() : kind)
      << ", too: weights of\n *   heddle_model_for(&" << name
      << "_model, HEDDLE_DEVICE_" << constant
      << ")\n * let the functions below run there.\n";
}

/// The most positions that a sequence may have. Those of a cross cache are of
/// its source.
static std::optional<int64_t> mostPositionsOf(const ModelPlan &plan) {
  for (const EntryPlan &entry : plan.entries)
    for (SymbolAttr symbol : entry.symbols) {
      auto isOfSource = [&](const ArgumentPlan &argument) {
        return argument.role == ArgumentRole::Cross &&
               argument.extents[1].getKind() == SizeKind::Symbol &&
               argument.extents[1].getName() == symbol.getName();
      };
      if (symbol.getRole() == SymbolRole::Capacity &&
          llvm::none_of(entry.arguments, isOfSource))
        return symbol.getMaximum();
    }
  return std::nullopt;
}

std::string heddle::writeHeader(const ModelPlan &plan,
                                const MachineModel &machine,
                                llvm::ArrayRef<MachineModel> others,
                                const GlueOptions &options,
                                llvm::StringRef source) {
  std::string text;
  llvm::raw_string_ostream out(text);
  std::string upper = llvm::StringRef(options.name).upper();
  llvm::StringRef prefix = options.name;
  out << "/* Generated by heddlec from " << source << "; do not edit.\n"
      << " * Compiled for " << machine.cpu
      << ". Link with libheddle_runtime. See heddle.h for\n"
      << " * contexts, weights and threads.";
  if (!others.empty())
    out << "\n *\n";
  for (const MachineModel &other : others)
    writeTarget(out, other, prefix);
  out << " */\n"
      << "#ifndef " << upper << "_H\n#define " << upper << "_H\n\n"
      << "#include \"heddle.h\"\n\n"
      << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
      << (options.embeddedSize
              ? "/* Its weights are inside: heddle_weights_open takes them "
                "where its path is null. */\n"
              : "")
      << "extern const heddle_model " << prefix << "_model;\n\n";
  writeVocabularies(out, plan, upper);
  if (auto positions = mostPositionsOf(plan))
    out << "#define " << upper << "_POSITIONS " << *positions << "\n";
  out << "\n";
  for (const EntryPlan &entry : plan.entries)
    writeEntry(out, entry, prefix, !others.empty());
  writeCacheSizes(out, plan, prefix);
  out << "#ifdef __cplusplus\n}\n#endif\n#endif /* " << upper << "_H */\n";
  return text;
}
