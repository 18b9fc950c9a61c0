// NVRTC as far as Kalaba uses it, for machines without one that could run what it makes: see host_compiler.hpp.

#include <nvrtc.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "environment.hpp"
#include "host_compiler.hpp"

struct _nvrtcProgram {
  std::string source;
  std::string name;
  std::vector<std::pair<std::string, std::string>> headers;
  bool compiled = false;
  bool virtual_architecture = false;  ///< compute_..: there is no cubin
  kalaba::emulated::Compilation result;
};

namespace {

/// What a CPU has no use for. NVRTC refuses what it does not know, and so does this.
constexpr auto dropped = std::to_array<std::string_view>({"std",
                                                          "maxrregcount",
                                                          "use_fast_math",
                                                          "fmad",
                                                          "ftz",
                                                          "prec-div",
                                                          "prec-sqrt",
                                                          "restrict",
                                                          "device-debug",
                                                          "G",
                                                          "generate-line-info",
                                                          "lineinfo",
                                                          "dopt",
                                                          "Ofast-compile",
                                                          "extra-device-vectorization",
                                                          "device-as-default-execution-space",
                                                          "default-device",
                                                          "disable-warnings",
                                                          "w",
                                                          "Werror",
                                                          "display-error-number",
                                                          "no-display-error-number",
                                                          "err-no",
                                                          "diag-suppress",
                                                          "diag-error",
                                                          "diag-warn",
                                                          "relocatable-device-code",
                                                          "rdc",
                                                          "split-compile",
                                                          "minimal",
                                                          "builtin-move-forward",
                                                          "builtin-initializer-list",
                                                          "no-source-include",
                                                          "ptxas-options",
                                                          "Xptxas",
                                                          "time"});

/// Sorts the options: -D, -U and -I go to the host's compiler. Returns the first unknown one, or nothing.
class Options {
 public:
  explicit Options(std::vector<std::string> words) : words_(std::move(words)) {}

  std::string read() {
    for (next_ = 0; next_ < words_.size(); ++next_) {
      if (!read_one(words_[next_])) return words_[next_];
    }
    return {};
  }
  const std::vector<std::string>& handed_on() const { return handed_on_; }
  bool virtual_architecture() const { return virtual_architecture_; }

 private:
  bool read_one(const std::string& word) {
    if (!word.starts_with('-') || word.size() < 2) return false;
    for (const auto& [spelling, letter] :
         {std::pair{"--define-macro", 'D'}, {"--undefine-macro", 'U'}, {"--include-path", 'I'}}) {
      if (word.starts_with(spelling)) return hand_on(letter, value(word, std::strlen(spelling)));
    }
    if (word[1] == 'D' || word[1] == 'U' || word[1] == 'I') return hand_on(word[1], value(word, 2));
    const std::string name = word.substr(word.find_first_not_of('-'));
    const std::string key = name.substr(0, name.find('='));
    if (key == "gpu-architecture" || key == "arch") {
      virtual_architecture_ = value(word, word.find(key) + key.size()).starts_with("compute_");
      return true;
    }
    return std::find(dropped.begin(), dropped.end(), key) != dropped.end();
  }
  /// What follows the option's name, after `=`, at once or as the next word.
  std::string value(const std::string& word, std::size_t from) {
    if (from < word.size()) return word.substr(from + (word[from] == '=' ? 1 : 0));
    return next_ + 1 < words_.size() ? words_[++next_] : std::string();
  }
  bool hand_on(char letter, const std::string& text) {
    const bool folder = letter == 'I';  // the compiler works in another one than ours
    handed_on_.push_back(std::string("-") + letter + (folder ? std::filesystem::absolute(text).string() : text));
    return !text.empty();
  }

  std::vector<std::string> words_;
  std::size_t next_ = 0;
  std::vector<std::string> handed_on_;
  bool virtual_architecture_ = false;
};

nvrtcResult give(const std::string& bytes, char* out) {
  if (out == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  std::copy(bytes.begin(), bytes.end(), out);
  return NVRTC_SUCCESS;
}

}  // namespace

extern "C" {

nvrtcResult nvrtcVersion(int* major, int* minor) {
  if (major == nullptr || minor == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *major = 13;
  *minor = 0;
  return NVRTC_SUCCESS;
}

const char* nvrtcGetErrorString(nvrtcResult result) {
  switch (result) {
    case NVRTC_SUCCESS:
      return "NVRTC_SUCCESS";
    case NVRTC_ERROR_INVALID_INPUT:
      return "NVRTC_ERROR_INVALID_INPUT";
    case NVRTC_ERROR_INVALID_PROGRAM:
      return "NVRTC_ERROR_INVALID_PROGRAM";
    case NVRTC_ERROR_INVALID_OPTION:
      return "NVRTC_ERROR_INVALID_OPTION";
    case NVRTC_ERROR_COMPILATION:
      return "NVRTC_ERROR_COMPILATION";
    default:
      return "NVRTC_ERROR unknown";
  }
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source, const char* name, int header_count,
                               const char* const* headers, const char* const* include_names) {
  if (program == nullptr || source == nullptr || header_count < 0) return NVRTC_ERROR_INVALID_INPUT;
  if (header_count > 0 && (headers == nullptr || include_names == nullptr)) return NVRTC_ERROR_INVALID_INPUT;
  auto* made = new _nvrtcProgram;
  made->source = source;
  made->name = name == nullptr || *name == '\0' ? "default_program" : name;
  for (int i = 0; i < header_count; ++i) made->headers.emplace_back(include_names[i], headers[i]);
  *program = made;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  if (program == nullptr || *program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  delete *program;
  *program = nullptr;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int option_count, const char* const* words) {
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  if (option_count < 0 || (option_count > 0 && words == nullptr)) return NVRTC_ERROR_INVALID_INPUT;
  Options options(std::vector<std::string>(words, words + option_count));
  if (kalaba::emulated::fault() == "compiler") std::abort();
  program->result = {};
  program->compiled = true;
  if (const std::string unknown = options.read(); !unknown.empty()) {
    program->result.log = "nvrtc: error: unrecognized option " + unknown + "\n";
    return NVRTC_ERROR_INVALID_OPTION;
  }
  program->virtual_architecture = options.virtual_architecture();
  program->result = kalaba::emulated::compile(program->name, program->source, program->headers, options.handed_on());
  return program->result.good ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t* size) {
  if (program == nullptr || !program->compiled) return NVRTC_ERROR_INVALID_PROGRAM;
  if (size == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *size = program->virtual_architecture ? 0 : program->result.binary.size();
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* cubin) {
  if (program == nullptr || !program->compiled || program->virtual_architecture) return NVRTC_ERROR_INVALID_PROGRAM;
  return give(program->result.binary, cubin);
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t* size) {
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  if (size == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *size = program->result.log.size() + 1;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) {
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  return give(program->result.log + '\0', log);
}

}  // extern "C"
