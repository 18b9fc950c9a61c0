#include "scenario/model/start_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "formula/graph/program.hpp"
#include "formula/graph/term_sizes.hpp"
#include "formula/graph/traverse.hpp"

namespace kalaba::text_model {
namespace {

using formula::Form;
using formula::Id;
using formula::Op;
using formula::Phrase;
using formula::Span;

constexpr std::size_t most_shown = 6;  // variables listed in a message
constexpr double close_enough = 1e-9;  // relative to the terms of a constraint
constexpr double rounding_errors = 0x1p12 * std::numeric_limits<double>::epsilon();

/// Evaluates expressions at the default start.
class Start {
 public:
  Start(const formula::Graph& graph, const formula::Statement& statement, const formula::Terms& terms) : graph_(graph) {
    for (const Variable& each : statement.info.parameters) parameters_.push_back(each.value);
    time_ = statement.info.time.start;
    coordinates_.assign(terms.start_q.size(), 0.0);
    rates_.assign(terms.start_w.size(), 0.0);
    given_.assign(coordinates_.size() + rates_.size(), 0.0);
    std::vector<double> coordinates = values(terms.start_q);
    rates_ = values(terms.start_w);
    coordinates_ = std::move(coordinates);
    const std::vector<double> velocity = values(statement.velocity);
    rates_.insert(rates_.end(), velocity.begin(), velocity.end());  // x_dot, if the rates are not velocities
    ideal_.assign(rates_.size() + statement.holonomic.size() + statement.nonholonomic.size(), 0.0);
  }

  std::vector<double> values(const std::vector<Id>& ids) const {
    return ids.empty() ? std::vector<double>() : formula::Program(graph_, ids)(inputs());
  }
  double value(Id id) const { return values({id}).front(); }
  reference::Sized sized(Id id) const {
    const formula::TermSizes sizes(graph_, std::span(&id, 1), static_cast<long>(coordinates_.size()),
                                   static_cast<long>(rates_.size()));
    return sizes(inputs()).front();
  }

  /// The start displaced by a small distance, along no coordinate axis.
  Start moved() const {
    constexpr double share = 1e-3;
    Start there = *this;
    double step = share;
    for (std::vector<double>* values : {&there.coordinates_, &there.rates_}) {
      for (double& each : *values) {
        each += step * (1 + std::abs(each));
        step *= 0.9;
      }
    }
    return there;
  }

  /// "x = 3, y = 0" for the variables that an expression depends on.
  std::string shown(const formula::Names& names, Id id) const {
    std::vector<std::string> parts;
    for (const Op kind : {Op::coordinate, Op::rate, Op::parameter, Op::time}) {
      if (kind == Op::parameter && !parts.empty()) break;
      for (const Id symbol : formula::symbols_in(graph_, std::span(&id, 1), kind)) {
        parts.push_back(fmt::format("{} = {:.6g}", names.label(graph_[symbol]), value(symbol)));
      }
    }
    if (parts.size() > most_shown) {
      parts.resize(most_shown);
      parts.emplace_back("...");
    }
    return fmt::format("{}", fmt::join(parts, ", "));
  }

 private:
  formula::Inputs inputs() const {
    return {parameters_.data(), coordinates_.data(), rates_.data(), ideal_.data(), &time_, 1, given_.data()};
  }

  const formula::Graph& graph_;
  std::vector<double> parameters_;
  std::vector<double> coordinates_;
  std::vector<double> rates_;
  std::vector<double> ideal_;
  std::vector<double> given_;  // starts that are given: none
  double time_ = 0;
};

/// Message of the Error that `fail` throws.
template <class Fail>
std::string message_of(const Fail& fail) {
  try {
    fail();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

class Report {
 public:
  Report(Draft& draft, const formula::Terms& terms)
      : draft_(draft), terms_(terms), start_(draft.graph, draft.statement, terms) {}

  StartReport report() {
    StartReport report;
    report.error = not_finite(draft_.start_uses);
    if (report.error.empty()) report.error = not_finite(draft_.uses);
    if (report.error.empty()) report.error = singular_metric();
    if (report.error.empty()) report.error = no_derivative();
    if (report.error.empty()) report.off = off();
    if (report.error.empty()) report.loose = loose();
    return report;
  }

 private:
  std::string not_finite(const std::vector<Use>& uses) const {
    std::vector<Id> roots;
    for (const Use& use : uses) roots.push_back(use.lowered.value.id);
    const std::vector<double> values = start_.values(roots);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i])) return culprit(uses[i]);
    }
    return "";
  }

  /// Smallest subexpression that is not finite.
  std::string culprit(const Use& use) const {
    const formula::Syntax& syntax = use.syntax;
    const auto id_of = [&](int phrase) { return use.lowered.ids[static_cast<std::size_t>(phrase)]; };
    const auto is_finite = [&](int phrase) { return id_of(phrase) < 0 || std::isfinite(start_.value(id_of(phrase))); };
    int at = syntax.root();
    for (bool deeper = true; deeper;) {
      deeper = false;
      for (const int part : syntax[at].parts) {
        if (is_finite(part)) continue;
        at = part;
        deeper = true;
        break;
      }
    }
    const Phrase& phrase = syntax[at];
    const bool divides = phrase.form == Form::divide;
    const Span span = divides ? Span{phrase.mark.begin, syntax[phrase.parts[1]].span.end} : phrase.span;
    const std::string values = start_.shown(draft_.names, id_of(divides ? phrase.parts[1] : at));
    return message_of([&] {
      fail_at(use.node, {"not finite at the start" + (values.empty() ? "" : ": " + values), span});
    });
  }

  /// Name of the rate without inertia: the first zero pivot of the metric's factorization.
  std::string singular_metric() const {
    if (draft_.statement.singular_metric) return "";
    const auto n = static_cast<std::size_t>(draft_.nw());
    const std::vector<double> entries = start_.values(terms_.metric);
    std::vector<double> matrix(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        if (terms_.diagonal && i != j) continue;
        matrix[i * n + j] = entries[terms_.diagonal ? i : i * (i + 1) / 2 + j];
      }
    }
    for (std::size_t k = 0; k < n; ++k) {
      const double whole = std::abs(matrix[k * n + k]);
      double pivot = matrix[k * n + k];
      for (std::size_t j = 0; j < k; ++j) pivot -= matrix[k * n + j] * matrix[k * n + j] * matrix[j * n + j];
      if (!(pivot > 1e-13 * whole)) return without_inertia(k, pivot);
      matrix[k * n + k] = pivot;
      for (std::size_t i = k + 1; i < n; ++i) {
        for (std::size_t j = 0; j < k; ++j) {
          matrix[i * n + k] -= matrix[i * n + j] * matrix[k * n + j] * matrix[j * n + j];
        }
        matrix[i * n + k] /= pivot;
      }
    }
    return "";
  }

  std::string without_inertia(std::size_t rate, double pivot) const {
    for (const char* section : {"bodies", "mass", "metric", "lagrangian", "hamiltonian"}) {
      const auto node = draft_.section(section);
      if (!node) continue;
      const std::string& name = draft_.statement.info.rates[rate].name;
      return message_of([&] {
        node->fail(
            fmt::format("the metric is {} at the start: {} has {} inertia there; expected a positive definite one{}",
                        pivot < 0 ? "not positive" : "singular", name, pivot < 0 ? "negative" : "no",
                        pivot < 0 ? "" : ", or singular_metric = true where the constraints hold what has none"));
      });
    }
    return "";
  }

  const Use* use_of(const std::string& row) const {
    const auto found = std::ranges::find(draft_.uses, row, &Use::name);
    return found == draft_.uses.end() ? nullptr : &*found;
  }

  std::vector<std::string> rows() const {
    std::vector<std::string> names;
    for (const auto* equations : {&draft_.statement.holonomic, &draft_.statement.nonholonomic}) {
      for (const formula::Equation& each : *equations) names.push_back(each.name);
    }
    return names;
  }

  /// Message if a constraint is finite and its derivatives are not.
  std::string no_derivative() const {
    const std::vector<std::string> names = rows();
    const std::vector<double> matrix = start_.values(terms_.A.entries);
    const std::vector<double> right = start_.values(terms_.b);
    const auto columns = static_cast<std::size_t>(terms_.A.cols);
    for (std::size_t row = 0; row < names.size(); ++row) {
      const auto begin = matrix.begin() + static_cast<std::ptrdiff_t>(row * columns);
      const bool finite =
          std::all_of(begin, begin + static_cast<std::ptrdiff_t>(columns), [](double x) { return std::isfinite(x); });
      const Use* use = use_of(names[row]);
      if ((finite && std::isfinite(right[row])) || use == nullptr) continue;
      const std::string values = start_.shown(draft_.names, use->lowered.value.id);
      return message_of([&] {
        fail_at(use->node,
                {"its derivatives are not finite at the start: " + values, Span{0, use->syntax.text.size()}});
      });
    }
    return "";
  }

  /// Message if a row of A vanishes, relative to its size at a nearby state. The row of an identity is zero everywhere.
  std::string loose() const {
    constexpr double vanishing = 1e-9;
    const std::vector<std::string> names = rows();
    const std::vector<double> here = start_.values(terms_.A.entries);
    const std::vector<double> near = start_.moved().values(terms_.A.entries);
    const auto columns = static_cast<std::size_t>(terms_.A.cols);
    for (std::size_t row = 0; row < names.size(); ++row) {
      double size = 0;
      double size_near = 0;
      for (std::size_t i = row * columns; i < (row + 1) * columns; ++i) {
        size += std::abs(here[i]);
        size_near += std::abs(near[i]);
      }
      const Use* use = use_of(names[row]);
      if (use == nullptr || !(size_near > 0 && size <= vanishing * size_near)) continue;
      const std::string values = start_.shown(draft_.names, use->lowered.value.id);
      return message_of([&] {
        fail_at(use->node, {"its gradient vanishes at the start, so that it holds nothing there: " + values,
                            Span{0, use->syntax.text.size()}});
      });
    }
    return "";
  }

  std::string off() const {
    for (const std::string& name : rows()) {
      const Use* use = use_of(name);
      if (use == nullptr) continue;
      const reference::Sized sized = start_.sized(use->lowered.value.id);
      const double value = sized.value;
      if (std::abs(value) <= close_enough * sized.terms + rounding_errors * sized.rounding) continue;
      const std::string unit = draft_.units.text(draft_.row_units.at(name));
      const bool has_unit = draft_.units.resolve(draft_.row_units.at(name)).is_known() && unit != "1";
      return message_of([&] {
        const Node node = draft_.section("start").value_or(draft_.model);
        node.fail(
            fmt::format("{} is off by {:.6g}{} there ({});\n    initial.project = true moves the start onto the "
                        "constraints",
                        name, value, has_unit ? " " + unit : "", start_.shown(draft_.names, use->lowered.value.id)));
      });
    }
    return "";
  }

  Draft& draft_;
  const formula::Terms& terms_;
  Start start_;
};

}  // namespace

StartReport report_start(Draft& draft, const formula::Terms& terms) { return Report(draft, terms).report(); }

}  // namespace kalaba::text_model
