# bench_room(NAME FOLDER LIBRARIES...): the library bench_NAME, of the C files of FOLDER. LIBRARIES are what it links, as
# target_link_libraries takes them. A file that is new in the folder is found at the next build.
function(bench_room name folder)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/*.c")
  add_library(bench_${name} STATIC ${sources})
  target_link_libraries(bench_${name} ${ARGN})
endfunction()
