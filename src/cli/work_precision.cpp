#include "cli/work_precision.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cli/table.hpp"
#include "report/figure/work_picture.hpp"

namespace kalaba {
namespace {

using bench::WorkCurve;
using bench::WorkPoint;
using bench::WorkPrecision;
using Row = std::vector<std::string>;

constexpr double told_errors[] = {1e-3, 1e-6, 1e-9, 1e-12};

std::string micro(double seconds) { return std::isfinite(seconds) ? fmt::format("{:.3g} us", seconds * 1e6) : "-"; }

Row row_of(const WorkPrecision& all, const WorkCurve& curve, const WorkPoint& point) {
  const std::string setting = fmt::format("{} {:.3g}", curve.adapts ? "tolerance" : "dt", point.setting);
  if (!point.failure.empty()) return {curve.name, setting, "failed: " + point.failure};
  const std::string error =
      all.is_resolved(point) ? fmt::format("{:.2g}", point.error) : fmt::format("below {:.1g}", 2 * all.trusted);
  const std::string steps = std::isnan(point.steps) ? "-" : fmt::format("{:.0f}", point.steps);
  return {curve.name, setting, steps, micro(point.seconds), error};
}

}  // namespace

std::string work_precision_table(const WorkPrecision& all) {
  std::vector<Row> rows = {{"integrator", "at", "steps", "time/member", "error"}};
  for (const WorkCurve& curve : all.curves) {
    for (const WorkPoint& each : curve.points) rows.push_back(row_of(all, curve, each));
  }
  std::vector<Row> times = {{"time/member for"}};
  for (const double error : told_errors) times.front().push_back(fmt::format("{:g}", error));
  for (const WorkCurve& curve : all.curves) {
    times.push_back({curve.name});
    for (const double error : told_errors) times.back().push_back(micro(seconds_for(all, curve, error)));
  }
  return table_text(rows) + "\n" + table_text(times) +
         fmt::format(
             "  {}: {} members; errors at the end, as shares of the largest of their unit\n"
             "  against {}, which agree to {:.1g}\n",
             all.system, all.members, all.judges, all.trusted);
}

std::vector<JsonObject> work_precision_rows(const WorkPrecision& all, const bench::Origin& origin) {
  std::vector<JsonObject> rows;
  for (const WorkCurve& curve : all.curves) {
    for (const WorkPoint& each : curve.points) {
      JsonObject& row = rows.emplace_back();
      row.add("system", all.system);
      row.add("backend", backend_name(all.options.backend));
      row.add("pseudo_inverse", pseudo_inverse_name(all.options.method.pseudo_inverse));
      row.add("members", all.members);
      row.add("integrator", curve.name);
      row.add(curve.adapts ? "relative_tolerance" : "dt_seconds", each.setting);
      row.add("failure", each.failure);
      const bool failed = !each.failure.empty();
      row.add("steps_per_member", failed ? NAN : each.steps);
      row.add("seconds_per_member", failed ? NAN : each.seconds);
      row.add("error", all.is_resolved(each) ? each.error : NAN);
      row.add("trusted", all.trusted);
      row.add("judges", all.judges);
      row.add("device", all.device);
      add_origin(row, origin);
    }
  }
  return rows;
}

void draw_work_precision(const WorkPrecision& all, const std::string& path) {
  WorkPicture picture;
  picture.title = all.system + ": work and precision";
  picture.subtitle = fmt::format("{} members, one thread, {}; dashed: how far {} agree", all.members,
                                 pseudo_inverse_name(all.options.method.pseudo_inverse), all.judges);
  picture.trusted = all.trusted;
  for (const WorkCurve& curve : all.curves) {
    WorkPicture::Curve& drawn = picture.curves.emplace_back();
    drawn.name = curve.name;
    for (const WorkPoint& each : curve.points) {
      if (all.is_resolved(each)) drawn.points.push_back({each.error, each.seconds});
    }
  }
  draw_work(picture, path);
}

}  // namespace kalaba
