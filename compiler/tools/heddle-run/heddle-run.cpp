// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks at compiled models, runs and times them, and continues, embeds and
// classifies text with them.

#include "compiler/tools/heddle-run/Commands.h"

#include "compiler/tools/common/NamedValue.h"
#include "compiler/tools/common/Options.h"
#include "compiler/tools/common/Tool.h"
#include "compiler/tools/common/ToolMain.h"

using namespace heddle;
using namespace llvm;

ArtifactOptions::ArtifactOptions(cl::SubCommand &command)
    : artifact(cl::Positional, cl::Required,
               cl::desc("<shared library or object from heddlec>"),
               cl::sub(command)),
      weights("weights", cl::value_desc("file"), cl::sub(command),
              cl::desc("Packed weights (default: the artifact's name with "
                       ".weights)")),
      target("target", cl::value_desc("name"), cl::sub(command),
             cl::desc("cpu, opencl or cuda, of an artifact that was compiled "
                      "for several (default: the first)")) {}

ThreadOptions::ThreadOptions(cl::SubCommand &command)
    : threads("threads", cl::init(0), cl::value_desc("count"), cl::sub(command),
              cl::desc("Threads to run on; 0 is one for each CPU (default)")) {}

Expected<ThreadsHandle> ThreadOptions::create() const {
  auto created = createThreads(threads);
  if (!created)
    return createStringError("--" + threads.ArgStr + ": " +
                             toString(created.takeError()));
  return created;
}

SizeOptions::SizeOptions(cl::SubCommand &command)
    : sizes("size", cl::CommaSeparated, cl::value_desc("name=value,..."),
            cl::sub(command), cl::desc("Sizes, such as batch=1,length=128")) {}

Expected<std::map<std::string, int64_t>>
SizeOptions::parse(const heddle_model &model) const {
  SmallVector<StringRef> known;
  for (uint32_t e = 0; e < model.entry_count; ++e) {
    const heddle_entry &entry = *model.entries[e];
    for (uint32_t s = 0; s < entry.symbol_count; ++s)
      known.push_back(entry.symbols[s].name);
  }
  return parseSizes(sizes, model.name, known);
}

int heddle_tool_main(int argc, char **argv) {
  startTool("heddle-run");
  const Command commands[] = {
      inspectCommand(),  runCommand(),        verifyCommand(),
      benchCommand(),    generateCommand(),   embedCommand(),
      classifyCommand(), transcribeCommand(), perplexityCommand()};
  // LLVM's own options are nothing for users of this program.
  static cl::OptionCategory none("heddle-run options");
  cl::HideUnrelatedOptions(none);
  OptionValues values;
  for (const Command &command : commands)
    if (command.describe)
      command.describe(values);
  if (Error error =
          parseOptions(argc, argv, "inspects, runs and times compiled models\n",
                       "an artifact of heddlec's", values))
    return finishTool(std::move(error));
  for (const Command &command : commands)
    if (*command.name)
      return finishTool(command.run());
  return finishTool(createStringError(
      "no subcommand, expected inspect, run, verify, bench, generate, embed, "
      "classify, transcribe or perplexity (see --help)"));
}
