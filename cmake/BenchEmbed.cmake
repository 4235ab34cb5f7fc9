# SPDX-License-Identifier: MIT
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

# bench_embed_folder(TARGET TABLE FOLDER SUFFIX): embeds the files in FOLDER's subfolders that end in .SUFFIX, and makes
# their table `const struct bench_embedded TABLE[]`, which ends with NULL: core/embedded.h. The next build finds a new file.
function(bench_embed_folder target table folder suffix)
  file(GLOB files CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/${folder}" "${PROJECT_SOURCE_DIR}/${folder}/*/*.${suffix}")
  foreach(file ${files})
    string(MAKE_C_IDENTIFIER "${table}_${file}" symbol)
    bench_embed(${target} ${symbol} "${folder}/${file}")
    string(APPEND declarations "extern const char ${symbol}[];\n")
    string(APPEND rows "\t{\"${file}\", ${symbol}},\n")
  endforeach()
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${table}.c")
  file(CONFIGURE OUTPUT "${output}" @ONLY CONTENT
    "#include \"core/embedded.h\"\n\n@declarations@\nconst struct bench_embedded @table@[] = {\n@rows@\t{0},\n};\n")
  target_sources(${target} PRIVATE "${output}")
endfunction()
