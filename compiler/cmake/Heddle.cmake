# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# How this project's compiler libraries are built: MLIR linked statically, LLVM 22
# as its versioned shared library. Debian's libMLIR.so would put unversioned
# llvm:: symbols beside those of the LLVM 14 inside Halide.

find_package(MLIR 22.1 REQUIRED CONFIG PATHS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# heddle_tablegen(File.td Name dialect): a dialect's declarations, types, attributes
# and enums; heddle_tablegen_ops(File.td Name): its ops.
function(heddle_tablegen file name dialect)
  set(LLVM_TARGET_DEFINITIONS ${file})
  mlir_tablegen(${name}Dialect.h.inc -gen-dialect-decls -dialect=${dialect})
  mlir_tablegen(${name}Dialect.cpp.inc -gen-dialect-defs -dialect=${dialect})
  mlir_tablegen(${name}Enums.h.inc -gen-enum-decls)
  mlir_tablegen(${name}Enums.cpp.inc -gen-enum-defs)
  mlir_tablegen(${name}Attributes.h.inc -gen-attrdef-decls
                -attrdefs-dialect=${dialect})
  mlir_tablegen(${name}Attributes.cpp.inc -gen-attrdef-defs
                -attrdefs-dialect=${dialect})
  mlir_tablegen(${name}Types.h.inc -gen-typedef-decls
                -typedefs-dialect=${dialect})
  mlir_tablegen(${name}Types.cpp.inc -gen-typedef-defs
                -typedefs-dialect=${dialect})
  add_public_tablegen_target(${name}DialectIncGen)
endfunction()

function(heddle_tablegen_ops file name)
  set(LLVM_TARGET_DEFINITIONS ${file})
  mlir_tablegen(${name}Ops.h.inc -gen-op-decls)
  mlir_tablegen(${name}Ops.cpp.inc -gen-op-defs)
  add_public_tablegen_target(${name}OpsIncGen)
endfunction()

# heddle_tablegen_doc(File.td dialect): the dialect's reference, for users.
function(heddle_tablegen_doc file dialect)
  set(LLVM_TARGET_DEFINITIONS ${file})
  mlir_tablegen(${dialect}.md -gen-dialect-doc -dialect=${dialect})
  add_custom_target(${dialect}-dialect-doc ALL DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${dialect}.md)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${dialect}.md
          DESTINATION ${CMAKE_INSTALL_DOCDIR}/dialect)
endfunction()

function(heddle_tablegen_interfaces file name)
  set(LLVM_TARGET_DEFINITIONS ${file})
  mlir_tablegen(${name}Interfaces.h.inc -gen-op-interface-decls)
  mlir_tablegen(${name}Interfaces.cpp.inc -gen-op-interface-defs)
  add_public_tablegen_target(${name}InterfacesIncGen)
endfunction()

add_library(heddle_options INTERFACE)
target_include_directories(heddle_options INTERFACE
  ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
target_include_directories(heddle_options SYSTEM INTERFACE
  ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
separate_arguments(definitions UNIX_COMMAND "${LLVM_DEFINITIONS}")
target_compile_options(heddle_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti -Wall -Wextra -Wno-unused-parameter>
  $<$<COMPILE_LANGUAGE:CXX>:$<IF:$<BOOL:$<TARGET_PROPERTY:HEDDLE_EXCEPTIONS>>,-fexceptions,-fno-exceptions>>
  -fvisibility=hidden ${definitions})
# What archives define stays inside of a program. Those of Clang's sanitizers do not.
set(hidden_archives ALL)
if(HEDDLE_BUILD_FUZZERS)
  file(GLOB hidden_archives RELATIVE ${LLVM_LIBRARY_DIR} ${LLVM_LIBRARY_DIR}/libMLIR*.a)
  list(JOIN hidden_archives : hidden_archives)
endif()
# As needed: heddle-run must not load Halide's LLVM, whose symbols those of the LLVM inside
# of PoCL would bind to.
target_link_options(heddle_options INTERFACE
  -Wl,--exclude-libs,${hidden_archives} -Wl,--gc-sections -Wl,--as-needed)

# Headers take most of a file's time to compile, so they are compiled once:
# heddle_precompile(Name headers...). Libraries take those of
# HEDDLE_PRECOMPILED, which a folder may set.
function(heddle_precompile name)
  add_library(${name} STATIC ${CMAKE_SOURCE_DIR}/compiler/cmake/Precompiled.cpp)
  target_link_libraries(${name} PRIVATE heddle_options LLVM)
  target_precompile_headers(${name} PRIVATE ${ARGN})
  add_dependencies(${name} ${HEDDLE_GENERATED_HEADERS})
endfunction()

set(HEDDLE_GENERATED_HEADERS
  HeddleDialectIncGen HeddleOpsIncGen HeddleInterfacesIncGen HalideDialectIncGen
  HalideOpsIncGen)
set(HEDDLE_MLIR_HEADERS
  <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/Func/IR/FuncOps.h>
  <mlir/Dialect/Math/IR/Math.h> <mlir/IR/Builders.h> <mlir/IR/BuiltinOps.h>
  <mlir/IR/OpImplementation.h> <mlir/IR/PatternMatch.h> <mlir/IR/SymbolTable.h>
  <mlir/Pass/Pass.h> <llvm/ADT/StringMap.h> <llvm/Support/Error.h>)
set(HEDDLE_DIALECT_HEADERS
  <dialect/Heddle/HeddleDialect.h> <dialect/Halide/HalideDialect.h>)
heddle_precompile(HeddlePrecompiledDialects
  ${HEDDLE_MLIR_HEADERS} ${HEDDLE_DIALECT_HEADERS})
set(HEDDLE_PRECOMPILED HeddlePrecompiledDialects)

# heddle_library(Name sources... [LINK targets...])
function(heddle_library name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "LINK")
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC heddle_options ${ARG_LINK} LLVM)
  target_precompile_headers(${name} REUSE_FROM ${HEDDLE_PRECOMPILED})
  add_dependencies(${name} ${HEDDLE_GENERATED_HEADERS})
endfunction()
