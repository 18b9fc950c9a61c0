# Writes the headers that the compiler reads at run time into a C++ file, which defines embedded_headers() of
# embedded_headers.hpp. Run while building, so that a changed header is embedded anew:
#
#   file(GLOB device_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/kalaba/core/*.hpp
#        ${PROJECT_SOURCE_DIR}/include/kalaba/systems/*.hpp ${PROJECT_SOURCE_DIR}/include/kalaba/swarm/*_law.hpp
#        ${PROJECT_SOURCE_DIR}/include/kalaba/swarm/pair_sum.hpp ${PROJECT_SOURCE_DIR}/kernels/*.hpp
#        ${PROJECT_SOURCE_DIR}/kernels/*.cuh)
#   add_custom_command(OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/embedded_headers.cpp
#     COMMAND ${CMAKE_COMMAND} -D SOURCE_DIR=${PROJECT_SOURCE_DIR}
#             -D OUTPUT=${CMAKE_CURRENT_BINARY_DIR}/embedded_headers.cpp
#             -P ${CMAKE_CURRENT_SOURCE_DIR}/backend/cuda/embed_headers.cmake
#     DEPENDS ${device_headers} backend/cuda/embed_headers.cmake VERBATIM)
#
# Each header is included by its path below SOURCE_DIR/include, or below SOURCE_DIR for the kernels.
cmake_minimum_required(VERSION 3.25)

foreach(needed SOURCE_DIR OUTPUT)
  if(NOT DEFINED ${needed})
    message(FATAL_ERROR "embed_headers.cmake: ${needed} is not set; expected -D ${needed}=PATH")
  endif()
endforeach()

file(GLOB below_include RELATIVE ${SOURCE_DIR}/include ${SOURCE_DIR}/include/kalaba/core/*.hpp
     ${SOURCE_DIR}/include/kalaba/systems/*.hpp ${SOURCE_DIR}/include/kalaba/swarm/*_law.hpp
     ${SOURCE_DIR}/include/kalaba/swarm/pair_sum.hpp)
file(GLOB kernels RELATIVE ${SOURCE_DIR} ${SOURCE_DIR}/kernels/*.hpp ${SOURCE_DIR}/kernels/*.cuh)
if(NOT below_include OR NOT kernels)
  message(FATAL_ERROR "embed_headers.cmake: found no headers in SOURCE_DIR = ${SOURCE_DIR}; expected Kalaba's sources")
endif()
list(FILTER kernels EXCLUDE REGEX statistics)  # for nvcc: they read Thrust
set(names ${below_include} ${kernels})
list(SORT names COMPARE STRING)

set(entries "")
foreach(name IN LISTS names)
  set(path ${SOURCE_DIR}/include/${name})
  if(name MATCHES "^kernels/")
    set(path ${SOURCE_DIR}/${name})
  endif()
  file(READ ${path} text)
  # A raw string ends at its delimiter alone; a text that holds its own hash does not exist.
  string(SHA256 hash "${text}")
  string(SUBSTRING ${hash} 0 16 delimiter)
  string(APPEND entries "    {\"${name}\", R\"${delimiter}(${text})${delimiter}\"},\n")
endforeach()

file(WRITE ${OUTPUT} "// Written by embed_headers.cmake.

#include \"backend/cuda/embedded_headers.hpp\"

namespace kalaba::cuda {
namespace {

constexpr EmbeddedHeader all[] = {
${entries}};

}  // namespace

std::span<const EmbeddedHeader> embedded_headers() { return all; }

}  // namespace kalaba::cuda
")
