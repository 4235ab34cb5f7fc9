# SPDX-License-Identifier: MIT
# Run by CPack between installing and packing: what Debian wants otherwise than an installation has it.
set(docs "${CPACK_TEMPORARY_DIRECTORY}/usr/share/doc/bench")
file(RENAME "${docs}/LICENSE" "${docs}/copyright")
file(RENAME "${docs}/CHANGELOG.md" "${docs}/changelog")
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # of SOURCE_DATE_EPOCH, where it is set
file(WRITE "${docs}/changelog.Debian" "bench (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * Packed by CPack; changelog.gz has what changed.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
file(GLOB pages "${CPACK_TEMPORARY_DIRECTORY}/usr/share/man/man1/*.1")
execute_process(COMMAND gzip -9n "${docs}/changelog" "${docs}/changelog.Debian" ${pages} COMMAND_ERROR_IS_FATAL ANY)
