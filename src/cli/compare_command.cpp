#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <memory>

#include "cli/command.hpp"
#include "cli/table.hpp"
#include "compare/file_difference.hpp"
#include "report/text/text.hpp"
#include "text/encodings.hpp"

namespace kalaba {
namespace {

struct CompareRequest {
  std::string one;
  std::string other;
  double tolerance = -1;  // unused if negative
  bool all = false;
};

double relative(const VariableDifference& of) { return of.size > 0 ? of.worst / of.size : of.worst > 0 ? INFINITY : 0; }

bool exceeds(const VariableDifference& of, double tolerance) {
  return of.one_sided > 0 || (!of.is_error && relative(of) > tolerance);
}

std::vector<std::string> row_of(const VariableDifference& of) {
  const std::string unit = of.unit.empty() || of.unit == "1" ? "" : " " + of.unit;
  std::string where = of.member < 0 ? "" : fmt::format("member {}", of.member);
  if (of.member >= 0 && std::isfinite(of.time)) where += fmt::format(", t = {:.6g} s", of.time);
  const std::string one_sided = of.one_sided > 0 ? grouped(static_cast<long>(of.one_sided)) : "";
  return {of.name,
          fmt::format("{:.3g}{}", of.worst, unit),
          of.size > 0 ? fmt::format("{:.2g}", relative(of)) : "",
          fmt::format("{:.3g}{}", of.typical, unit),
          where,
          one_sided};
}

ExitCode compare(const CompareRequest& request) {
  const FileDifference difference = compare_files(request.one, request.other);
  std::vector<std::vector<std::string>> rows = {
      {"variable", "worst", "of its size", "typical", "where", "in one alone"}};
  long same = 0;
  bool beyond = difference.status_changes > 0 && request.tolerance >= 0;
  for (const VariableDifference& each : difference.variables) {
    beyond = beyond || (request.tolerance >= 0 && exceeds(each, request.tolerance));
    same += each.is_same();
    if (request.all || !each.is_same()) rows.push_back(row_of(each));
  }
  std::string text = fmt::format("{} members, {} saved times in both\n", grouped(difference.members),
                                 grouped(static_cast<long>(difference.times)));
  for (const std::string& note : difference.notes) text += note + "\n";
  if (rows.size() > 1) text += table_text(rows);
  const auto count = static_cast<long>(difference.variables.size());
  if (same == count) {
    text += fmt::format("all {} variables are the same to the bit\n", count);
  } else if (same > 0 && !request.all) {
    text += fmt::format("{} other variables are the same to the bit; --all lists them\n", same);
  }
  if (difference.status_changes > 0) {
    text += fmt::format("{} members end in another status\n", grouped(difference.status_changes));
  }
  if (request.tolerance >= 0) {
    text += fmt::format("{} within {:g} of each variable's size\n", beyond ? "not" : "all", request.tolerance);
  }
  std::fputs(shown_text(text).c_str(), stdout);
  return beyond ? ExitCode::members_failed : ExitCode::ok;
}

}  // namespace

Command add_compare_command(const CommandWords& app) {
  const CommandWords words = app.add_command("compare", "Say how far two output files are apart, variable by variable");
  const auto request = std::make_shared<CompareRequest>();
  words.add_option("A", request->one, "An output of kalaba run (.nc or .csv)").type_name("").required();
  words.add_option("B", request->other, "Another one of as many members").type_name("").required();
  words
      .add_option("--tolerance", request->tolerance,
                  "Exit code 1 where a variable, but for residual and violation, differs by more of its size")
      .type_name("X")
      .not_negative();
  words.add_flag("--all", request->all, "List variables too that are the same to the bit");
  words.footer(
      "Worst is the largest difference, typical the root mean square, over the members and the saved times that both "
      "files\n"
      "have; a variable's size is its largest magnitude in A.\n"
      "Example:\n"
      "  kalaba compare double.nc single.nc --tolerance 1e-3");
  return {words, [request] { return compare(*request); }};
}

}  // namespace kalaba
