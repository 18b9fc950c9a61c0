#include "kalaba/option_table.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "engine/system/short_text.hpp"

namespace kalaba {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr OptionRange share = {.least = 0, .most = 1, .has_least = false, .has_most = false};
constexpr OptionRange positive_numbers = {.least = 0, .has_least = false};
constexpr OptionRange tolerance_range(Precision precision) {
  return {.least = least_relative_tolerance(precision), .most = 1, .has_most = false, .least_is = "100 epsilon"};
}

constexpr bool keeps_bits = true;
constexpr std::optional<double> same_default = std::nullopt;

template <auto field>
constexpr OptionMember of_method = member_at<&Options::method, field>;
template <auto field>
constexpr OptionMember of_time = member_at<&Options::time, field>;

template <auto field>
const NumberOption step = {
    .member = of_method<field>, .range = positive_numbers, .may_be_unset = true, .unit = " of seconds"};

template <auto field>
NumberOption whole(double least, double most, std::vector<double> among = {}) {
  return {.member = member_at<field>, .range = {.least = least, .most = most}, .is_whole = true, .among = among};
}

template <auto field, class Value>
ChoiceOption choice(std::initializer_list<Value> values, std::string_view (*name)(Value)) {
  ChoiceOption result = {member_at<field>, {}};
  for (const Value value : values) result.choices.emplace_back(static_cast<double>(value), name(value));
  return result;
}

/// Names of a table of facts, with the enumerators that are its indices.
template <class Facts, std::size_t count>
std::vector<std::pair<double, std::string_view>> words_of(const Facts (&facts)[count]) {
  std::vector<std::pair<double, std::string_view>> result;
  for (const Facts& each : facts) result.emplace_back(static_cast<double>(result.size()), each.name);
  return result;
}

}  // namespace

// Members of RunOption in their order; those left out have the defaults of option_table.hpp.
const std::vector<RunOption>& option_table() {
  using enum InTemplate;
  using enum OptionUse;
  const char* system_has = "the system's";
  const char* no_page = "";
  static const std::vector<RunOption> table = {
      {"time.start", NumberOption{of_time<&TimeGrid::start>}, "s", value, all, system_has},
      {"time.end", NumberOption{of_time<&TimeGrid::end>}, "s; with equal steps a whole number of steps after the start",
       value, all, system_has},
      {"time.dt", NumberOption{of_time<&TimeGrid::dt>}, "s, the step; the first trial step of adaptive integrators",
       value, all, system_has},
      {"time.save_every", OptionForm::save_every, "steps between saved times, or \"final\" for the final time only",
       value, all, system_has},
      {"time.save_at", OptionForm::save_at, "in place of save_every: any ascending times, s", alternative, all, "none",
       "[0.5, 1.0]"},
      {"solver.backend",
       choice<&Options::backend>({Backend::automatic, Backend::cuda, Backend::cpu, Backend::reference}, backend_name),
       "", value, all, "", "", "backends.md"},
      {"solver.precision",
       choice<&Options::precision>({Precision::double_precision, Precision::single_precision}, precision_name),
       "on GPUs, for a swarm, that of the pair forces", value},
      {"solver.integrator", ChoiceOption{of_method<&Method::integrator>, words_of(integrators)},
       "rk4 takes equal steps, the others steps as long as the tolerances allow", value, members, "", "",
       "numerics.md"},
      {"solver.pseudo_inverse", ChoiceOption{of_method<&Method::pseudo_inverse>, words_of(pseudo_inverses)},
       "cusolver on GPUs only", value, members, "`\"auto\"`", "", "numerics.md"},
      {"solver.relative_tolerance",
       NumberOption{of_method<&Method::relative_tolerance>, tolerance_range(Precision::double_precision),
                    tolerance_range(Precision::single_precision)},
       "relative error of a step, in the root mean square over all coordinates and rates", alternative, adaptive_steps,
       "", "", no_page, 1e-4},
      {"solver.absolute_tolerance", NumberOption{of_method<&Method::absolute_tolerance>, positive_numbers},
       "absolute error, likewise", alternative, adaptive_steps, "", "", no_page, 1e-6},
      {"solver.largest_step", step<&Method::largest_step>, "the longest step, s", alternative, adaptive_steps, "none",
       "0.1"},
      {"solver.smallest_step", step<&Method::smallest_step>,
       "the shortest step, s; a member that needs a smaller one has the status step_too_small", alternative,
       adaptive_steps, "the resolution of the time", "1e-9"},
      {"solver.max_steps",
       NumberOption{.member = of_method<&Method::max_steps>,
                    .range = {.least = 1, .most = 0x1p53},
                    .single_range = {.least = 1, .most = 0x1p24},
                    .is_whole = true,
                    .may_be_unset = true},
       "accepted and rejected steps of a member in the whole run; one that needs more has the status too_many_steps",
       alternative, adaptive_steps, "none", "100000"},
      {"solver.max_changes", NumberOption{of_method<&Method::max_changes>, {.least = 1, .most = 1e9}},
       "changes of a member by events within time.dt; one that needs more has the status too_many_changes", comment,
       members},
      {"solver.rank_tolerance", NumberOption{of_method<&Method::rank_tolerance>, share},
       "singular values up to this fraction of the largest count as zero", comment, members, "", "", no_page, 1e-4},
      {"solver.consistency_tolerance", NumberOption{of_method<&Method::consistency_tolerance>, share},
       "fraction of |b| + |A||a|; A w' = b has no solution if the residual exceeds it", comment, members},
      {"solver.stabilization", OptionForm::stabilization,
       "\"projection\", \"none\", { baumgarte = [alpha, beta] } or { feedback = kappa }", value, members, system_has},
      {"solver.compile", choice<&Options::compile>({Compile::automatic, Compile::never, Compile::always}, compile_name),
       "whether the C++ compiler of this machine compiles the model for the backend cpu", comment, members, "", "",
       "backends.md", same_default, keeps_bits},
      {"solver.threads", whole<&Options::threads>(0, 4096),
       "worker threads; 0: one for each CPU that this process may use", comment, all, "", "", no_page, same_default,
       keeps_bits},
      {"solver.block_members", whole<&Options::block_members>(0, 1'000'000'000'000),
       "members held at once; 0: some seconds of work, as memory allows", comment, all, "", "", no_page, same_default,
       keeps_bits},
      {"solver.memory",
       NumberOption{.member = member_at<&Options::memory_budget>, .range = {.least = 1}, .unit = " of bytes"},
       "bytes for one block of members, and the same number for statistics", comment, all, "256e6"},
      {"solver.devices", OptionForm::devices, "GPUs by number, as kalaba devices lists them; []: all GPUs", comment,
       all, "", "", no_page, same_default, keeps_bits},
      {"solver.threads_per_member", whole<&Options::threads_per_member>(0, 32, {0, 1, 4, 8, 16, 32}),
       "of a GPU: 1, 4, 8, 16 or 32; 0: chosen for the kernel"},
      {"solver.pair_sum",
       choice<&Options::pair_sum>({PairSum::automatic, PairSum::all_pairs, PairSum::cells, PairSum::multipole},
                                  pair_sum_name),
       "summation method of the pair forces", comment, swarms, "", "", "swarms.md"},
      {"solver.pair_tolerance", NumberOption{member_at<&Options::pair_tolerance>, share},
       "relative error of the pair forces permitted to the multipole method", comment, swarms},
      {"output.fields", OptionForm::fields, "any of the fields below, or of their components", value, all,
       "the fields in the system's template"},
      {"output.statistics", OptionForm::statistics,
       "any of \"mean\", \"std\", \"min\", \"max\", \"quantiles\", \"histogram\", \"correlation\", \"gradient\": over "
       "the ok members, by time",
       comment, all, "none", "[\"mean\", \"quantiles\", \"histogram\"]"},
      {"output.quantiles", OptionForm::quantiles, "the levels; 0.5 is the median", comment, all, "`[0.05, 0.5, 0.95]`",
       "[0.05, 0.5, 0.95]"},
      {"output.histogram", OptionForm::histogram,
       "number of bins, and ranges of components: { bins = 40, z = [-2.0, 2.0] }", comment, all,
       "40 bins of every coordinate, over the range of 200 of the members, widened by a tenth", "{ bins = 40 }"},
      {"output.group_by", OptionForm::group_by,
       "a varied variable with few values: count, mean, std, min and max are also computed for each value", alternative,
       all, "none", "\"parameters.NAME\""},
      {"output.compression", whole<&Options::compression>(0, 9),
       "deflate level of a finished netCDF file, 1 to 9; 0: not compressed", comment, all, "", "", "output.md",
       same_default, keeps_bits},
      {"output.trajectories", FlagOption{member_at<&Options::trajectories>},
       "false: only statistics and events are written"},
  };
  return table;
}

bool is_available(const RunOption& option, const Options& options, bool is_swarm) {
  if (option.use == OptionUse::adaptive_steps) return adapts(options.method.integrator);
  return option.use != OptionUse::swarms || is_swarm;
}

bool permits(const NumberOption& number, Precision precision, double value) {
  const OptionRange& range = precision == Precision::single_precision ? number.single_range : number.range;
  const bool is_high = range.has_least ? value >= range.least : value > range.least;
  const bool is_low = range.has_most ? value <= range.most : value < range.most;
  if (!std::isfinite(value) || !is_high || !is_low || (number.is_whole && value != std::floor(value))) return false;
  return number.among.empty() || std::ranges::count(number.among, value) > 0;
}

std::string expected_values(const NumberOption& number, Precision precision) {
  const OptionRange& range = precision == Precision::single_precision ? number.single_range : number.range;
  if (!number.among.empty()) {
    std::string text = "one of";
    for (const double value : number.among) text += (text == "one of" ? " " : ", ") + short_text(value, 16);
    return text;
  }
  const int digits = number.is_whole ? 16 : 2;
  std::string text = (number.is_whole ? "a whole number" : "a number") + std::string(number.unit);
  if (range.least == -unbounded && range.most == unbounded) return "a finite number";
  if (range.most == unbounded) {
    return text + (range.has_least ? " of at least " : " greater than ") + short_text(range.least, digits);
  }
  if (!range.has_least)
    return text + " between " + short_text(range.least, digits) + " and " + short_text(range.most, digits);
  text += " from " + short_text(range.least, digits);
  if (*range.least_is != '\0') {
    text += " (" + std::string(range.least_is) + " of " + std::string(precision_name(precision)) + " precision)";
  }
  return text + " to " + short_text(range.most, digits);
}

void set_single_defaults(Options& options) {
  for (const RunOption& option : option_table()) {
    if (option.single_default) std::get<NumberOption>(option.value).member.set(options, *option.single_default);
  }
}

}  // namespace kalaba
