// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/common/Options.h"

#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace heddle;
using namespace llvm;

namespace {

/// Looks through a command line before LLVM does.
class Check {
public:
  Check(ArrayRef<char *> arguments, StringRef argument,
        const OptionValues &values)
      : arguments(arguments), argument(argument), values(values) {}

  Error run() {
    findSubCommand();
    for (; next < arguments.size(); ++next) {
      StringRef text = arguments[next];
      bool isOption = text.starts_with("-") && text != "-" && !isRest;
      if (isOption && text == "--")
        isRest = true;
      else if (Error error = isOption ? checkOption(text) : checkPlace(text))
        return error;
    }
    return asksForHelp ? Error::success() : checkMissing();
  }

private:
  // The first argument, where the program has subcommands.
  void findSubCommand() {
    if (arguments.empty())
      return;
    for (cl::SubCommand *known : cl::getRegisteredSubcommands())
      if (known != &cl::SubCommand::getAll() && !known->getName().empty() &&
          known->getName() == arguments.front()) {
        subCommand = known;
        ++next;
      }
  }

  static bool isShown(const cl::Option &option) {
    return option.getOptionHiddenFlag() == cl::NotHidden &&
           !option.isPositional() && option.hasArgStr();
  }

  Error unknown(StringRef name) const {
    StringRef nearest;
    unsigned least = std::max<unsigned>(2, name.size() / 3) + 1;
    // In the order of names, so that a tie has one winner.
    std::map<StringRef, cl::Option *> options;
    for (auto &[known, option] : subCommand->OptionsMap)
      options.emplace(known, option);
    for (auto [known, option] : options)
      if (unsigned distance = name.edit_distance(known, true, least);
          isShown(*option) && distance < least) {
        least = distance;
        nearest = known;
      }
    return createStringError(
        "unknown option '" + dashed(name) + "'" +
        (nearest.empty() ? "; see --help"
                         : "; the nearest one is '" + dashed(nearest) + "'"));
  }

  static std::string dashed(StringRef name) {
    return (name.size() == 1 ? "-" : "--") + name.str();
  }

  Error checkOption(StringRef text) {
    StringRef rest = text.drop_front(text.starts_with("--") ? 2 : 1);
    auto [name, value] = rest.split('=');
    bool hasValue = text.contains('=');
    if (name == "help" || name == "h" || name == "version" ||
        name.starts_with("help-")) {
      asksForHelp = true;
      return Error::success();
    }
    cl::Option *option = subCommand->OptionsMap.lookup(name);
    if (!option || !isShown(*option))
      return unknown(name);
    // What prints something and ends takes no value.
    if (option->getValueExpectedFlag() == cl::ValueDisallowed && !hasValue)
      asksForHelp = true;
    auto occurrences = option->getNumOccurrencesFlag();
    bool isRepeatable =
        occurrences == cl::ZeroOrMore || occurrences == cl::OneOrMore;
    if (!seen.insert(option).second && !isRepeatable)
      return createStringError(dashed(name) + " is given twice");
    if (!hasValue && option->getValueExpectedFlag() == cl::ValueRequired) {
      if (++next == arguments.size())
        return createStringError(dashed(name) +
                                 ": expected a value, found nothing");
      value = arguments[next];
      hasValue = true;
    }
    const OptionValues::Kind *kind = values.find(*option);
    // A flag.
    if (option->getValueExpectedFlag() == cl::ValueOptional && hasValue &&
        value != "true" && value != "false")
      return createStringError(
          dashed(name) + ": expected true or false, found '" + value + "'");
    if (!kind && hasValue && value.empty())
      return createStringError(dashed(name) +
                               ": expected a value, found an empty one");
    if (kind && hasValue && !kind->holds(value))
      return createStringError(dashed(name) + ": expected " + kind->expected +
                               ", found '" + value + "'");
    return Error::success();
  }

  /// Any number of arguments.
  static bool isList(const cl::Option &option) {
    return option.getNumOccurrencesFlag() == cl::ZeroOrMore;
  }

  Error checkPlace(StringRef text) {
    ArrayRef<cl::Option *> taken = subCommand->PositionalOpts;
    bool takesMore = !taken.empty() && isList(*taken.back());
    if (places++ < taken.size() || takesMore)
      return Error::success();
    std::set<StringRef> names;
    for (cl::SubCommand *known : cl::getRegisteredSubcommands())
      if (known != &cl::SubCommand::getAll() && !known->getName().empty())
        names.insert(known->getName());
    if (subCommand == &cl::SubCommand::getTopLevel() && !names.empty())
      return createStringError("unknown subcommand '" + text +
                               "'; expected one of " + join(names, ", "));
    return createStringError(
        "expected one argument that is no option, found '" + text +
        "' as well");
  }

  Error checkMissing() const {
    auto isNeeded = [](const cl::Option *option) { return !isList(*option); };
    if (places < size_t(count_if(subCommand->PositionalOpts, isNeeded)))
      return createStringError("expected " + argument +
                               ", found no argument (see --help)");
    for (auto &[name, option] : subCommand->OptionsMap)
      if (option->getNumOccurrencesFlag() == cl::Required &&
          !option->isPositional() && !seen.count(option))
        return createStringError(dashed(name) + " is missing");
    return Error::success();
  }

  ArrayRef<char *> arguments;
  StringRef argument;
  const OptionValues &values;
  cl::SubCommand *subCommand = &cl::SubCommand::getTopLevel();
  size_t next = 0;
  unsigned places = 0; ///< positional arguments so far
  bool isRest = false; ///< behind "--"
  bool asksForHelp = false;
  std::set<cl::Option *> seen;
};

} // namespace

std::optional<std::chrono::seconds> heddle::parseTime(StringRef text) {
  constexpr int64_t most = 24 * 60 * 60;
  int64_t unit = text.consume_back("s")   ? 1
                 : text.consume_back("m") ? 60
                 : text.consume_back("h") ? 60 * 60
                                          : 0;
  int64_t count;
  if (unit == 0 || text.getAsInteger(10, count) || count < 1 ||
      count > most / unit)
    return std::nullopt;
  return std::chrono::seconds(count * unit);
}

OptionValues &OptionValues::addTime(cl::opt<std::string> &option) {
  return add(option, {"a time such as 90s, 5m or 1h", [](StringRef text) {
                        return parseTime(text).has_value();
                      }});
}

Error heddle::parseOptions(int argc, char **argv, StringRef overview,
                           StringRef argument, const OptionValues &values) {
  if (Error error =
          Check(ArrayRef(argv, argc).drop_front(), argument, values).run())
    return error;
  // LLVM has nothing left to say.
  cl::ParseCommandLineOptions(argc, argv, overview);
  return Error::success();
}
