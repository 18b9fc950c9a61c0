#include "kalaba/compiled_source.hpp"

#include <set>
#include <string_view>

#include "backend/backends.hpp"
#include "backend/compiled/model_source.hpp"
#include "backend/compiled/precompiled_headers.hpp"
#include "backend/compiled/sources.hpp"
#include "backend/embedded/embedded_headers.hpp"
#include "kalaba/error.hpp"

namespace kalaba {
namespace {

/// Replaces the includes of embedded headers in a text by their contents, each once.
class Amalgamation {
 public:
  void add(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      constexpr std::string_view include = "#include \"";
      if (line.starts_with(include)) {
        add_header(std::string(line.substr(include.size(), line.rfind('"') - include.size())));
      } else if (line != "#pragma once") {
        text_.append(line).push_back('\n');
      }
    }
  }
  std::string text() const { return text_; }

 private:
  void add_header(const std::string& name) {
    if (!added_.insert(name).second) return;
    if (name == model_headers) return add(model_headers_text());
    for (const EmbeddedHeader& each : embedded_headers()) {
      if (name == each.name) return add(each.text);
    }
    throw Error(ExitCode::internal_error, "no embedded header is called " + name);
  }

  std::set<std::string> added_;
  std::string text_;
};

}  // namespace

std::string compiled_source(const System& system, const Options& requested) {
  if (system.info.agents > 0 || system.device_code.type.empty()) {
    throw Error(ExitCode::bad_input, system.info.name + ": its formulas are not available, so that it has no source");
  }
  const Options options = options_to_compile(system, requested);
  const ModelSource source = model_source(system.device_code, options);
  const std::string key = key_of(source);
  Amalgamation whole;
  whole.add(source.text);
  return "// " + system.info.name +
         ", compiled for one set of options; written by kalaba::compiled_source. Compile it with -O" +
         (source.unrolls ? "3" : "2") +
         "\n// -ffp-contract=off and the -march of the library, and link it with the program.\n"
         "#define kalaba kalaba_" +
         key + "\n#define kalaba_model kalaba_model_" + key + "\n" + whole.text() +
         "#undef kalaba\n"
         "extern \"C\" int kalaba_link_model(const char* key, void (*entry)(void* functions, const void* "
         "mathematics));\n"
         "[[maybe_unused]] static const int kalaba_linked = kalaba_link_model(\n    \"" +
         key + "\", reinterpret_cast<void (*)(void*, const void*)>(&kalaba_model));\n";
}

}  // namespace kalaba
