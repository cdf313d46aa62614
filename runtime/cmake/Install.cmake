# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What an installation has for the projects of embedders: a CMake package, Heddle, and
# heddle.pc for pkg-config. Neither names the folder that it is installed into, so that
# the whole may be moved.

include(CMakePackageConfigHelpers)
include(cmake/PkgConfig.cmake)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Heddle)
foreach(library heddle_runtime heddle_runtime_tsan)
  if(TARGET ${library})
    install(TARGETS ${library} EXPORT HeddleTargets
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endforeach()
install(FILES heddle.h heddle_abi.h heddle_generation.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heddle)
install(EXPORT HeddleTargets NAMESPACE Heddle:: DESTINATION ${package_folder})

configure_package_config_file(cmake/HeddleConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/HeddleConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(
  ${CMAKE_CURRENT_BINARY_DIR}/HeddleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/HeddleConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/HeddleConfigVersion.cmake
  cmake/HeddleAddModel.cmake
  DESTINATION ${package_folder})

heddle_install_pkg_config(heddle)
