# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# heddle_install_pkg_config(NAME): NAME.pc of this folder, which finds its installation from
# where it lies itself.
function(heddle_install_pkg_config name)
  file(RELATIVE_PATH pkg_config_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  string(REGEX REPLACE "/$" "" pkg_config_prefix ${pkg_config_prefix})
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${name}.pc.in
    ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
