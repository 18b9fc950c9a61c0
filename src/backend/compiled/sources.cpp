#include "backend/compiled/sources.hpp"

#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "backend/compiled/precompiled_headers.hpp"
#include "backend/embedded/embedded_headers.hpp"

namespace kalaba {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::string model_headers_text() {
  return "#include \"registers.hpp\"\n"
         "#include \"kalaba/backend/pack_work.hpp\"\n"
         "#include \"kalaba/backend/packs.hpp\"\n";
}

SourceFolder::SourceFolder(const std::string& model) {
  if (folder_.path().empty()) return;
  written_ = write("model.cpp", model) && write(model_headers, model_headers_text());
  for (const EmbeddedHeader& header : embedded_headers()) {
    if (!std::string_view(header.name).starts_with("kernels/")) written_ = written_ && write(header.name, header.text);
  }
}

bool SourceFolder::write(const std::string& name, const std::string& text) const {
  std::error_code error;
  const fs::path path = fs::path(folder_.path()) / name;
  fs::create_directories(path.parent_path(), error);
  std::ofstream file(path, std::ios::binary);
  file << text;
  return file.flush().good();
}

}  // namespace kalaba
