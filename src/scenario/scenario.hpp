#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kalaba/run.hpp"
#include "kalaba/starts.hpp"
#include "kalaba/system.hpp"
#include "scenario/document/given_arrays.hpp"

namespace kalaba {

struct TextSystem;

/// A file beside the scenario that it takes numbers from.
struct InputFile {
  std::string path;
  std::string where;  ///< how a complaint of it begins: place and key
};

/// Throws Error(bad_input) where what a `writer` ("run") writes would replace one of the files that it reads.
void refuse_to_overwrite(std::span<const InputFile> inputs, const std::string& written, std::string_view writer);

/// A scenario that was read and found right.
struct Scenario {
  std::shared_ptr<const System> system;  ///< of the systems given, or made for the scenario
  Options options;
  bool holds_by_default = false;  ///< start_rule is keep_given, and the scenario does not say so
  StartRule start_rule = StartRule::project;  ///< the source keeps it, but for what a run does itself: to project
  long members = 1;
  std::uint64_t seed = 1;
  std::shared_ptr<const MemberSource> source;  ///< the sampler
  std::string output_file;                     ///< empty: none asked for
  std::uint64_t inputs = 0;                    ///< fingerprint of the numbers that were read from other files
  std::vector<InputFile> input_files;          ///< these, as often as they are named
  std::vector<std::string> notes;              ///< what to know of them, and of the model, a line each
  std::shared_ptr<const TextSystem> model;     ///< where the system's model is a text
  std::string member_formula;                  ///< a variable that is an expression of others; "": there is none
  /// The complete effective scenario as TOML, after overrides and defaults; reading it again gives the same run.
  std::string text;
};

/// Reads a scenario. `source` is a path to a TOML file (anything that contains '/' or ends in .toml; "-": the standard
/// input) or the name of a system. `overrides` are "key=value" with full keys ("time.end=3",
/// "parameters.L={uniform=[0.5, 2]}"); the value is TOML, or text without quotes. `systems` must outlive the scenario.
///
/// Relative paths of CSV files start at the scenario file's folder, those of overrides at the current directory.
/// Throws Error naming the file and line (or the override), the key, what was expected and what was found.
Scenario load_scenario(const std::string& source, const std::vector<std::string>& overrides,
                       const std::vector<System>& systems = catalogue());

/// Likewise from the text of a scenario, which messages call `name`.
Scenario load_scenario_text(const std::string& text, const std::string& name, const std::vector<std::string>& overrides,
                            const std::vector<System>& systems = catalogue());

/// Likewise, with the arrays that the text names.
Scenario load_given_scenario(const std::string& text, const std::string& name, const GivenArrays& arrays,
                             const std::vector<System>& systems = catalogue());

/// What `Scenario::text` says of the run itself, without its members, which it may have from files that have changed
/// since: the system, seed, output file, and options but for Options::statistics.inputs and .groups.
Scenario load_run_text(const std::string& text, const std::string& name,
                       const std::vector<System>& systems = catalogue());

/// A commented scenario to start from, which load_scenario accepts as it stands.
std::string scenario_template(const System& system);

}  // namespace kalaba
