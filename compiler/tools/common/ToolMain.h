// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a tool's program enters the tool's library.

#ifndef HEDDLE_COMPILER_TOOLS_COMMON_TOOLMAIN_H
#define HEDDLE_COMPILER_TOOLS_COMMON_TOOLMAIN_H

#define HEDDLE_TOOL_MAIN "heddle_tool_main"

/// What `main` is elsewhere.
extern "C" __attribute__((visibility("default"))) int
heddle_tool_main(int argc, char **argv);

#endif // HEDDLE_COMPILER_TOOLS_COMMON_TOOLMAIN_H
