# Debian packages: `cpack -G DEB` in a build folder makes kalaba (the command) and libkalaba-dev (the library to link).
# They run on every CPU of KALABA_ARCH, so that the preset `package` builds for x86-64-v2.
set(CPACK_PACKAGE_CONTACT "The Kalaba developers <kalaba@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "ensembles of constrained mechanical systems")
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL program development)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)

set(description "Integrates thousands to millions of variants of one constrained
mechanical system at once: Monte Carlo studies, parameter sweeps, swarms.")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
    "${description}\nModels are stated as text, and compiled when they first run.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME kalaba)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "g++ | clang, gnuplot-nox")

set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "${description}\nThis package has the library for C++ programs, and its headers.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libkalaba-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "libeigen3-dev, libboost-dev, libxsimd-dev")

# Debian requires a copyright file in the documentation folder of every package.
set(copyright ${CMAKE_CURRENT_BINARY_DIR}/copyright)
file(WRITE ${copyright} "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Kalaba

Files: *
Copyright: The Kalaba developers
License: Apache-2.0
 On Debian systems, the Apache License 2.0 is in /usr/share/common-licenses/Apache-2.0.
")
install(FILES ${copyright} DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/kalaba COMPONENT program)
install(FILES ${copyright} DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/libkalaba-dev)
include(CPack)
