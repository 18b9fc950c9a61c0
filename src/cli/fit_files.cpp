#include "cli/fit_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "cli/fit_table.hpp"
#include "fit/normal_sums.hpp"
#include "fit/trace.hpp"
#include "output/durable/pending_file.hpp"
#include "report/figure/fit_picture.hpp"
#include "report/figure/page.hpp"
#include "report/text/html.hpp"

namespace kalaba {
namespace {

using fit::Fit;
using fit::Problem;

std::string ending_of(const std::string& path) { return std::filesystem::path(path).extension().string(); }

/// Returns the fitted motion at enough times for a curve.
fit::Trace curve_of(const Problem& problem, const Fit& fit) {
  constexpr int points = 600;
  const TimeGrid& time = problem.options.time;
  std::vector<double> times;
  for (int i = 0; i < points; ++i) times.push_back(time.start + (time.end - time.start) * i / points);
  times.push_back(time.end);
  return trace(problem, fit.estimate.values, times);
}

FitPicture picture_of(const Problem& problem, const Fit& fit) {
  const fit::Measurements& data = problem.data;
  const fit::Trace curve = curve_of(problem, fit);
  FitPicture picture;
  picture.title = problem.system.info.name + ", fitted";
  constexpr std::size_t most_named = 4;
  std::vector<std::string> estimates;
  for (std::size_t j = 0; j < std::min(problem.free.size(), most_named); ++j) {
    estimates.push_back(problem.free[j].name + " = " +
                        estimate_text(problem.free[j], fit.estimate.values[j], fit.estimate.errors[j]));
  }
  if (problem.free.size() > most_named) estimates.emplace_back("…");
  picture.subtitle = fmt::format("{}", fmt::join(estimates, ", "));
  const std::vector<fit::Observed> observed = fit::observed_columns(problem.system.info, data.columns);
  for (std::size_t i = 0; i < data.columns.size(); ++i) {
    FitPicture::Row row;
    row.name = data.columns[i];
    row.unit = field_layout(problem.system.info, observed[i].field).units[observed[i].component];
    row.curve_times = curve.times;
    row.curve = curve.values[i];
    row.deviation = data.sigmas.empty() ? fit.estimate.deviation : data.sigmas[i];
    for (std::size_t k = 0; k < data.readings.size(); ++k) {
      if (data.readings[k].column != i) continue;
      row.times.push_back(data.times[data.readings[k].time]);
      row.numbers.push_back(data.readings[k].value);
      row.residuals.push_back(fit.estimate.residuals[k]);
    }
    picture.rows.push_back(std::move(row));
  }
  return picture;
}

std::string html_of(std::vector<std::vector<std::string>> rows, std::size_t numbers_from) {
  for (std::vector<std::string>& row : rows) {
    for (std::string& cell : row) cell = html_text(cell);
  }
  const std::vector<std::string> heading = rows.front();
  rows.erase(rows.begin());
  for (std::vector<std::string>& row : rows) row.resize(heading.size());
  return html_table(heading, rows, numbers_from);
}

std::string page_of(const Problem& problem, const Fit& fit) {
  const std::string title = problem.system.info.name + ", fitted";
  std::string figures;
  for (const std::string& svg : fit_svgs(picture_of(problem, fit))) figures += "<figure>\n" + svg + "</figure>\n";
  std::string body = fmt::format("<h1>{}</h1>\n", html_text(title));
  body += html_section("Estimates", "Standard errors and intervals are of the motion linearized there.",
                       html_of(estimate_rows(problem, fit), 1));
  body += html_section("Motion and residuals", "", "<div class=\"pictures\">\n" + figures + "</div>\n");
  if (problem.free.size() > 1) body += html_section("Correlation", "", html_of(correlation_rows(problem, fit), 1));
  if (fit.minima.size() > 1) {
    body += html_section("Minima", "Starts " + starts_text(fit) + ".", html_of(minimum_rows(problem, fit), 0));
  }
  body += html_section("Summary", "", "<pre>" + html_text(fit_text(problem, fit)) + "</pre>\n");
  return html_page(title, body);
}

void write_text(const std::string& path, const std::string& text) {
  PendingFile file(path);
  file.write(text);
  file.publish();
}

}  // namespace

void check_fit_file(const std::string& path) {
  const std::string ending = ending_of(path);
  if (ending == ".html" || ending == ".json" || std::ranges::count(picture_endings(), ending) > 0) return;
  throw Error(ExitCode::bad_input,
              fmt::format("{}: expected a name that ends in {}, .html or .json, found {}", path,
                          fmt::join(picture_endings(), ", "), ending.empty() ? "nothing" : ending));
}

void write_fit_file(const std::string& path, const Problem& problem, const Fit& fit, const std::string& json) {
  const std::string ending = ending_of(path);
  if (ending == ".json") return write_text(path, json + "\n");
  if (!fit.has_estimate()) return;
  if (ending == ".html") return write_text(path, page_of(problem, fit));
  draw_fit(picture_of(problem, fit), path);
}

}  // namespace kalaba
