#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "backend/compiled/object.hpp"
#include "backend/compiled/process.hpp"
#include "backend/embedded/embedded_headers.hpp"

namespace kalaba {
namespace {

namespace fs = std::filesystem;

/// A folder of its own that goes with its owner, unless it is to be kept.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code error;
    const fs::path place = fs::temp_directory_path(error);
    std::string name = ((error ? fs::path("/tmp") : place) / "kalaba-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty() && !keeps_) fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  bool is_there() const { return !path_.empty(); }
  void keep() { keeps_ = true; }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

  bool write(const std::string& name, const std::string& text) const {
    std::error_code error;
    fs::create_directories((path_ / name).parent_path(), error);
    std::ofstream file(path_ / name, std::ios::binary);
    file << text;
    return file.flush().good();
  }

 private:
  fs::path path_;
  bool keeps_ = false;
};

bool write_sources(const ScratchFolder& folder, const std::string& source) {
  bool good = folder.write("model.cpp", source);
  for (const EmbeddedHeader& header : embedded_headers()) {
    if (!std::string(header.name).starts_with("kernels/")) good = good && folder.write(header.name, header.text);
  }
  return good;
}

std::vector<char> read_bytes(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The line of a compiler's output that says most: the first with an error, or else its last.
std::string telling_line(const std::string& output) {
  constexpr std::size_t longest = 200;
  std::size_t at = output.find("error");
  if (at == std::string::npos) at = output.find_last_not_of('\n');
  if (at == std::string::npos) return "";
  const std::size_t begin = output.rfind('\n', at) + 1;  // 0 where there is none
  std::string line = output.substr(begin, output.find('\n', at) - begin).substr(0, longest);
  for (char& each : line) {
    if (static_cast<unsigned char>(each) < ' ') each = ' ';
  }
  return line.empty() ? "" : ": " + line;
}

}  // namespace

CompiledObject compile_object(const HostCompiler& compiler, const std::string& source, double most_seconds) {
  ScratchFolder folder;
  if (!folder.is_there() || !write_sources(folder, source)) {
    return {{}, "the temporary folder cannot be written (TMPDIR names another)"};
  }
  std::vector<std::string> words = compiler.words;
  words.insert(words.end(), compiler.flags.begin(), compiler.flags.end());
  for (const std::string& word : {"-I" + (folder / ""), folder / "model.cpp", std::string("-o"), folder / "model.so"}) {
    words.push_back(word);
  }
  const ProcessResult result = run_process(words, most_seconds);
  if (result.succeeded) return {read_bytes(folder / "model.so"), ""};
  folder.keep();
  return {
      {},
      compiler.name + " " + result.failure + telling_line(result.output) + " (kept: " + (folder / "model.cpp") + ")"};
}

}  // namespace kalaba
