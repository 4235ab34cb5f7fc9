# SPDX-License-Identifier: MIT
# The man pages and completions, made by the program from the tables that its --help comes from, and installed. Not with
# sanitizers: a program that has to be run in a way of its own makes no pages at build.
if(BENCH_SANITIZE)
  return()
endif()
file(GLOB verbs CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/harness/cli" "${PROJECT_SOURCE_DIR}/harness/cli/cmd_*.c")
list(TRANSFORM verbs REPLACE "^cmd_(.*)\\.c$" "\\1")
set(pages "${PROJECT_BINARY_DIR}/pages")
set(files "${pages}/bench.1")
foreach(verb IN LISTS verbs)
  list(APPEND files "${pages}/bench-${verb}.1")
endforeach()
add_custom_command(
  OUTPUT ${files} "${pages}/bench.bash" "${pages}/bench.zsh" "${pages}/bench.fish"
  COMMAND "${CMAKE_COMMAND}" -DBENCH=$<TARGET_FILE:bench> "-DVERBS=${verbs}" -DOUTPUT=${pages}
    -P "${PROJECT_SOURCE_DIR}/cmake/pages.cmake"
  DEPENDS bench "${PROJECT_SOURCE_DIR}/cmake/pages.cmake"
  COMMENT "Writing man pages and completions" VERBATIM)
add_custom_target(bench_pages ALL DEPENDS ${files})

install(FILES ${files} DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
install(FILES "${pages}/bench.bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME bench)
install(FILES "${pages}/bench.zsh" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions" RENAME _bench)
install(FILES "${pages}/bench.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
