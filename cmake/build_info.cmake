# SPDX-License-Identifier: MIT
# Run at every build: fills build_info.h.in. configure_file leaves the file alone where nothing changed. A tarball's tree is no
# repository, and may lie in one of somebody else: its commit is in cmake/commit.
if(EXISTS "${SOURCE}/.git")
  execute_process(COMMAND git -C "${SOURCE}" describe --always --abbrev=40 --dirty --exclude=*
    OUTPUT_VARIABLE BENCH_GIT_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
else()
  file(STRINGS "${SOURCE}/cmake/commit" BENCH_GIT_COMMIT REGEX "^[0-9a-f]+$")
endif()
configure_file("${INPUT}" "${OUTPUT}" @ONLY)
