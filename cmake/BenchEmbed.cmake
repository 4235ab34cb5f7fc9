# bench_embed(TARGET SYMBOL FILE): makes the text of FILE a NUL-terminated array
# `const char SYMBOL[]` in a source of TARGET. FILE is relative to the project's root.
function(bench_embed target symbol file)
  set(input "${PROJECT_SOURCE_DIR}/${file}")
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${symbol}.c")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" -DINPUT=${input} -DOUTPUT=${output} -DSYMBOL=${symbol}
      -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
    DEPENDS "${input}" "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
    COMMENT "Embedding ${file}" VERBATIM)
  target_sources(${target} PRIVATE "${output}")
endfunction()
