#include "host_compiler.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "rewrite.hpp"

namespace kalaba::emulated {

namespace {

namespace fs = std::filesystem;

/// A folder under the system's temporary one that goes when its owner goes.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "kalaba_emulated_nvrtc_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make the folder " + name);
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const fs::path& path() const { return path_; }
  std::string read(const std::string& name) const {
    std::ifstream file(path_ / name, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  void write(const std::string& name, const std::string& text) const {
    const fs::path file = (path_ / name).lexically_normal();
    const bool inside = !fs::path(name).is_absolute() && file.string().starts_with(path_.string() + "/");
    if (!inside) throw std::runtime_error("the header name " + name + " leaves the folder");
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }

 private:
  fs::path path_;
};

/// Runs the compiler in the folder, where the sources lie under short names, its words going to `log`.
bool run_compiler(const ScratchFolder& folder, std::vector<std::string> words) {
  words.insert(words.begin(), KALABA_HOST_COMPILER);
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder.path().c_str());
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "log", O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = 0;
  const int failure = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) throw std::runtime_error("cannot run " KALABA_HOST_COMPILER);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::vector<std::string> split(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// Preprocesses, rewrites, compiles. Names inside are relative, so that the same input gives the same bytes.
bool build(const ScratchFolder& folder, const std::string& name, const std::vector<std::string>& options) {
  const std::vector<std::string> flags = split("-std=c++20 -O1 -fPIC -fno-strict-aliasing -w " KALABA_HOST_FLAGS);
  auto preprocess = flags;
  for (const char* word : {"-E", "-I.", "-include", KALABA_EMULATION_FOLDER "/cuda_words.hpp"}) {
    preprocess.emplace_back(word);
  }
  preprocess.insert(preprocess.end(), options.begin(), options.end());
  for (const std::string& word :
       {std::string("-x"), std::string("c++"), name, std::string("-o"), std::string("text")}) {
    preprocess.push_back(word);
  }
  if (!run_compiler(folder, preprocess)) return false;
  folder.write("kernel.ii", rewrite(folder.read("text")));
  auto link = flags;
  for (const char* word : {"-shared", "-Wl,-Bsymbolic", "kernel.ii", "-o", "library"}) link.emplace_back(word);
  return run_compiler(folder, link);
}

}  // namespace

Compilation compile(const std::string& name, const std::string& source,
                    const std::vector<std::pair<std::string, std::string>>& headers,
                    const std::vector<std::string>& options) {
  Compilation result;
  try {
    const ScratchFolder folder;
    for (const auto& [header, text] : headers) folder.write(header, text);
    folder.write(name, source);
    result.good = build(folder, name, options);
    result.log = folder.read("log");
    if (result.good) result.binary = folder.read("library");
  } catch (const std::exception& failure) {
    result.log += std::string("emulated NVRTC: ") + failure.what() + "\n";
  }
  return result;
}

}  // namespace kalaba::emulated
