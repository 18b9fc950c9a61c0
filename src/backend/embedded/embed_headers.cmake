# Writes the headers that compilers read at run time into a C++ file, which defines embedded_headers() of
# embedded_headers.hpp. Run while building, so that a changed header is embedded anew:
#
#   cmake -D SOURCE_DIR=... -D OUTPUT=embedded_headers.cpp -D "HEADERS=PATH;..." -P embed_headers.cmake
#
# Each header is included by its path below SOURCE_DIR/include, or below SOURCE_DIR/src/backend/compiled, or else below
# SOURCE_DIR.
cmake_minimum_required(VERSION 3.25)

foreach(needed SOURCE_DIR OUTPUT HEADERS)
  if(NOT ${needed})
    message(FATAL_ERROR "embed_headers.cmake: ${needed} is not set; expected -D ${needed}=...")
  endif()
endforeach()

set(places ${SOURCE_DIR}/include ${SOURCE_DIR}/src/backend/compiled ${SOURCE_DIR})
set(names ${HEADERS})
foreach(place IN LISTS places)
  list(TRANSFORM names REPLACE "^${place}/" "")
endforeach()
list(SORT names COMPARE STRING)

set(entries "")
foreach(name IN LISTS names)
  foreach(place IN LISTS places)
    if(EXISTS ${place}/${name})
      file(READ ${place}/${name} text)
      break()
    endif()
  endforeach()
  # A raw string ends at its delimiter alone; a text that holds its own hash does not exist.
  string(SHA256 hash "${text}")
  string(SUBSTRING ${hash} 0 16 delimiter)
  string(APPEND entries "    {\"${name}\", R\"${delimiter}(${text})${delimiter}\"},\n")
endforeach()

file(WRITE ${OUTPUT} "// Written by embed_headers.cmake.

#include \"backend/embedded/embedded_headers.hpp\"

namespace kalaba {
namespace {

constexpr EmbeddedHeader all[] = {
${entries}};

}  // namespace

std::span<const EmbeddedHeader> embedded_headers() { return all; }

}  // namespace kalaba
")
