# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Documents for users, whose links lead to what is installed: other documents stand as in the
# repository, and examples in a folder of their own. Links to sources become text.

# heddle_install_document(path/in/the/repository.md)
function(heddle_install_document path)
  get_filename_component(folder ${path} DIRECTORY)
  set(examples /${CMAKE_INSTALL_DATADIR}/heddle/examples)
  set(documents /${CMAKE_INSTALL_DOCDIR})
  if(path MATCHES "^examples/")
    set(destination /${CMAKE_INSTALL_DATADIR}/heddle/${folder})
  else()
    set(destination ${documents}/${folder})
  endif()
  file(RELATIVE_PATH to_examples ${destination} ${examples})
  file(RELATIVE_PATH to_documents ${destination} ${documents})
  file(READ ${CMAKE_SOURCE_DIR}/${path} text)
  set(source "([.][.]/)*(compiler|test|dialect/Heddle|Heddle|Halide|jinja|cmake)/[^)]*|build_backend[.]py")
  string(REGEX REPLACE "\\[([^]]*)\\]\\((${source})\\)" "\\1" text "${text}")
  if(path MATCHES "^examples/")
    string(REGEX REPLACE "\\]\\(([.][.]/)+(dialect|runtime)/" "](${to_documents}/\\2/" text "${text}")
  else()
    string(REGEX REPLACE "\\]\\(([.][.]/)*examples/" "](${to_examples}/" text "${text}")
  endif()
  set(result ${CMAKE_BINARY_DIR}/documents/${path})
  file(CONFIGURE OUTPUT ${result} CONTENT "@text@" @ONLY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${path})
  string(SUBSTRING ${destination} 1 -1 destination)
  install(FILES ${result} DESTINATION ${destination})
endfunction()

# References of both dialects' ops are beside them (heddle_tablegen_doc).
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
file(GLOB_RECURSE example_documents RELATIVE ${CMAKE_SOURCE_DIR} examples/*.md)
foreach(path IN LISTS example_documents ITEMS README.md
        dialect/README.md dialect/Attention.md dialect/WriteAModel.md runtime/README.md
        runtime/text/README.md runtime/text/chat-templates.md runtime/python/README.md)
  heddle_install_document(${path})
endforeach()
