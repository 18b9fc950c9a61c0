#include "backend/cuda/compiler.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <exception>
#include <mutex>
#include <utility>

#include "backend/cuda/child_process.hpp"
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

/// no_backend: the compiler lacks its second library or does not support an option, such as the architecture of a newer
/// device.
ExitCode exit_code(nvrtcResult result) {
  const bool unfit = result == NVRTC_ERROR_BUILTIN_OPERATION_FAILURE || result == NVRTC_ERROR_INVALID_OPTION;
  return unfit ? ExitCode::no_backend : ExitCode::internal_error;
}

/// "compiling pendulum (motion) with NVRTC 13.0 --std=c++20: "
std::string subject(const Source& source) {
  std::string options;
  for (const auto& option : source.options) options += " " + option;
  return "compiling " + source.name + " with " + compiler_version() + options + ": ";
}

/// One compilation.
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
  ~Program() { static_cast<void>(nvrtc().nvrtcDestroyProgram(&program_)); }  // fails only for an invalid program
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
    throw Error(code, subject(source_) + what);
  }

  const Source& source_;
  nvrtcProgram program_ = nullptr;
};

/// Result of the child process that compiles, as bytes: the lengths first.
struct Reply {
  std::int64_t error = 0;  ///< an ExitCode; 0: compiled
  std::string text;        ///< the compiler's log, or the message of the error
  std::vector<char> cubin;

  std::vector<char> packed() const {
    const std::array<std::int64_t, 2> head = {error, static_cast<std::int64_t>(text.size())};
    std::vector<char> bytes(sizeof head + text.size() + cubin.size());
    std::memcpy(bytes.data(), head.data(), sizeof head);
    std::ranges::copy(cubin, std::ranges::copy(text, bytes.begin() + sizeof head).out);
    return bytes;
  }
  static Reply unpacked(const std::vector<char>& bytes) {
    std::array<std::int64_t, 2> head = {};
    std::memcpy(head.data(), bytes.data(), sizeof head);
    const auto text = bytes.begin() + sizeof head;
    return {head[0], {text, text + head[1]}, {text + head[1], bytes.end()}};
  }
};

Reply compiled(const Source& source) {
  try {
    Program program(source);
    program.compile();
    return {0, program.log(), program.cubin()};
  } catch (const Error& error) {
    return {static_cast<std::int64_t>(error.code()), error.what(), {}};
  } catch (const std::exception& error) {
    return {static_cast<std::int64_t>(ExitCode::internal_error), subject(source) + error.what(), {}};
  }
}

}  // namespace

const std::string& compiler_problem() { return loaded_nvrtc().problem; }

const std::string& compiler_version() { return usable().version; }

const std::string& compiler_identity() { return usable().identity; }

const std::string& compiler_file() { return usable().file; }

std::vector<char> compile(const Source& source) { return compile_with_log(source).cubin; }

Compiled compile_with_log(const Source& source) {
  static std::mutex compiling;  // no other thread is inside NVRTC when the process forks
  usable();
  embedded_headers();
  const ChildResult result = [&] {
    const std::lock_guard lock(compiling);
    return in_child_process([&] { return compiled(source).packed(); });
  }();
  if (!result.failure.empty()) {
    throw Error(ExitCode::no_backend, subject(source) + "the compiler ended by " + result.failure +
                                          "; install another version of NVRTC, for example by `pip install "
                                          "nvidia-cuda-nvrtc`, or use the backend \"cpu\"");
  }
  Reply reply = Reply::unpacked(result.bytes);
  if (reply.error != 0) throw Error(static_cast<ExitCode>(reply.error), reply.text);
  return {std::move(reply.cubin), std::move(reply.text)};
}

}  // namespace kalaba::cuda
