# SPDX-License-Identifier: MIT
# What makes an error of memory harder to use: the settings of every target of ours, as far as the compiler and the
# linker know them. Not with sanitizers, which find such errors themselves and have checks of their own in the same places.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)

function(bench_harden target)
  foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection=full -mbranch-protection=standard -fPIE)
    string(MAKE_C_IDENTIFIER "BENCH_HAS${flag}" known)
    check_c_compiler_flag(${flag} ${known})
    if(${known})
      target_compile_options(${target} INTERFACE ${flag})
    endif()
  endforeach()
  foreach(flag -pie -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
    string(MAKE_C_IDENTIFIER "BENCH_LINKS${flag}" known)
    check_linker_flag(C ${flag} ${known})
    if(${known})
      # A shared object is no executable, and newer compilers refuse to take it for one.
      if(flag STREQUAL -pie)
        set(flag $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>)
      endif()
      target_link_options(${target} INTERFACE ${flag})
    endif()
  endforeach()
  # What is read before it is set should fail in a test, and not only where the stack happens to hold nonsense.
  check_c_compiler_flag(-ftrivial-auto-var-init=pattern BENCH_HAS_pattern_init)
  if(BENCH_HAS_pattern_init)
    target_compile_options(${target} INTERFACE $<$<CONFIG:Debug>:-ftrivial-auto-var-init=pattern>)
  endif()
  # The checks of the C library need an optimizing compiler, which level 3 is for as far as it knows how.
  target_compile_options(${target} INTERFACE $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE>
    $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=3>)
endfunction()
