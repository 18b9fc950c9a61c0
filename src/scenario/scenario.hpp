#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kalaba/option_table.hpp"
#include "kalaba/run.hpp"
#include "kalaba/starts.hpp"
#include "kalaba/system.hpp"
#include "scenario/document/given_arrays.hpp"

namespace kalaba {

struct TextSystem;

/// File outside the scenario from which it reads numbers.
struct InputFile {
  std::string path;
  std::string where;  ///< beginning of an error message: place and key
};

/// Throws Error(bad_input) if the output of a `writer` ("run") would replace one of the files that it reads.
void refuse_to_overwrite(std::span<const InputFile> inputs, const std::string& written, std::string_view writer);

/// Scenario that was read and is valid.
struct Scenario {
  std::shared_ptr<const System> system;  ///< one of the given systems, or one constructed for the scenario
  Options options;
  bool holds_by_default = false;              ///< start_rule is keep_given by default, not by the scenario
  StartRule start_rule = StartRule::project;  ///< applied by the source, except projection, which the run performs
  long members = 1;
  std::uint64_t seed = 1;
  std::shared_ptr<const MemberSource> source;  ///< sampler of the members
  std::string output_file;                     ///< empty: none
  std::uint64_t inputs = 0;                    ///< fingerprint of the numbers that were read from other files
  std::vector<InputFile> input_files;          ///< the files themselves, once per use
  std::vector<std::string> notes;              ///< remarks on them and on the model, one line each
  std::shared_ptr<const TextSystem> model;     ///< if the system's model is a text; else null
  std::string member_formula;                  ///< a variable that is an expression of others; "": none
  /// Complete effective scenario as TOML, with overrides and defaults; reading it again gives the same run.
  std::string text;
};

/// Reads a scenario. `source`: path of a TOML file (a text that contains '/' or ends in .toml; "-": the standard
/// input), or the name of a system. `overrides`: "key=value" with full keys ("time.end=3", "parameters.L={uniform=[0.5,
/// 2]}"); the value is TOML, or text without quotes. `systems` must outlive the scenario.
///
/// Relative paths of CSV files are relative to the scenario file's folder, in overrides to the current directory.
/// Throws Error naming the file and line (or the override), the key, the expected and the actual value.
Scenario load_scenario(const std::string& source, const std::vector<std::string>& overrides,
                       const std::vector<System>& systems = catalogue());

/// Reads the text of a scenario, which messages call `name`.
Scenario load_scenario_text(const std::string& text, const std::string& name, const std::vector<std::string>& overrides,
                            const std::vector<System>& systems = catalogue());

/// Reads the text of a scenario, with the arrays that the text names.
Scenario load_given_scenario(const std::string& text, const std::string& name, const GivenArrays& arrays,
                             const std::vector<System>& systems = catalogue());

/// Reads the run's part of Scenario::text, without its members, whose files may have changed since: the system, seed,
/// output file, and the options except Options::statistics.inputs and .groups.
Scenario load_run_text(const std::string& text, const std::string& name,
                       const std::vector<System>& systems = catalogue());

/// Commented scenario to start from; load_scenario accepts it without changes.
std::string scenario_template(const System& system, std::span<const RunOption> rows = option_table());

}  // namespace kalaba
