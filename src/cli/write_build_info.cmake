# Run at every build: writes OUTPUT from TEMPLATE, and touches it only where the commit changed.
# Takes SOURCE_DIR, TEMPLATE, OUTPUT, version, compiler, build_type, arch, sanitizers.
set(commit "unknown")
find_program(git git)
# The top level must be the project's own, not a repository that the sources merely lie in.
if(git AND EXISTS "${SOURCE_DIR}/.git")
  execute_process(COMMAND ${git} -C ${SOURCE_DIR} describe --always --abbrev=40 --exclude=* --dirty
                  OUTPUT_VARIABLE described RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT failed)
    set(commit ${described})
  endif()
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
