#include "formula/code/emit.hpp"

#include <algorithm>

#include "formula/code/function_writer.hpp"
#include "formula/code/series_text.hpp"
#include "formula/code/slopes.hpp"
#include "formula/code/slopes_text.hpp"
#include "formula/graph/functions.hpp"
#include "formula/graph/traverse.hpp"
#include "formula/mechanics/elimination.hpp"
#include "formula/mechanics/open_contacts.hpp"
#include "formula/mechanics/position_shift.hpp"
#include "formula/mechanics/single_row.hpp"
#include "kalaba/error.hpp"

namespace kalaba::formula {
namespace {

std::string number(auto value) { return std::to_string(value); }

class Emission {
 public:
  Emission(const Graph& graph, const Terms& terms, const std::optional<SingleRow>& row, const std::vector<Id>& shift,
           const ContactValues& contacts, int parameters, const std::string& name, const std::vector<Slopes>& slopes,
           const std::optional<Series>& series, const std::vector<Id>& reactions)
      : name_(name),
        slopes_(slopes),
        series_(series),
        g_(graph),
        s_(terms),
        row_(row),
        shift_(shift),
        contacts_(contacts),
        reactions_(reactions),
        parameters_(parameters),
        nq_(terms.velocity.size()),
        nw_(terms.force.size()),
        hoisted_(graph, all_roots(terms, row, shift, contacts, slopes, series, reactions)) {
    if (!s_.diagonal && !s_.singular_metric && nw_ >= fewest_sparse) factor_ = factor_pattern(g_, s_);
    const auto full = static_cast<int>(nw_ * (nw_ - 1) / 2);
    if (4 * count_of(factor_) > 3 * full) factor_.clear();
  }

  std::string includes() const {
    std::string text = "#include \"kalaba/core/model/model.hpp\"\n";
    if (row_) text += "#include \"kalaba/core/rate/single_row.hpp\"\n";
    if (!factor_.empty()) text += "#include \"kalaba/core/inverse/sparse_metric.hpp\"\n";
    if (!g_.tables().empty()) text += "#include \"kalaba/core/base/table.hpp\"\n";
    return text;
  }

  /// The struct of the model. `open`: name of the struct of its motion while all contacts are open; empty without
  /// contacts.
  std::string text(const std::string& open) {
    out_.clear();
    table_rows();
    out_ += "struct " + name_ + " {\n";
    tables();
    if (!open.empty()) out_ += "  using Open = " + open + ";\n";
    patterns();
    prepare();
    start();
    if (const int packs = packs_in_flight(); packs > 1) {
      out_ += "  static constexpr int packs_in_flight = " + number(packs) + ";\n";
    }
    function("metric", "p t q", metric_type(), s_.metric, [&](auto& body) { return metric(body); });
    vector("force", "p t q w", s_.force);
    if (!s_.velocity_is_w) vector("velocity", "p t q w", s_.velocity);
    if (!shift_.empty()) vector("moved_by", "p t q w ideal", shift_);
    if (!s_.phi.empty()) vector("phi", "p t q", s_.phi);
    if (!s_.psi.empty()) vector("psi", "p t q w", s_.psi);
    stage();
    if (row_) single_row();
    if (!contacts_.gaps.empty()) {
      vector("contact_gaps", "p t q w", contacts_.gaps);
      vector("contact_terms", "p t q w", contacts_.terms);
    }
    if (s_.energy) scalar("energy", "p t q w", "X", *s_.energy);
    if (s_.valid) scalar("valid", "p t q w", "auto", *s_.valid);
    if (!s_.invariants.empty()) vector("invariant", "p t q w", s_.invariants);
    if (!reactions_.empty()) vector("reaction", "p t q w ideal lambda", reactions_);
    if (!s_.non_ideal.empty()) {
      vector("non_ideal", s_.needs_multipliers(g_) ? "p t q w ideal lambda" : "p t q w ideal", s_.non_ideal);
    }
    if (s_.actuation.cols > 0) {
      function("actuation", "p t q", matrix_type(s_.actuation), s_.actuation.entries,
               [&](auto& body) { return '{' + body.list(s_.actuation.entries) + '}'; });
    }
    if (s_.gain) gain("gain", *s_.gain);
    if (s_.position_gain) gain("position_gain", *s_.position_gain);
    for (const Slopes& each : slopes_) out_ += slopes_text(g_, hoisted_, each, name_);
    if (series_) out_ += series_text(g_, hoisted_, *series_, name_);
    return out_ + "};\n\n";
  }

  /// Packs of members that a CPU steps together: two of a small model, so that the divisions and roots of one run while
  /// the other waits. Elementary functions are calls, which keep no registers.
  int packs_in_flight() const {
    FunctionWriter body(g_, &hoisted_, name_);
    body.compute(s_.stage());
    return s_.A.rows <= 1 && !calls_functions() && body.operations() <= most_in_flight ? 2 : 1;
  }

 private:
  static std::vector<Id> all_roots(const Terms& s, const std::optional<SingleRow>& row, const std::vector<Id>& shift,
                                   const ContactValues& contacts, const std::vector<Slopes>& slopes,
                                   const std::optional<Series>& series, const std::vector<Id>& reactions) {
    std::vector<Id> roots = s.all();
    roots.insert(roots.end(), shift.begin(), shift.end());
    for (const auto* part : {&contacts.gaps, &contacts.terms}) roots.insert(roots.end(), part->begin(), part->end());
    roots.insert(roots.end(), reactions.begin(), reactions.end());
    if (row) {
      const std::vector<Id> more = row->roots();
      roots.insert(roots.end(), more.begin(), more.end());
    }
    for (const Slopes& each : slopes) {
      const std::vector<Id> more = each.roots();
      roots.insert(roots.end(), more.begin(), more.end());
    }
    if (series) {
      const std::vector<Id> more = series->roots();
      roots.insert(roots.end(), more.begin(), more.end());
    }
    return roots;
  }

  static std::string vec(const std::string& of, std::size_t count) { return "Vec<" + of + ", " + number(count) + '>'; }
  static std::string matrix_type(const Matrix& matrix) {
    return "Mat<X, " + number(matrix.rows) + ", " + number(matrix.cols) + '>';
  }
  std::string metric_type() const {
    if (!factor_.empty()) return "SparseSymmetric<X, typename " + name_ + "::FactorPattern>";
    return (s_.diagonal ? "Diagonal<X, " : "Symmetric<X, ") + number(nw_) + '>';
  }

  void table_rows() {
    for (int i = 0; i < static_cast<int>(g_.tables().size()); ++i) {
      const Table& table = *g_.tables()[static_cast<std::size_t>(i)];
      out_ += "[[maybe_unused]] KALABA_DATA constexpr double " + table_rows_name(name_, i) + "[] = {";
      for (std::size_t k = 0; k < table.rows().size(); ++k) {
        out_ += (k % static_cast<std::size_t>(table.width()) == 0 ? "\n    " : " ") + exactly(table.rows()[k]) + ',';
      }
      out_ += "};\n\n";
    }
  }

  /// Writes the numbers that `Dim` counts.
  void tables() {
    out_ +=
        "  static constexpr const char* name = \"\";\n  static constexpr const char* summary = \"\";\n"
        "  static constexpr const char* source = \"\";\n  static constexpr const char* equations = \"\";\n"
        "  static constexpr TimeGrid time{};\n"
        "  static constexpr Formulation formulation = Formulation(" +
        number(static_cast<int>(s_.formulation)) + ");\n";
    if (parameters_ == 0) out_ += "  struct None {};\n  static constexpr None parameters{};\n";
    table("Quantity", "parameters", static_cast<std::size_t>(parameters_));
    table("Quantity", "coordinates", nq_);
    table("Quantity", "rates", nw_);
    table("Quantity", "holonomic", s_.phi.size());
    table("Quantity", "nonholonomic", s_.psi.size());
    table("Invariant", "invariants", s_.invariants.size());
    if (!s_.contacts.empty()) out_ += "  static constexpr int contacts = " + number(s_.contacts.size()) + ";\n";
    if (!reactions_.empty()) out_ += "  static constexpr int reactions = " + number(reactions_.size()) + ";\n";
    if (s_.singular_metric) out_ += "  static constexpr bool singular_metric = true;\n";
    if (s_.actuation.cols > 0) out_ += "  static constexpr int actuators = " + number(s_.actuation.cols) + ";\n";
  }
  void table(const std::string& type, const std::string& name, std::size_t count) {
    if (count == 0) return;
    std::string rows;
    for (std::size_t i = 0; i < count; ++i) rows += i == 0 ? "{\"\", \"\"}" : ", {\"\", \"\"}";
    out_ += "  static constexpr " + type + ' ' + name + "[] = {" + rows + "};\n";
  }

  /// Writes the nonzero patterns of the metric's factor and of A unless they are dense.
  void patterns() {
    const int rows = s_.A.rows;
    const int positions = static_cast<int>(s_.phi.size());
    if (!factor_.empty()) out_ += pattern_text("FactorPattern", factor_, static_cast<int>(nw_));
    if (!sparse()) return;
    out_ += pattern_text("MatrixPattern", pattern_of(g_, s_.A, rows), s_.A.cols);
    if (positions > 0 && positions < rows) {
      out_ += pattern_text("PositionPattern", pattern_of(g_, s_.A, positions), s_.A.cols);
    }
    if (factor_.empty() || s_.actuation.cols > 0) return;
    const RowPattern weighted = weighted_pattern(pattern_of(g_, s_.A, rows), factor_);
    if (count_of(weighted) == rows * s_.A.cols) return;
    out_ += pattern_text("WeightedMatrixPattern", weighted, s_.A.cols);
    if (positions > 0 && positions < rows) {
      const RowPattern first(weighted.begin(), weighted.begin() + positions);
      out_ += pattern_text("WeightedPositionPattern", first, s_.A.cols);
    }
  }
  bool sparse() const { return s_.A.rows > 1 && count_of(pattern_of(g_, s_.A, s_.A.rows)) < s_.A.rows * s_.A.cols; }

  bool calls_functions() const {
    return std::ranges::any_of(reachable(g_, s_.stage()), [&](Id id) {
      const Op op = g_[id].op;
      const Function* const function = function_of(op);
      const bool is_called = op == Op::power || op == Op::table || (function != nullptr && function->is_called);
      return is_called && hoisted_.of_state(id);
    });
  }

  void prepare() {
    FunctionWriter body(g_, nullptr, name_);
    body.compute(hoisted_.entries());
    const std::string result = vec("C", hoisted_.entries().size());
    out_ += "\n  template <class C>\n  KALABA_FN static " + result + " prepare(const " +
            vec("C", static_cast<std::size_t>(parameters_)) + "&" + (body_uses(body, hoisted_.entries()) ? " p" : "") +
            ") {\n" + body.lines() + "    return " + body.list(hoisted_.entries()) + ";\n  }\n";
  }

  void start() {
    FunctionWriter body(g_, nullptr, name_);
    body.compute(s_.start_q);
    body.compute(s_.start_w);
    std::string lines;
    for (std::size_t i = 0; i < nq_; ++i) lines += "    q[" + number(i) + "] = " + body.value(s_.start_q[i]) + ";\n";
    for (std::size_t i = 0; i < nw_; ++i) lines += "    w[" + number(i) + "] = " + body.value(s_.start_w[i]) + ";\n";
    const std::string parameters = vec("C", static_cast<std::size_t>(parameters_));
    const std::string flags = vec("C", nq_ + nw_);
    out_ += "\n  template <class C, class Q, class W>\n  KALABA_FN static void start(const " + parameters + "&" +
            (body.uses("p") ? " p" : "") + ", const " + flags + "& given, Q& q, W& w) {\n" + body.lines() + lines +
            "  }\n";
    out_ +=
        "\n  template <class C, class Q, class W>\n  KALABA_FN static void start(const " + parameters +
        "& p, Q& q, W& w) {\n    " + flags + " given;\n    for (int i = 0; i < given.size; ++i) given[i] = C(0.0);\n" +
        "    for (int i = 0; i < q.size; ++i) q[i] = C(0.0);\n    for (int i = 0; i < w.size; ++i) w[i] = C(0.0);\n" +
        "    start(p, given, q, w);\n  }\n";
  }
  static bool body_uses(FunctionWriter& body, std::span<const Id> values) {
    body.list(values);
    return body.uses("p");
  }

  /// One function of the words in `arguments`; `result` writes what it returns from the computed values.
  template <class Result>
  void function(const std::string& name, const std::string& arguments, const std::string& type,
                std::span<const Id> roots, const Result& result, bool fuses = false) {
    FunctionWriter body(g_, &hoisted_, name_, static_cast<int>(nw_));
    if (fuses) body.fuse();
    body.compute(roots);
    const std::string returned = result(body);
    const char* const kind = body.operations() > most_inlined_operations ? "KALABA_NOINLINE" : "KALABA_FN";
    out_ += std::string("\n  template <class C, class X>\n  ") + kind + " static " + type + ' ' + name + '(';
    std::string list;
    const auto argument = [&](const std::string& word, const std::string& argument_type) {
      if ((' ' + arguments + ' ').find(' ' + word + ' ') == std::string::npos) return;
      list += (list.empty() ? "const " : ", const ") + argument_type + '&' + (body.uses(word) ? ' ' + word : "");
    };
    argument("p", vec("C", hoisted_.entries().size()));
    argument("t", "X");
    argument("q", vec("X", nq_));
    argument("w", vec("X", nw_));
    argument("ideal", vec("X", nw_));
    argument("lambda", vec("X", static_cast<std::size_t>(s_.A.rows)));
    out_ += list + ") {\n" + body.lines() + "    return " + returned + ";\n  }\n";
  }

  void vector(const std::string& name, const std::string& arguments, const std::vector<Id>& values) {
    function(name, arguments, vec("X", values.size()), values, [&](auto& body) { return body.list(values); });
  }
  void scalar(const std::string& name, const std::string& arguments, const std::string& type, Id value) {
    function(name, arguments, type, std::span(&value, 1), [&](auto& body) { return body.value(value); });
  }
  void gain(const std::string& name, Id value) {
    FunctionWriter body(g_, &hoisted_, name_);
    const int place = hoisted_.place(value);
    out_ += "\n  template <class C>\n  KALABA_FN static C " + name + "(const " + vec("C", hoisted_.entries().size()) +
            '&' + (place < 0 ? "" : " p") + ") {\n    return " +
            (place < 0 ? "C(" + exactly(g_[value].value) + ')' : "p[" + number(place) + ']') + ";\n  }\n";
  }

  std::string metric(FunctionWriter& body) const {
    if (s_.diagonal) return '{' + body.list(s_.metric) + '}';
    std::vector<Id> full;
    if (!factor_.empty()) {
      std::vector<Id> diagonal;
      for (int i = 0; i < static_cast<int>(nw_); ++i) {
        diagonal.push_back(s_.metric_entry(i, i));
        for (const int j : factor_[static_cast<std::size_t>(i)]) full.push_back(s_.metric_entry(j, i));
      }
      return "{{" + list(body, diagonal) + ", " + list(body, full) + "}}";
    }
    for (int i = 0; i < static_cast<int>(nw_); ++i) {
      for (int j = 0; j < static_cast<int>(nw_); ++j) full.push_back(s_.metric_entry(std::max(i, j), std::min(i, j)));
    }
    return "{{" + body.list(full) + "}}";
  }

  static std::string list(FunctionWriter& body, const std::vector<Id>& values) {
    return values.empty() ? std::string("{}") : '{' + body.list(values) + '}';
  }

  /// All that a stage needs, in one straight line.
  void stage() {
    const std::vector<Id> roots = s_.stage();
    std::vector<Id> rates = s_.phi_dot;
    rates.insert(rates.end(), s_.psi.begin(), s_.psi.end());
    const bool rooted = !s_.inverse_root.empty();
    const std::string type = rooted ? "RootedDiagonal<X, " + number(nw_) + '>' : metric_type();
    function("terms", "p t q w", "StageTerms<" + name_ + ", X, " + type + '>', roots, [&](auto& body) {
      const std::string rows = matrix(body);
      const std::string given = rooted ? '{' + body.list(s_.inverse_root) + '}' : metric(body);
      return "{" + list(body, s_.velocity) + ", " + given + ", " + list(body, s_.force) + ", " + rows + ", " +
             list(body, s_.phi) + ", " + list(body, rates) + ", " + list(body, s_.b) + '}';
    });
  }

  /// Writes the terms of a model with a single row.
  void single_row() {
    const auto returned = [&](FunctionWriter& body) {
      return "{" + list(body, row_->velocity) + ", " + list(body, row_->free) + ", " + list(body, row_->column) + ", " +
             list(body, row_->shift) + ", " + list(body, row_->position) + ", " + list(body, row_->rate) + ", " +
             body.value(row_->defect) + ", " + body.value(row_->gram) + '}';
    };
    function("single_row", "p t q w", "SingleRow<" + name_ + ", X>", row_->roots(), returned, true);
  }

  /// A: those of its entries that may differ from zero.
  std::string matrix(FunctionWriter& body) const {
    if (s_.A.entries.empty()) return "{}";
    if (!sparse()) return '{' + body.list(s_.A.entries) + '}';
    std::vector<Id> entries = s_.A.entries;
    std::erase_if(entries, [&](Id id) { return g_.is_number(id, 0); });
    return '{' + body.list(entries) + '}';
  }

  static constexpr std::size_t fewest_sparse = 4;  // rates of a model whose metric is stored with its zeros left out
  static constexpr int most_in_flight = 60;        // operations of a model that is stepped in several packs
  const std::string& name_;
  const std::vector<Slopes>& slopes_;
  const std::optional<Series>& series_;
  const Graph& g_;
  const Terms& s_;
  const std::optional<SingleRow>& row_;
  const std::vector<Id>& shift_;      // empty where dK/dw alone moves the coordinates
  const ContactValues& contacts_;     // empty without contacts
  const std::vector<Id>& reactions_;  // empty where the run does not request them
  int parameters_;
  std::size_t nq_;
  std::size_t nw_;
  Hoisted hoisted_;
  RowPattern factor_;  // empty: the metric is diagonal, or stored in full
  std::string out_;
};

/// Empty where dK/dw alone moves the coordinates, which the core takes from the velocity.
std::vector<Id> stated_shift(Graph& graph, const Terms& terms) {
  return terms.has_unreached() ? position_shift(graph, terms) : std::vector<Id>();
}

struct Structs {
  std::string name;
  std::string includes;
  std::string text;
};

/// The struct of the motion of a model while its contacts are open.
Structs emit_while_open(Graph& graph, const Terms& terms, int parameters, const std::string& of) {
  const std::string name = of + "WhileOpen";
  const Terms open = open_terms(graph, terms);
  const std::optional<SingleRow> row = single_row(graph, open);
  const std::vector<Id> shift = stated_shift(graph, open);
  const ContactValues contacts;
  const std::vector<Id> none;
  const std::vector<Slopes> slopes;
  const std::optional<Series> series;
  Emission emission(graph, open, row, shift, contacts, parameters, name, slopes, series, none);
  return {name, emission.includes(), emission.text("")};
}

/// Counts the operations of a stage. Throws where they are too many for compilers, before anything else is derived.
int count_operations(const Graph& graph, const Terms& terms) {
  const std::vector<Id> roots = terms.stage();
  const Hoisted hoisted(graph, roots);
  FunctionWriter stage(graph, &hoisted, "");
  stage.compute(roots);
  if (stage.operations() <= most_emitted_operations) return stage.operations();
  throw TooManyOperations(ExitCode::bad_input, "the model takes " + number(stage.operations()) +
                                                   " operations a stage; expected at most " +
                                                   number(most_emitted_operations));
}

}  // namespace

DeviceCode emit(const Graph& model, const Terms& terms, int parameters, const Derivatives& asked,
                const std::string& name) {
  const int operations = count_operations(model, terms);
  Graph graph = model;  // grows by the expressions that are derived here
  const std::optional<SingleRow> row = single_row(graph, terms);
  const std::vector<Id> shift = stated_shift(graph, terms);
  std::vector<Slopes> slopes;
  if (!asked.of.empty() || asked.jacobian) slopes = slopes_of(graph, terms, row, parameters, asked);
  std::optional<Series> series;
  if (asked.series) series = series_of(graph, terms);
  const std::vector<Id> reactions = asked.reactions ? terms.reactions : std::vector<Id>();
  const ContactValues contacts = contact_values(graph, terms);
  const Structs while_open = terms.contacts.empty() ? Structs() : emit_while_open(graph, terms, parameters, name);
  Emission emission(graph, terms, row, shift, contacts, parameters, name, slopes, series, reactions);
  const std::string text = emission.text(while_open.name);
  DeviceCode code{emission.includes() + while_open.includes + "\nnamespace kalaba {\n\n" + while_open.text + text +
                      "}  // namespace kalaba\n",
                  "kalaba::" + name, emission.packs_in_flight() > 1};
  code.operations = operations;
  return code;
}

}  // namespace kalaba::formula
