# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#[[
heddle_add_model(NAME MODEL PATH [TARGET_CPU CPU] [TARGET DEVICE,...] [WEIGHT_TYPE TYPE]
                 [EMBED_WEIGHTS] [WEIGHTS FOLDER] [SCHEDULE FILE] [SANITIZE address|thread]
                 [OPTIONS OPTION...])

Makes the static library NAME of a model, a Hugging Face folder, a .gguf or a .mlir file, which
heddlec compiles whenever one of the model's files changes. What links NAME finds NAME.h
and the runtime; symbols begin with NAME.

  TARGET_CPU     as heddlec --target-cpu: native (the default), x86-64-v3, ...
  TARGET         as heddlec --target: cpu (the default), opencl, cuda:sm_90 or several
                 with commas between. The weights of those after the first are beside
                 NAME.weights
  WEIGHT_TYPE    as heddlec --weight-type: stored (the default), f32, bf16, f16, int8, int4, int4:64
  EMBED_WEIGHTS  the weights become a part of the library. Without it, the target's
                 property HEDDLE_WEIGHTS is the path of NAME.weights, which the program
                 has to find when it runs
  WEIGHTS        the checkpoint of a .mlir file, as heddlec --weights (the default:
                 model.safetensors beside model.mlir)
  SCHEDULE       as heddlec --schedule
  SANITIZE       as heddlec --sanitize, for programs that are compiled and linked with
                 -fsanitize; thread links Heddle::runtime_tsan
  OPTIONS        further options of heddlec
]]
function(heddle_add_model name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG
    "EMBED_WEIGHTS" "MODEL;TARGET_CPU;TARGET;WEIGHT_TYPE;WEIGHTS;SCHEDULE;SANITIZE" "OPTIONS")
  if(NOT name MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "heddle_add_model(${name}): symbols begin with the name; expected a "
      "C identifier")
  endif()
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "heddle_add_model(${name}): expected MODEL, TARGET_CPU, TARGET, "
      "WEIGHT_TYPE, EMBED_WEIGHTS, WEIGHTS, SCHEDULE, SANITIZE or OPTIONS, found '${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  if(ARG_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR
      "heddle_add_model(${name}): ${ARG_KEYWORDS_MISSING_VALUES} has no value")
  endif()
  if(NOT ARG_MODEL)
    message(FATAL_ERROR "heddle_add_model(${name}): expected MODEL and a path")
  endif()
  if(NOT TARGET Heddle::heddlec)
    message(FATAL_ERROR "heddle_add_model(${name}): needs the compiler, which this "
      "installation of Heddle has not")
  endif()

  set(files "")
  foreach(keyword MODEL WEIGHTS SCHEDULE)
    if(NOT ARG_${keyword})
      continue()
    endif()
    cmake_path(ABSOLUTE_PATH ARG_${keyword} NORMALIZE)
    # Lists of CMake and what its generators write cannot hold these.
    string(REGEX REPLACE "\\[[^][]*\\]" "" rest "${ARG_${keyword}}")
    if("${rest}" MATCHES "[][;\"$\\\n]" OR
       ("${rest}" MATCHES ":" AND CMAKE_GENERATOR MATCHES "Makefiles"))
      message(FATAL_ERROR "heddle_add_model(${name}): ${keyword}: a path may have no "
        "unpaired brackets and none of ; \" $ \\ here, nor : for make:\n  ${ARG_${keyword}}")
    endif()
    if(IS_DIRECTORY "${ARG_${keyword}}")
      # All that heddlec reads of a checkpoint.
      string(REGEX REPLACE "([][*?])" "[\\1]" folder "${ARG_${keyword}}")
      file(GLOB found CONFIGURE_DEPENDS "${folder}/*.json" "${folder}/*.safetensors")
      if(NOT found)
        message(FATAL_ERROR "heddle_add_model(${name}): ${keyword}: expected a checkpoint, and "
          "found neither .json nor .safetensors in ${ARG_${keyword}}")
      endif()
      list(APPEND files ${found})
    elseif(EXISTS "${ARG_${keyword}}")
      list(APPEND files "${ARG_${keyword}}")
    else()
      message(FATAL_ERROR
        "heddle_add_model(${name}): ${keyword}: no such file or folder: ${ARG_${keyword}}")
    endif()
  endforeach()

  if(NOT ARG_WEIGHTS AND NOT IS_DIRECTORY "${ARG_MODEL}")
    # Weights of model.mlir may be beside it.
    cmake_path(REPLACE_EXTENSION ARG_MODEL LAST_ONLY safetensors OUTPUT_VARIABLE beside)
    if(EXISTS "${beside}")
      list(APPEND files "${beside}")
    endif()
  endif()

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}.heddle")
  file(MAKE_DIRECTORY "${folder}")
  set(outputs "${folder}/${name}.o" "${folder}/${name}.h")
  set(options ${ARG_OPTIONS})
  if(ARG_EMBED_WEIGHTS)
    list(APPEND options --embed-weights)
  else()
    list(APPEND outputs "${folder}/${name}.weights")
    string(REPLACE "," ";" others "${ARG_TARGET}")
    list(POP_FRONT others)
    foreach(other IN LISTS others)
      string(REGEX REPLACE ":.*" "" other "${other}")
      list(APPEND outputs "${folder}/${name}.${other}.weights")
    endforeach()
  endif()
  foreach(keyword TARGET_CPU TARGET WEIGHT_TYPE WEIGHTS SCHEDULE SANITIZE)
    if(ARG_${keyword})
      string(TOLOWER "--${keyword}=" option)
      string(REPLACE "_" "-" option "${option}")
      list(APPEND options "${option}${ARG_${keyword}}")
    endif()
  endforeach()
  add_custom_command(OUTPUT ${outputs}
    COMMAND Heddle::heddlec "${ARG_MODEL}" ${options} --prefix=${name} -o "${folder}/${name}.o"
    DEPENDS ${files} Heddle::heddlec
    COMMENT "Compiling the model ${name}"
    VERBATIM)

  add_library(${name} STATIC ${outputs})
  set_source_files_properties("${folder}/${name}.o" PROPERTIES EXTERNAL_OBJECT ON)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if("C" IN_LIST languages)
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C)
  else()
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  endif()
  target_include_directories(${name} INTERFACE $<BUILD_INTERFACE:${folder}>)
  # Never both: the linker would take some functions of one and some of the other.
  if(ARG_SANITIZE STREQUAL "thread")
    target_link_libraries(${name} INTERFACE Heddle::runtime_tsan)
  else()
    target_link_libraries(${name} INTERFACE Heddle::runtime)
  endif()
  if(NOT ARG_EMBED_WEIGHTS)
    set_target_properties(${name} PROPERTIES HEDDLE_WEIGHTS "${folder}/${name}.weights")
  endif()
endfunction()
