#include "report/page/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "kalaba/core/model/status.hpp"
#include "kalaba/error.hpp"
#include "output/durable/pending_file.hpp"
#include "output/netcdf/archive.hpp"
#include "output/netcdf/netcdf_statistics.hpp"
#include "report/data/event_times.hpp"
#include "report/data/member_sample.hpp"
#include "report/data/outcomes.hpp"
#include "report/data/shown_statistics.hpp"
#include "report/figure/plot_data.hpp"
#include "report/page/correlation_tables.hpp"
#include "report/page/final_values.hpp"
#include "report/page/report_pictures.hpp"
#include "report/text/html.hpp"
#include "report/text/text.hpp"
#include "text/nan.hpp"

namespace kalaba {
namespace {

namespace fs = std::filesystem;

using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t named_members = 20;  // listed per kind of failure

std::string report_path(const std::string& data_path, const ReportOptions& options) {
  if (options.output.empty()) return fs::path(data_path).replace_extension(".html").string();
  if (fs::path(options.output).extension() == ".html") return options.output;
  throw Error(ExitCode::bad_input, fmt::format("{}: expected a report's name to end in .html", options.output));
}

std::string tile(const std::string& value, const std::string& name, bool bad = false) {
  return fmt::format("<div class=\"tile\"><b{}>{}</b><span>{}</span></div>\n", bad ? " class=\"bad\"" : "",
                     html_text(value), html_text(name));
}

/// Number of members whose starts were moved by projection.
long moved_at_start(const Inventory& file) { return static_cast<long>(file.number("members_moved_at_start", 0)); }

/// Description of the pictures over inputs, and of the starts that they use.
std::string sweep_lead(const Inventory& file) {
  std::string text =
      "Outcomes over the first two inputs that were varied; kalaba plot --kind heatmap draws any others.";
  if (const long moved = moved_at_start(file); moved > 0) {
    text += fmt::format(" Starts are as they were drawn: {} member{} moved onto the constraints from there.",
                        grouped(moved), moved == 1 ? " was" : "s were");
  }
  return text;
}

/// `has_members`: false if the number of members is unknown.
std::string tiles(const Inventory& file, const Contents& contents, const std::vector<Outcome>& outcomes,
                  bool has_members) {
  const std::string kind = contents.agents ? "agent" : contents.swarms ? "swarm" : "member";
  std::string text = has_members ? tile(grouped(contents.members), kind + (contents.members == 1 ? "" : "s")) : "";
  long failed = 0;
  long stopped = 0;
  for (const Outcome& outcome : outcomes) {
    if (outcome.reason == status_name(Status::stopped)) {
      stopped = outcome.members;
    } else if (outcome.reason != status_name(Status::ok)) {
      failed += outcome.members;
    }
  }
  if (!outcomes.empty()) text += tile(grouped(failed), "failed or interrupted", failed > 0);
  if (stopped > 0) text += tile(grouped(stopped), "stopped by events");
  if (const long moved = moved_at_start(file); moved > 0) text += tile(grouped(moved), "moved onto the constraints");
  if (!contents.times.empty()) {
    text += tile(fmt::format("{:g}–{:g} s", contents.times.front(), contents.times.back()), "time span");
    text += tile(grouped(static_cast<long>(contents.times.size())), "saved times");
  }
  const double violation = file.number("worst_violation");
  const bool has_constraints = file.find("constraint") != nullptr || violation > 0;
  if (has_constraints && std::isfinite(violation)) {
    text += tile(fmt::format("{:.2g}", violation), "worst constraint violation");
  }
  const double seconds = file.number("wall_seconds");
  if (std::isfinite(seconds)) text += tile(duration(seconds), "wall time");
  return "<div class=\"tiles\">\n" + text + "</div>\n";
}

/// Times and members of failures, if the file has them.
std::string outcomes_text(const std::vector<Outcome>& outcomes, long members) {
  const bool names = std::ranges::any_of(outcomes, [](const Outcome& outcome) { return !outcome.first.empty(); });
  Rows rows;
  for (const Outcome& outcome : outcomes) {
    const std::string when = !std::isfinite(outcome.earliest) ? ""
                             : outcome.earliest == outcome.latest
                                 ? fmt::format("{:.6g} s", outcome.earliest)
                                 : fmt::format("{:.6g} s to {:.6g} s", outcome.earliest, outcome.latest);
    const double share = 100 * static_cast<double>(outcome.members) / static_cast<double>(members);
    rows.push_back({html_text(outcome.reason)});
    if (names) rows.back().insert(rows.back().end(), {when, members_text(outcome)});
    rows.back().insert(rows.back().end(), {grouped(outcome.members), fmt::format("{:.3g} %", share)});
  }
  if (names) return html_table({"outcome", "when", "which", "members", "share"}, rows, 3);
  return html_table({"outcome", "members", "share"}, rows, 1);
}

/// `has_conditions`: false if the file does not contain the conditions of its events.
std::string events_text(const Archive& archive, bool has_conditions) {
  Rows rows = event_rows(archive);
  for (Rows::value_type& row : rows) {
    for (std::string& cell : row) cell = html_text(cell);
    if (!has_conditions) row[1] = "–";
  }
  return rows.empty() ? "" : html_table({"event", "when", "members", "times", "first times"}, rows, 2);
}

/// Description of the members that count in pictures and tables over time.
std::string over_time_lead(const std::vector<Outcome>& outcomes) {
  if (outcomes.size() < 2) return "";
  return "A member counts at the times at which it moves: until it failed, or until an event stopped it.";
}

std::string sensitivity_lead(const Sensitivity& data) {
  if (data.spread == Spread::one_at_a_time) {
    return "Inputs were varied one at a time: the least and greatest change of every output along each of them, from "
           "the first member, in which none is varied. Changes of several at once were not tested.";
  }
  const bool has_shares = std::ranges::any_of(data.share, [](double share) { return std::isfinite(share); });
  if (!has_shares) return "Rank correlations (Spearman): 1 or −1 where one orders the other.";
  return "Share of an output's variance (of its ranks) that a function of one input alone explains, whatever its "
         "shape, "
         "and the sign of its slope. The sum can be less than 100 % if inputs act jointly; \"chance\" is the share "
         "that "
         "as many members show for an input without effect.";
}

std::string sobol_lead(const Sensitivity& data) {
  const bool left_out = std::ranges::any_of(data.sobol, [](const SobolIndices& of) { return of.left_out > 0; });
  return std::string(
             "Shares of an output's variance, ± half of a 95 % interval. First order: by one input alone "
             "(Saltelli et al. 2010); total: with its joint effects with others (Jansen 1999). The rest of the "
             "first orders to 1 is due to joint effects.") +
         (left_out ? " A point counts where all of its members do." : "");
}

std::string values_lead(const EnsembleStatistics& statistics) {
  for (const FieldStatistics& field : statistics.fields) {
    const long agents = field.layout.agents;
    if (agents <= shown_agents) continue;
    return fmt::format("Values of {1} of {0} agents, from x[0], that of agent 0; kalaba export writes those of all.",
                       grouped(agents), shown_agents);
  }
  return "";
}

std::string origin(const Archive& archive, const std::optional<ImportedTables>& tables) {
  const Inventory& file = archive.inventory();
  if (tables) return html_table({}, {{"files", html_text(fmt::format("{}", fmt::join(tables->files, ", ")))}}, 2);
  Rows rows = {{"file", html_text(fs::path(archive.path()).filename().string())}};
  const auto add = [&](const char* title, const char* attribute) {
    const std::string text = file.attribute(attribute);
    if (!text.empty()) rows.push_back({title, html_text(text)});
  };
  add("created", "created");
  add("Kalaba version", "kalaba_version");
  add("commit", "kalaba_commit");
  add("compiler", "kalaba_compiler");
  add("machine", "machine");
  add("device", "device");
  add("precision", "precision");
  add("seed", "seed");
  add("source of the equations", "source");
  return html_table({}, rows, 2);
}

/// Table of correlations; empty for a one-at-a-time design, where most members have the same value of each input.
std::string correlations(const Inventory& file, const EnsembleStatistics& statistics, Spread spread) {
  const bool pooled = file.attribute("scenario").find("design = \"one_at_a_time\"") != std::string::npos ||
                      spread == Spread::one_at_a_time;
  const std::string table = correlation_table(statistics);
  if (table.empty() || !pooled) return table;
  return "<p>Inputs were varied one at a time: correlations over all members would mostly depend on the number of "
         "members that vary each, and are omitted here. The file contains them.</p>\n";
}

std::string preformatted(const std::string& text) { return text.empty() ? "" : "<pre>" + html_text(text) + "</pre>\n"; }

}  // namespace

std::string write_report(const std::string& data_path, const ReportOptions& options) {
  const std::string path = report_path(data_path, options);
  const Archive archive(data_path);
  PendingFile page(path);
  const Inventory& file = archive.inventory();
  const std::unique_ptr<Reader> reader = open_reader(data_path);
  const Contents& contents = reader->contents();
  const std::optional<ImportedTables>& tables = options.tables;
  const bool has_members = !tables || tables->has_members;
  const EnsembleStatistics statistics = tables ? tables->statistics : statistics_of(archive);
  const std::vector<Outcome> outcomes = has_members ? outcomes_of(archive, named_members) : std::vector<Outcome>();
  const MemberSample members(archive, *reader);
  const Sensitivity sensitivity = sensitivity_of(members, options.sampled);
  ReportPictures pictures(data_path);

  const std::string title = title_of(contents, data_path);
  const std::string lead = tables ? tables->absent : file.attribute("summary");
  std::string body = fmt::format("<header>\n<h1>{}</h1>\n<p class=\"lead\">{}</p>\n{}</header>\n", html_text(title),
                                 html_text(lead), tiles(file, contents, outcomes, has_members));
  body += html_section("Members", file.attribute("interrupted") == "1" ? "The run was interrupted." : "",
                       outcomes_text(outcomes, contents.agents ? 1 : contents.members));
  body += html_section("Events", "What happened to members on their way, and when first.",
                       events_text(archive, !tables) + pictures.events(members));
  body += html_section("Over what was varied", sweep_lead(file), pictures.sweep(members, options.sampled));
  body += html_section("Motion", "", pictures.motion(archive, *reader, options.drawing_of_model));
  body += html_section("Over time", over_time_lead(outcomes), pictures.over_time(contents, statistics));
  body += html_section("Phase portraits", "", pictures.portraits(members));
  body += html_section("Sensitivity", sensitivity_lead(sensitivity),
                       sensitivity_table(sensitivity) + pictures.sensitivity(sensitivity));
  body +=
      html_section("Sobol' indices", sobol_lead(sensitivity), sobol_table(sensitivity) + pictures.sobol(sensitivity));
  body +=
      html_section("Local sensitivities",
                   "Derivatives at the last saved time without their units, mean over the members ± standard "
                   "deviation. Scaled by spreads: (s_p/s_y) ∂y/∂p with the members' standard deviations, whose square "
                   "is the share of the variance where y is linear. Scaled by values: (p/y) ∂y/∂p, per cent of the "
                   "output a per cent of the input, where y has one sign.",
                   local_table(sensitivity.local));
  body += html_section("Gradients of statistics",
                       "How statistics of the ok members move as a sensitivity's variable moves by as much in each of "
                       "them. Of means, variances and standard deviations exact; of quantiles an estimate.",
                       gradient_table(statistics));
  body += html_section("Correlation", "Pearson's, over all members that are ok: what the file's statistics hold.",
                       correlations(file, statistics, sensitivity.spread));
  body += html_section("Values at the last saved time", values_lead(statistics), final_values(members, statistics));
  body += html_section("Values when events happened first", "Of the members to which they did.", event_values(members));
  body += html_section("Constraints and energy",
                       "Errors of the integration: the smaller, the better the members keep to their constraints.",
                       pictures.errors(contents, statistics));
  body += html_section("Also saved", "Over time.", pictures.others(contents));
  body += html_section("Equations", "", preformatted(options.equations));
  body += html_section("Scenario", "Complete, with every default: kalaba run gives the same numbers again.",
                       preformatted(file.attribute("scenario")));
  body += html_section("Origin", "", origin(archive, tables));
  page.write(html_page(title + ": report", pictures.place(body) + "<footer>Written by kalaba report.</footer>\n"));
  page.publish();
  return path;
}

}  // namespace kalaba
