#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "kalaba/options.hpp"

namespace kalaba {

/// Access to a scalar member of Options. Whole numbers, flags and enumerators are converted to double.
struct OptionMember {
  double (*get)(const Options&);
  void (*set)(Options&, double);
};

/// Member at the end of a path: member_at<&Options::method, &Method::rank_tolerance>.
template <auto... path>
inline constexpr OptionMember member_at = {
    [](const Options& options) { return static_cast<double>((options.*....*path)); },
    [](Options& options, double value) {
      auto& member = (options.*....*path);
      member = static_cast<std::remove_reference_t<decltype(member)>>(value);
    }};

/// Values that a number may have.
struct OptionRange {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool has_least = true;      ///< the least value itself is permitted
  bool has_most = true;       ///< the greatest value itself is permitted
  const char* least_is = "";  ///< meaning of the least value, for messages: "100 epsilon"
};

/// A number or a count.
struct NumberOption {
  OptionMember member;
  OptionRange range = {};
  OptionRange single_range = range;  ///< range in single precision
  bool is_whole = false;
  bool may_be_unset = false;       ///< 0 means that the option is not set
  std::vector<double> among = {};  ///< the permitted values, if not all values of the range are
  const char* unit = "";           ///< in messages: " of seconds"
};
/// True or false.
struct FlagOption {
  OptionMember member;
};
/// One of several words.
struct ChoiceOption {
  OptionMember member;
  std::vector<std::pair<double, std::string_view>> choices;  ///< values and their words
};
/// RunOption with a form of its own in scenario files (src/scenario/read_options.cpp).
enum class OptionForm {
  save_every,
  save_at,
  stabilization,
  devices,
  fields,
  statistics,
  quantiles,
  histogram,
  group_by
};

/// Runs that an option is for.
enum class OptionUse {
  all,
  adaptive_steps,  ///< refused with equal steps
  members,         ///< not listed in the template of a swarm
  swarms           ///< refused for other systems
};

/// Place of an option in the template of a scenario.
enum class InTemplate {
  value,       ///< with its value
  comment,     ///< as a comment that may be uncommented
  alternative  ///< as a comment: valid with another choice of other options
};

/// Everything about an option that its readers and writers need. An option is a member of Options and a row of the
/// table; scenario files, templates, messages, docs/scenario.md, the checks of a run and Python read the row.
struct RunOption {
  std::string_view key;  ///< in scenario files: "solver.rank_tolerance"
  std::variant<NumberOption, FlagOption, ChoiceOption, OptionForm> value;
  std::string meaning;
  InTemplate in_template = InTemplate::comment;
  OptionUse use = OptionUse::all;
  const char* default_text = "";                        ///< "": the value in Options
  const char* example = "";                             ///< in the template; "": the default
  const char* page = "";                                ///< further reading, in docs/
  std::optional<double> single_default = std::nullopt;  ///< default in single precision, if it differs
  bool keeps_bits = false;                              ///< a run may be resumed with another value

  std::string_view table() const { return key.substr(0, key.find('.')); }
  std::string_view name() const { return key.substr(key.find('.') + 1); }
};

/// All options of a run, in the order in which they are read and written.
const std::vector<RunOption>& option_table();

/// Returns true if such a run may have the option.
bool is_available(const RunOption& option, const Options& options, bool is_swarm);
/// Returns true if the number may have this value, besides 0 for "not set".
bool permits(const NumberOption& number, Precision precision, double value);
/// Description of the permitted values for a message: "a number between 0 and 1".
std::string expected_values(const NumberOption& number, Precision precision);
/// Sets the values that differ in single precision.
void set_single_defaults(Options& options);

/// Smallest relative tolerance; below it the estimated error of an adaptive step is rounding error.
constexpr double least_relative_tolerance(Precision precision) {
  return 100 * (precision == Precision::single_precision ? double{std::numeric_limits<float>::epsilon()}
                                                         : std::numeric_limits<double>::epsilon());
}

}  // namespace kalaba
