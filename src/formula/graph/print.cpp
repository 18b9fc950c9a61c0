#include "formula/graph/print.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "formula/graph/functions.hpp"
#include "formula/graph/traverse.hpp"

namespace kalaba::formula {
namespace {

// Precedence of an expression.
constexpr int sum_binds = 1;
constexpr int sign_binds = 2;
constexpr int product_binds = 3;
constexpr int power_binds = 4;
constexpr int atom_binds = 5;

constexpr long shown_in_full = 400;   // operations of all expressions together
constexpr long worth_a_name = 6;      // operations
constexpr int deepest_printed = 200;  // operations in one another without a name
constexpr long countless = 1'000'000;

std::string shortest(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

/// Name of an operation that is written as a function.
std::string_view function_name(Op op) {
  const Function* const function = function_of(op);
  if (function != nullptr) return function->name;
  return op == Op::negation ? "not" : "where";
}

/// An operation that is written as a function, in LaTeX.
std::string latex_call(Op op, const std::string& arguments) {
  const Function* const function = function_of(op);
  const std::string notation = function != nullptr && !function->latex.empty()
                                   ? std::string(function->latex)
                                   : "\\operatorname{" + std::string(function_name(op)) + '}';
  const auto place = notation.find('#');
  if (place == std::string::npos) return notation + "\\left(" + arguments + "\\right)";
  return notation.substr(0, place) + arguments + notation.substr(place + 1);
}

constexpr std::array greek = {"alpha", "beta",   "gamma",  "delta", "epsilon", "zeta",  "eta",
                              "theta", "kappa",  "lambda", "mu",    "nu",      "xi",    "rho",
                              "sigma", "tau",    "phi",    "psi",   "omega",   "Gamma", "Delta",
                              "Theta", "Lambda", "Phi",    "Psi",   "Omega",   "iota",  "chi"};

/// theta1 -> \theta_{1}, x_dot -> \dot{x}, p_x -> p_{x}, speed -> \mathrm{speed}
std::string latex_name(const std::string& word) {
  if (word.size() > 4 && word.ends_with("_dot")) return "\\dot{" + latex_name(word.substr(0, word.size() - 4)) + '}';
  const auto subscript = word.find('_');
  if (subscript != std::string::npos && subscript > 0 && subscript + 1 < word.size()) {
    return latex_name(word.substr(0, subscript)) + "_{" + latex_name(word.substr(subscript + 1)) + '}';
  }
  const auto digits = word.find_first_of("0123456789");
  if (digits != std::string::npos && digits > 0 && word.find_first_not_of("0123456789", digits) == std::string::npos) {
    return latex_name(word.substr(0, digits)) + "_{" + word.substr(digits) + '}';
  }
  if (std::ranges::find(greek, word) != greek.end()) return '\\' + word;
  return word.size() == 1 ? word : "\\mathrm{" + word + '}';
}

}  // namespace

Printer::Printer(const Graph& graph, const SystemInfo& info, Notation notation, std::span<const Id> roots)
    : graph_(graph), info_(info), notation_(notation) {
  std::map<Id, long> sizes;
  std::map<Id, int> uses;
  const std::vector<Id> order = reachable(graph, roots);
  for (const Id root : roots) uses[root] += 1;
  for (const Id id : order) {
    const Node& node = graph[id];
    long& size = sizes[id];
    for (int i = 0; i < argument_count(node.op); ++i) {
      const Id argument = node.arguments[static_cast<std::size_t>(i)];
      uses[argument] += 1;
      size = std::min(size + sizes.at(argument) + (i == 0 ? 1 : 0), countless);
    }
  }
  long total = 0;
  for (const Id root : roots) total += sizes.at(root);
  if (total <= shown_in_full) return;
  std::map<Id, int> depths;
  for (const Id id : order) {
    const Node& node = graph[id];
    int& depth = depths[id];
    for (int i = 0; i < argument_count(node.op); ++i) {
      depth = std::max(depth, depths.at(node.arguments[static_cast<std::size_t>(i)]) + 1);
    }
    const bool is_shared = uses.at(id) > 1 && sizes.at(id) >= worth_a_name;
    if (graph.is_mask(id) || (!is_shared && depth < deepest_printed)) continue;
    names_[id] = 'e' + std::to_string(names_.size() + 1);
    depth = 0;
  }
}

std::string Printer::name(const std::string& word) const {
  return notation_ == Notation::latex ? latex_name(word) : word;
}

std::string Printer::operator()(Id id) const { return piece(id).text; }

std::vector<std::string> Printer::parts() const {
  std::vector<std::string> result;
  for (const auto& [id, own] : names_) result.push_back(name(own) + " = " + expression(id).text);
  return result;
}

std::string Printer::in(const Piece& piece, int binds) const {
  if (piece.binds >= binds) return piece.text;
  return notation_ == Notation::latex ? "\\left(" + piece.text + "\\right)" : '(' + piece.text + ')';
}

Printer::Piece Printer::piece(Id id) const {
  const auto named = names_.find(id);
  return named == names_.end() ? expression(id) : Piece{name(named->second), atom_binds};
}

Printer::Piece Printer::symbol(const Node& node) const {
  const auto of = [&](const std::vector<Variable>& table, const char* letter) -> Piece {
    const auto index = static_cast<std::size_t>(node.index);
    return {name(index < table.size() ? table[index].name : letter + std::to_string(node.index + 1)), atom_binds};
  };
  switch (node.op) {
    case Op::parameter:
      return of(info_.parameters, "p");
    case Op::coordinate:
      return of(info_.coordinates, "q");
    case Op::rate:
      return of(info_.rates, "v");
    case Op::ideal: {
      const auto multiplier = node.index - static_cast<int>(info_.rates.size());
      if (multiplier >= 0) {
        const std::string row = std::to_string(multiplier + 1);
        return {notation_ == Notation::latex ? "\\lambda_{" + row + '}' : "lambda_" + row, atom_binds};
      }
      const std::string rate = of(info_.rates, "v").text;
      return {notation_ == Notation::latex ? "Q^{\\mathrm{ci}}_{" + rate + '}' : "ideal." + rate, atom_binds};
    }
    default:
      return {"t", atom_binds};
  }
}

/// a/b; in LaTeX a fraction.
Printer::Piece Printer::quotient(const std::string& above, const Piece& piece_above, const Piece& below) const {
  if (notation_ == Notation::latex) return {"\\frac{" + above + "}{" + below.text + '}', product_binds};
  return {in(piece_above, product_binds) + '/' + in(below, power_binds), product_binds};
}

/// c x, c a power of two: x/2 for 0.5 x.
Printer::Piece Printer::scaled(double factor, Id of) const {
  if (factor < 0) {
    const Piece positive = factor == -1 ? piece(of) : scaled(-factor, of);
    return {'-' + in(positive, product_binds), sign_binds};
  }
  const Piece x = piece(of);
  if (factor < 1) return quotient(x.text, x, {shortest(1 / factor), atom_binds});
  return {shortest(factor) + (notation_ == Notation::latex ? "\\," : "*") + in(x, product_binds), product_binds};
}

Printer::Piece Printer::sum(const Node& node) const {
  const Piece left = piece(node.arguments[0]);
  Piece right = piece(node.arguments[1]);
  bool minus = node.op == Op::subtract;
  if (right.binds == sign_binds && !right.text.empty() && right.text[0] == '-') {  // a + -b
    right = {right.text.substr(1), product_binds};
    minus = !minus;
  }
  return {left.text + (minus ? " - " + in(right, product_binds) : " + " + right.text), sum_binds};
}

Printer::Piece Printer::call(const Node& node) const {
  std::string list;
  for (int i = 0; i < argument_count(node.op); ++i) {
    list += (i == 0 ? "" : ", ") + piece(node.arguments[static_cast<std::size_t>(i)]).text;
  }
  if (notation_ == Notation::text) return {std::string(function_name(node.op)) + '(' + list + ')', atom_binds};
  return {latex_call(node.op, list), atom_binds};
}

Printer::Piece Printer::expression(Id id) const {
  const Node& node = graph_[id];
  const auto [a, b, c] = node.arguments;
  const bool latex = notation_ == Notation::latex;
  const auto compared = [&](const std::string& sign) -> Piece {
    return {in(piece(node.arguments[0]), 0) + sign + in(piece(node.arguments[1]), 0), 0};
  };
  if (is_symbol(node.op)) return symbol(node);
  switch (node.op) {
    case Op::number:
      return {shortest(node.value), node.value < 0 ? sign_binds : atom_binds};
    case Op::add:
    case Op::subtract:
      return sum(node);
    case Op::negate:
      return scaled(-1, a);
    case Op::multiply: {
      int exponent = 0;
      const auto factor = graph_.constant(a);
      if (factor && std::abs(std::frexp(*factor, &exponent)) == 0.5) return scaled(*factor, b);
      return {in(piece(a), product_binds) + (latex ? "\\," : "*") + in(piece(b), latex ? product_binds : power_binds),
              product_binds};
    }
    case Op::divide:
      return quotient(piece(a).text, piece(a), piece(b));
    case Op::raise: {
      const std::string exponent = std::to_string(node.index);
      const std::string base = in(piece(a), atom_binds);
      if (latex) return {'{' + base + "}^{" + exponent + '}', power_binds};
      return {base + '^' + (node.index < 0 ? '(' + exponent + ')' : exponent), power_binds};
    }
    case Op::power: {
      if (latex) return {'{' + in(piece(a), atom_binds) + "}^{" + piece(b).text + '}', power_binds};
      return {in(piece(a), atom_binds) + '^' + in(piece(b), atom_binds), power_binds};
    }
    case Op::table: {
      const auto [table, order] = TableUse::of(node.index);
      const std::string primes(static_cast<std::size_t>(order), '\'');
      const std::string file = graph_.tables()[static_cast<std::size_t>(table)]->name();
      const std::string x = piece(a).text;
      if (latex) return {"\\mathrm{table}" + primes + "\\left(" + x + "\\right)", atom_binds};
      return {"table" + primes + '(' + x + ", '" + file + "')", atom_binds};
    }
    case Op::less:
      return compared(" < ");
    case Op::less_equal:
      return compared(latex ? " \\le " : " <= ");
    case Op::both:
      return compared(latex ? " \\land " : " and ");
    case Op::either:
      return {piece(a).text + (latex ? " \\lor " : " or ") + piece(b).text, -1};
    default:
      return call(node);
  }
}

}  // namespace kalaba::formula
