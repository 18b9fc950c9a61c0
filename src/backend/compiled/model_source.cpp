#include "backend/compiled/model_source.hpp"

#include <algorithm>

#include "backend/compiled/precompiled_headers.hpp"
#include "backend/device_code.hpp"
#include "backend/embedded/embedded_headers.hpp"
#include "backend/pack_mathematics.hpp"

namespace kalaba {

std::string key_of(const ModelSource& source) {
  Fingerprint key;
  key.add(embedded_headers_fingerprint());
  key.add(source.text);
  return key.hex();
}

ModelSource model_source(const DeviceCode& stated, const Options& options, bool counts) {
  const DeviceCode model = code_for(stated, options);
  const bool is_single = options.precision == Precision::single_precision;
  const bool adapting = adapts(options.method.integrator);
  const bool watches = options.watch.any();
  const auto number = [](auto value) { return std::to_string(static_cast<int>(value)); };
  const std::string real = is_single ? "float" : "double";
  std::string numbers =
      counts ? "Counted" : "Pack<" + real + ", " + number(pack_level().lanes * (is_single ? 2 : 1)) + ">";
  ModelSource source;
  source.operations = model.operations;
  // With different steps per pack, and with events, packs in flight would wait for each other.
  if (!counts && !adapting && !watches && options.sensitivities.of.empty() && model.packs_in_flight) {
    source.unrolls = true;
    numbers = "Packs<" + numbers + ", RunModel::packs_in_flight>";
  }
  source.text = std::string(counts ? "#include \"counted.hpp\"\n" : "") + "#include \"" + model_headers + "\"\n" +
                model.text + "struct RunModel : " + model.type +
                " {\n"
                "  static constexpr auto stabilized_by = kalaba::Stabilization::Kind(" +
                number(options.method.stabilization.kind) +
                ");\n"
                "};\n"
                "extern \"C\" __attribute__((visibility(\"default\"))) void kalaba_model(\n"
                "    kalaba::MemberFunctions* functions, const kalaba::PackMathematics<" +
                real +
                ">* mathematics) {\n"
                "  using namespace kalaba;\n"
                "  kalaba::mathematics<" +
                real +
                "> = *mathematics;\n"
                "  *functions = model_functions<RunModel, " +
                numbers + ", PseudoInverse(" + number(options.method.pseudo_inverse) + "), " + "LoopOf<Integrator(" +
                number(options.method.integrator) + ")>::Loop, " + (watches ? "true" : "false") + ">();\n" +
                (counts ? "  functions->operations = &operations;\n" : "") + "}\n";
  source.is_long = std::ranges::count(source.text, '\n') > most_lines_optimized;
  return source;
}

}  // namespace kalaba
