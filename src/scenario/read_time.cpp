#include "scenario/read_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>

#include "kalaba/run.hpp"
#include "kalaba/saved_times.hpp"
#include "scenario/document/document.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

struct TimeNodes {
  std::optional<Node> start;
  std::optional<Node> end;
  std::optional<Node> dt;
};

/// Key to name in an error: an override rather than a line of the file, an earlier candidate rather than a later one.
const Node& culprit(std::initializer_list<const std::optional<Node>*> candidates) {
  const auto given = [](const std::optional<Node>* node) { return node->has_value(); };
  const auto overridden = [](const std::optional<Node>* node) { return *node && (*node)->is_override(); };
  const auto late = std::find_if(candidates.begin(), candidates.end(), overridden);
  return (late != candidates.end() ? *late : *std::find_if(candidates.begin(), candidates.end(), given))->value();
}

void refuse_fraction(const Node& node, const TimeGrid& time, double steps) {
  const double before = std::floor(steps);
  const auto end_after = [&](double count) { return time.start + count * time.dt; };
  const std::string nearest =
      before < 1 ? fmt::format("the nearest end is {:.12g}", end_after(1))
                 : fmt::format("the nearest ends are {:.12g} and {:.12g}", end_after(before), end_after(before + 1));
  node.fail(fmt::format("the time from {} to {} is not a whole number of steps of {}; {}", time.start, time.end,
                        time.dt, nearest));
}

/// Returns true if the document selects adaptive steps.
bool is_adaptive(Document& document) {
  const auto node = document.find("solver.integrator");
  return node && node->is_text() && std::ranges::any_of(integrators, [&](const IntegratorFacts& each) {
           return each.adapts() && node->text() == each.name;
         });
}

void check(const TimeNodes& nodes, const TimeGrid& time, bool adaptive) {
  if (time.dt <= 0) nodes.dt.value().expected("a step greater than 0");
  if (time.end <= time.start) {
    culprit({&nodes.end, &nodes.start})
        .fail(fmt::format("expected an end after the start, found start {} and end {}", time.start, time.end));
  }
  const Node& at = culprit({&nodes.end, &nodes.dt, &nodes.start});
  const double steps = (time.end - time.start) / time.dt;
  if (steps > static_cast<double>(most_steps)) {
    at.fail(fmt::format("{:.3g} steps of {} from {} to {} are too many; at most {} can be taken", steps, time.dt,
                        time.start, time.end, most_steps));
  }
  const double whole = std::max(std::round(steps), 1.0);
  const double rounding = std::min(1e-9 * whole, 1e-3);
  if (!adaptive && std::abs(steps - whole) > rounding) refuse_fraction(at, time, steps);
}

/// Checks the number of saved times, which are all held in memory.
void check_saved(const TimeNodes& nodes, const std::optional<Node>& stride, const TimeGrid& time) {
  const double saved =
      time.save_every > 0 ? (time.end - time.start) / time.dt / static_cast<double>(time.save_every) : 1;
  if (saved <= static_cast<double>(most_saved_times)) return;
  culprit({&stride, &nodes.end, &nodes.dt, &nodes.start})
      .fail(fmt::format("{:.3g} saved times are too many; at most {} can be held", saved, most_saved_times));
}

/// Reads a number of steps, or "final" as 0.
long read_stride(const Node& node) {
  const std::string form = fmt::format("a whole number from 1 to {}, or \"final\"", most_steps);
  if (!node.is_text()) {
    if (!node.is_number()) node.expected(form);
    return node.integer(1, most_steps);
  }
  if (node.text() != "final")
    node.fail("expected " + form + ", found " + node.found() + suggestion(node.text(), {"final"}));
  return 0;
}

}  // namespace

void read_save_every(Document& document, const std::string& table, TimeGrid& time) {
  const auto find = [&](const char* key) { return document.find(table + "." + key); };
  const TimeNodes nodes{find("start"), find("end"), find("dt")};
  if (nodes.start || nodes.end || nodes.dt) check(nodes, time, is_adaptive(document));
  const std::optional<Node> stride = find("save_every");
  if (stride) time.save_every = read_stride(*stride);
  const std::optional<Node> list = find("save_at");
  const bool by_stride = !list || (stride && (stride->is_override() || !list->is_override()));
  if (by_stride) check_saved(nodes, stride, time);
}

TimeGrid read_time(Document& document, const TimeGrid& defaults, const std::string& table) {
  TimeGrid time = defaults;
  const auto read = [&](const char* key, double& value) {
    if (const auto node = document.find(table + "." + key)) value = node->number();
  };
  read("start", time.start);
  read("end", time.end);
  read("dt", time.dt);
  read_save_every(document, table, time);
  return time;
}

std::vector<double> read_save_at(Document& document, const TimeGrid& time) {
  const auto node = document.find("time.save_at");
  if (!node) return {};
  if (const auto stride = document.find("time.save_every")) {  // an override takes precedence over a line of the file
    if (stride->is_override() == node->is_override()) {
      node->fail("time.save_every determines the saved times too; remove one of the two");
    }
    if (stride->is_override()) return {};
  }
  const std::vector<double> times = node->number_list();
  if (times.empty()) node->expected("an array of times");
  const double rounding = 1e-9 * time.dt;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i] < time.start - rounding || times[i] > time.end + rounding) {
      node->fail(
          fmt::format("expected times from the start, {}, to the end, {}; found {}", time.start, time.end, times[i]));
    }
    if (i > 0 && times[i] <= times[i - 1]) {
      node->fail(fmt::format("expected ascending times; found {} behind {}", times[i], times[i - 1]));
    }
  }
  if (const auto at = same_step(time, times)) {
    const double step = std::round((times[*at] - time.start) / time.dt);
    node->fail(fmt::format("expected times further apart than rounding; {} and {} both are the step at {} s",
                           times[*at], times[*at + 1], grid_time(time, static_cast<long>(step))));
  }
  return times;
}

}  // namespace kalaba
