# SPDX-License-Identifier: MIT
# The Debian package (cmake --build BUILD --target package) and the source tarball (--target dist).
set(BENCH_MAINTAINER "bench developers <bench@example.org>" CACHE STRING "Who answers for the Debian package: NAME <ADDRESS>")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME bench)
set(CPACK_PACKAGE_CONTACT "${BENCH_MAINTAINER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/debian.cmake")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 0bench1) # not by Debian, whose own begins with 1
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What is loaded when it is used. A later name of a library comes behind an earlier one.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "git, pocl-opencl-icd | opencl-icd, libopenblas0-pthread | libopenblas0")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "gnuplot-nox | gnuplot, libclblast1, libdnnl2 | libdnnl3 | libdnnl3.6, oclgrind, libpq5")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "benchmark harness and regression tracker for compute kernels")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "It measures kernels in fresh processes, checks every result against a
reference before it publishes a number, keeps every sample in a history, and
says with a known error rate whether something got slower.

Kernels are measured on OpenCL devices and by OpenBLAS, where these are
installed. The exit status tells continuous integration what came of it.")
include(CPack)

# Of what is committed, whatever else is in the tree; cmake/commit becomes the commit's id.
set(name "bench-${PROJECT_VERSION}")
add_custom_target(dist
  COMMAND git -C "${PROJECT_SOURCE_DIR}" archive --prefix=${name}/ -o "${PROJECT_BINARY_DIR}/${name}.tar.gz" HEAD
  COMMENT "Packing ${name}.tar.gz" VERBATIM)
