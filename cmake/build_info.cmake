# Run at every build: fills build_info.h.in. configure_file leaves the file alone where nothing changed.
execute_process(COMMAND git -C "${SOURCE}" describe --always --abbrev=40 --dirty --exclude=*
  OUTPUT_VARIABLE BENCH_GIT_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
configure_file("${INPUT}" "${OUTPUT}" @ONLY)
