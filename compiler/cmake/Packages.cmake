# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What is installed besides programs and libraries, and `cpack`: a .deb and a .tar.zst.

include(compiler/cmake/Documents.cmake)
# Debian's Python looks there, if this is installed to /usr.
install(DIRECTORY runtime/python/heddle DESTINATION lib/python3/dist-packages
        PATTERN __pycache__ EXCLUDE)
# Scripts can be run where they are installed, as their READMEs say.
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle/examples
        USE_SOURCE_PERMISSIONS PATTERN __pycache__ EXCLUDE PATTERN *.md EXCLUDE)

set(CPACK_GENERATOR DEB TZST)
set(CPACK_PACKAGE_NAME heddle)
set(CPACK_PACKAGE_VENDOR Heddle)
set(CPACK_PACKAGE_CONTACT "Heddle's developers <heddle@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Ahead-of-time compiler for transformer models")
set(CPACK_STRIP_FILES ON)
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# dpkg-shlibdeps finds this one in some runs and not in others.
set(CPACK_DEBIAN_PACKAGE_DEPENDS libllvm22)
# heddlec links with cc, unless it makes objects and static libraries alone; the
# binding needs NumPy, and programs of --emit=exe link what libheddle_text.a needs.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
    "g++, python3-numpy, libicu-dev, libsentencepiece-dev")
include(CPack)
