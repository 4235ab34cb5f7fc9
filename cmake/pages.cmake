# SPDX-License-Identifier: MIT
# Run at build: writes the man pages and completions that BENCH prints to OUTPUT. VERBS is a list.
file(MAKE_DIRECTORY "${OUTPUT}")
foreach(verb "" ${VERBS})
  string(REGEX REPLACE "(.+)" "-\\1" suffix "${verb}")
  execute_process(COMMAND "${BENCH}" --man ${verb} OUTPUT_FILE "${OUTPUT}/bench${suffix}.1" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
foreach(shell bash zsh fish)
  execute_process(COMMAND "${BENCH}" --completion ${shell} OUTPUT_FILE "${OUTPUT}/bench.${shell}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
