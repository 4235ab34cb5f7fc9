# SPDX-License-Identifier: MIT
# bench_room(NAME FOLDERS LIBRARIES...): the library bench_NAME, of the C files of FOLDERS, a list that may have
# wildcards. LIBRARIES are what it links, as target_link_libraries takes them. A file that is new in a folder is found
# at the next build.
function(bench_room name folders)
  string(REGEX MATCH "^harness/" counted "${folders}")
  list(TRANSFORM folders REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/\\1/*.c")
  file(GLOB sources CONFIGURE_DEPENDS ${folders})
  add_library(bench_${name} STATIC ${sources})
  target_link_libraries(bench_${name} ${ARGN})
  if(counted)
    bench_count_lines(bench_${name})
  endif()
endfunction()

# bench_count_lines(TARGET): with BENCH_COVERAGE, which of the target's lines are run is counted.
function(bench_count_lines target)
  if(BENCH_COVERAGE)
    # Few lines have threads. Atomic updates, which lose none of their counts, take eight times as long in a loop.
    target_compile_options(${target} PRIVATE --coverage -fprofile-update=single)
  endif()
endfunction()
