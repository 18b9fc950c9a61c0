#include "formula/describe_terms.hpp"

#include <algorithm>

#include "formula/code/function_writer.hpp"
#include "formula/graph/traverse.hpp"

namespace kalaba::formula {
namespace {

constexpr std::size_t most_lines = 24;  // of one kind
constexpr int most_rows_pictured = 64;

/// The equations of a model in one notation.
class Equations {
 public:
  Equations(const Graph& graph, const Terms& terms, const SystemInfo& info, Notation notation)
      : s_(terms), info_(info), latex_(notation == Notation::latex), print_(graph, info, notation, terms.stage()) {
    while (zero_ < static_cast<Id>(graph.size()) && !graph.is_number(zero_, 0)) ++zero_;
  }

  std::string all() {
    const char* metric[] = {"M", "H_pp", "Theta"};
    const char* force[] = {"Q", "-H_q", "F"};
    const auto formulation = static_cast<std::size_t>(s_.formulation);
    metric_lines(metric[formulation]);
    lines(force[formulation], info_.rates, s_.force);
    if (!s_.velocity_is_w) velocity_lines();
    constraint_lines();
    A_lines();
    std::vector<Variable> rows = info_.constraints;
    rows.resize(s_.b.size());
    lines("b", rows, s_.b);
    lines("C", info_.rates, s_.non_ideal);
    return named_parts() + out_;
  }

 private:
  std::string label(const std::string& quantity, const std::string& of) const {
    if (!latex_) return quantity + '[' + of + ']';
    const std::string letter = quantity == "H_pp"    ? "H_{pp}"
                               : quantity == "-H_q"  ? "-H_q"
                               : quantity == "Theta" ? "\\Theta"
                                                     : quantity;
    return letter + "_{" + of + '}';
  }
  void line(const std::string& left, const std::string& right) {
    out_ += latex_ ? left + " &= " + right + " \\\\\n" : left + " = " + right + '\n';
  }
  void rest(std::size_t count) {
    if (count > most_lines) {
      const std::string text = "... " + std::to_string(count - most_lines) + " more";
      out_ += latex_ ? "&\\text{" + text + "} \\\\\n" : text + '\n';
    }
  }
  /// Adds a line for each value that is not zero.
  void lines(const std::string& quantity, const std::vector<Variable>& of, const std::vector<Id>& values) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] == zero_) continue;
      if (count++ < most_lines) line(label(quantity, print_.name(of[i].name)), print_(values[i]));
    }
    if (count == 0 && !values.empty()) line(quantity, "0");
    rest(count);
  }

  void metric_lines(const std::string& quantity) {
    std::size_t count = 0;
    const int n = static_cast<int>(s_.force.size());
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) {
        const Id entry = s_.metric_entry(i, j);
        if (entry < 0 || entry == zero_ || count++ >= most_lines) continue;
        const auto name = [&](int k) { return print_.name(info_.rates[static_cast<std::size_t>(k)].name); };
        line(label(quantity, i == j ? name(i) : name(i) + ", " + name(j)), print_(entry));
      }
    }
    rest(count);
  }

  void velocity_lines() {
    for (std::size_t i = 0; i < std::min(s_.velocity.size(), most_lines); ++i) {
      const std::string name = info_.coordinates[i].name;
      line(latex_ ? print_.name(name + "_dot") : name + '\'', print_(s_.velocity[i]));
    }
    rest(s_.velocity.size());
  }

  void constraint_lines() {
    for (std::size_t r = 0; r < std::min(s_.b.size(), most_lines); ++r) {
      const bool holonomic = r < s_.phi.size();
      line(label(holonomic ? (latex_ ? "\\varphi" : "phi") : (latex_ ? "\\psi" : "psi"),
                 print_.name(info_.constraints[r].name)),
           print_(holonomic ? s_.phi[r] : s_.psi[r - s_.phi.size()]) + " = 0");
    }
    rest(s_.b.size());
  }

  void A_lines() {
    std::size_t count = 0;
    for (int r = 0; r < s_.A.rows; ++r) {
      for (int j = 0; j < s_.A.cols; ++j) {
        if (s_.A(r, j) == zero_ || count++ >= most_lines) continue;
        line(label("A", print_.name(info_.constraints[static_cast<std::size_t>(r)].name) + ", " +
                            print_.name(info_.rates[static_cast<std::size_t>(j)].name)),
             print_(s_.A(r, j)));
      }
    }
    rest(count);
  }

  std::string named_parts() {
    std::string text;
    const auto parts = print_.parts();
    for (std::size_t i = 0; i < std::min(parts.size(), most_lines); ++i) {
      std::string part = parts[i];
      if (latex_) part.insert(part.find('='), "&");
      text += part + (latex_ ? " \\\\\n" : "\n");
    }
    if (parts.size() > most_lines) text += "... " + std::to_string(parts.size() - most_lines) + " more\n";
    return text;
  }

  const Terms& s_;
  const SystemInfo& info_;
  bool latex_;
  Printer print_;
  Id zero_ = 0;
  std::string out_;
};

}  // namespace

std::string equations_text(const Graph& graph, const Terms& terms, const SystemInfo& info) {
  return Equations(graph, terms, info, Notation::text).all();
}

std::string equations_latex(const Graph& graph, const Terms& terms, const SystemInfo& info) {
  return "\\begin{align*}\n" + Equations(graph, terms, info, Notation::latex).all() + "\\end{align*}\n";
}

std::string structure_text(const Graph& graph, const Terms& terms, const SystemInfo& info) {
  const auto count = [](long number, const std::string& what) {
    return std::to_string(number) + ' ' + what + (number == 1 ? "" : "s");
  };
  std::string text = count(static_cast<long>(info.coordinates.size()), "coordinate") + ", " +
                     count(static_cast<long>(info.rates.size()), "rate") + ", " +
                     count(static_cast<long>(terms.b.size()), "constraint") + '\n';
  const bool constant = std::ranges::none_of(
      terms.metric, [&](Id id) { return depends_on(graph, id, Op::coordinate) || depends_on(graph, id, Op::time); });
  text += std::string("metric: ") + (terms.diagonal ? "diagonal" : "full") + (constant ? ", constant" : "") +
          (terms.singular_metric ? ", may be singular" : "") + '\n';
  const std::vector<Id> roots = terms.stage();
  const Hoisted hoisted(graph, roots);
  FunctionWriter stage(graph, &hoisted, "");
  stage.compute(roots);
  text += count(stage.operations(), "operation") + " a stage for its terms, " + count(hoisted.size(), "number") +
          " of parameters alone computed once a member\n";
  if (terms.A.rows == 0) return text;
  const auto full = [&](Id id) { return !graph.is_number(id, 0); };
  text += "A: " + std::to_string(std::ranges::count_if(terms.A.entries, full)) + " of " +
          std::to_string(terms.A.entries.size()) + " entries are not zero\n";
  if (terms.A.rows > most_rows_pictured || terms.A.cols > 2 * most_rows_pictured) return text;
  for (int r = 0; r < terms.A.rows; ++r) {
    text += "  ";
    for (int j = 0; j < terms.A.cols; ++j) text += full(terms.A(r, j)) ? 'x' : '.';
    text += '\n';
  }
  return text;
}

}  // namespace kalaba::formula
