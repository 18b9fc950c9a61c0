#include "compare.hpp"

#include <fmt/format.h>

#include <boost/property_tree/json_parser.hpp>
#include <cmath>
#include <limits>

#include "cli/bench_table.hpp"
#include "cli/table.hpp"

namespace kalaba::bench {
namespace {

using Cells = std::vector<std::string>;

std::string ratio_text(double ratio) {
  if (ratio >= 9.95) return fmt::format("{:.0f}", ratio);
  return fmt::format("{:.{}f}", ratio, ratio >= 0.995 ? 1 : 2);
}

std::string case_text(const std::string& name, int n, int m) { return fmt::format("{} n={} m={}", name, n, m); }

/// Name with version: "mujoco (2.2.2)".
std::string peer_text(const std::string& name, const std::string& version) {
  return version.empty() ? name : name + " (" + version + ")";
}

std::string method_text(const std::string& inverse, const std::string& stabilization) {
  return stabilization == "none" ? inverse : inverse + ", " + stabilization;
}

}  // namespace

JsonObject json_row(const Row& row, const std::string& device, const Origin& origin) {
  JsonObject object;
  const auto figure = [&](const char* key, double value) {
    object.add(key, row.remark.empty() ? value : std::numeric_limits<double>::quiet_NaN());
  };
  object.add("case", row.name);
  object.add("n", static_cast<long>(row.n));
  object.add("m", static_cast<long>(row.m));
  object.add("precision", "double");
  object.add("pseudo_inverse", row.pseudo_inverse);
  object.add("stabilization", row.stabilization);
  object.add("backend", "cpu");
  object.add("threads", 1L);
  object.add("peer", row.peer);
  object.add("peer_version", row.peer_version);
  object.add("remark", row.remark);
  object.add("members", row.members);
  object.add("steps", row.steps);
  object.add("repeats", row.repeats);
  figure("steps_per_second", row.rate);
  figure("peer_steps_per_second", row.peer_rate);
  figure("ratio", row.ratio());
  figure("error", row.error);
  figure("peer_error", row.peer_error);
  figure("violation", row.violation);
  figure("peer_violation", row.peer_violation);
  object.add("device", device);
  add_origin(object, origin);
  return object;
}

std::string comparison_text(const std::vector<Row>& rows) {
  std::vector<Cells> table = {
      {"case", "method", "peer", "steps/s", "peer's", "ratio", "error", "peer's", "|phi|", "peer's"}};
  for (const Row& row : rows) {
    Cells cells = {case_text(row.name, row.n, row.m), method_text(row.pseudo_inverse, row.stabilization),
                   peer_text(row.peer, row.peer_version)};
    if (!row.remark.empty()) {
      cells.push_back(row.remark);
    } else {
      for (const double rate : {row.rate, row.peer_rate}) cells.push_back(with_prefix(rate));
      cells.push_back(ratio_text(row.ratio()));
      for (const double size : {row.error, row.peer_error, row.violation, row.peer_violation}) {
        cells.push_back(fmt::format("{:.0e}", size));
      }
    }
    table.push_back(std::move(cells));
  }
  return table_text(table);
}

std::string markdown_of(const std::string& json_path) {
  boost::property_tree::ptree file;
  try {
    boost::property_tree::read_json(json_path, file);
    std::string text = "| case, FP64 | method | Kalaba | peer | its steps/s | ratio |\n|---|---|---|---|---|---|\n";
    std::string where;
    for (const auto& [key, row] : file.get_child("rows")) {
      const auto word = [&, &fields = row](const char* name) { return fields.get<std::string>(name); };
      const auto rate = [&, &fields = row](const char* name) { return with_prefix(fields.get<double>(name)) + "/s"; };
      where = fmt::format("{}; {}, {}; commit {}; {}", word("device"), word("compiler"), word("flags"), word("commit"),
                          word("date"));
      text += fmt::format("| {} | {} |", case_text("`" + word("case") + "`", row.get<int>("n"), row.get<int>("m")),
                          method_text(word("pseudo_inverse"), word("stabilization")));
      text += word("remark").empty() ? fmt::format(" {} | {} | {} | {} |\n", rate("steps_per_second"),
                                                   peer_text("`" + word("peer") + "`", word("peer_version")),
                                                   rate("peer_steps_per_second"), ratio_text(row.get<double>("ratio")))
                                     : fmt::format(" | `{}` | {} | |\n", word("peer"), word("remark"));
    }
    return text + "\n" + where + "\n";
  } catch (const boost::property_tree::ptree_error& error) {
    throw Error(ExitCode::file_error, fmt::format("{}: {}", json_path, error.what()));
  }
}

}  // namespace kalaba::bench
