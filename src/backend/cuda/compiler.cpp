#include "backend/cuda/compiler.hpp"

#include "backend/cuda/nvrtc.hpp"
#include "backend/embedded/embedded_headers.hpp"
#include "kalaba/error.hpp"

namespace kalaba::cuda {
namespace {

const LoadedNvrtc& usable() {
  if (!loaded_nvrtc().problem.empty()) throw Error(ExitCode::no_backend, loaded_nvrtc().problem);
  return loaded_nvrtc();
}

const Nvrtc& nvrtc() { return usable().functions; }

/// The compiler that is here lacks its second library, or does not know an option: the architecture of a newer device.
ExitCode exit_code(nvrtcResult result) {
  const bool unfit = result == NVRTC_ERROR_BUILTIN_OPERATION_FAILURE || result == NVRTC_ERROR_INVALID_OPTION;
  return unfit ? ExitCode::no_backend : ExitCode::internal_error;
}

/// One source on its way through the compiler.
class Program {
 public:
  explicit Program(const Source& source) : source_(source) {
    std::vector<const char*> names;
    std::vector<const char*> texts;
    for (const EmbeddedHeader& header : embedded_headers()) {
      names.push_back(header.name);
      texts.push_back(header.text);
    }
    check(nvrtc().nvrtcCreateProgram(&program_, source.text.c_str(), source.name.c_str(),
                                     static_cast<int>(names.size()), texts.data(), names.data()));
  }
  ~Program() { static_cast<void>(nvrtc().nvrtcDestroyProgram(&program_)); }  // refuses only what is not a program
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void compile() {
    std::vector<const char*> options;
    for (const auto& option : source_.options) options.push_back(option.c_str());
    const nvrtcResult result = nvrtc().nvrtcCompileProgram(program_, static_cast<int>(options.size()), options.data());
    if (result != NVRTC_SUCCESS) fail(nvrtc().nvrtcGetErrorString(result) + (":\n" + log()), exit_code(result));
  }

  std::vector<char> cubin() {
    std::size_t size = 0;
    check(nvrtc().nvrtcGetCUBINSize(program_, &size));
    if (size == 0) fail("it gave no cubin; expected an option --gpu-architecture=sm_NN");
    std::vector<char> bytes(size);
    check(nvrtc().nvrtcGetCUBIN(program_, bytes.data()));
    return bytes;
  }

  std::string log() {
    std::size_t size = 0;
    check(nvrtc().nvrtcGetProgramLogSize(program_, &size));
    std::string text(size, '\0');
    check(nvrtc().nvrtcGetProgramLog(program_, text.data()));
    while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
    return text;
  }

 private:
  void check(nvrtcResult result) const {
    if (result != NVRTC_SUCCESS) fail(nvrtc().nvrtcGetErrorString(result));
  }

  [[noreturn]] void fail(const std::string& what, ExitCode code = ExitCode::internal_error) const {
    std::string options;
    for (const auto& option : source_.options) options += " " + option;
    throw Error(code, "compiling " + source_.name + " with " + compiler_version() + options + ": " + what);
  }

  const Source& source_;
  nvrtcProgram program_ = nullptr;
};

}  // namespace

const std::string& compiler_problem() { return loaded_nvrtc().problem; }

const std::string& compiler_version() { return usable().version; }

const std::string& compiler_identity() { return usable().identity; }

std::vector<char> compile(const Source& source) { return compile_with_log(source).cubin; }

Compiled compile_with_log(const Source& source) {
  Program program(source);
  program.compile();
  return {program.cubin(), program.log()};
}

}  // namespace kalaba::cuda
