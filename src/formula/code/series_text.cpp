#include "formula/code/series_text.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "formula/code/emit.hpp"
#include "kalaba/error.hpp"

namespace kalaba::formula {
namespace {

using Ids = std::vector<Id>;

std::string digits(auto value) { return std::to_string(value); }

/// Nodes of positions and time alone, nodes that depend on rates, and nodes that depend on w' or multipliers. The
/// coefficients of a group are known one order before those of the next.
constexpr std::array group_names = {"positions", "rates", "forces"};
constexpr int groups = 3;

class SeriesText {
 public:
  SeriesText(const Graph& graph, const Hoisted& hoisted, const Series& series, const std::string& model)
      : g_(graph), hoisted_(hoisted), s_(series), model_(model) {
    for (const auto& [id, recurrence] : s_.nodes) find_group(id);
    for (const auto& [id, recurrence] : s_.nodes) allocate(id);
    keep(s_.positions, 0);
    keep(s_.velocity, 1);
    keep(s_.rates, 1);
    keep(s_.residual, 2);
    for (const Margin& each : s_.margins) row(each.node);
  }

  std::string text() {
    out_ = "\n  struct Series {\n";
    constant("rows", rows_.size() + weighted_.size());
    constant("inverses", inverses_.size());
    constant("held", held_.size());
    constant("choices", choices_.size());
    constant("margins", s_.margins.size());
    out_ += std::string("    static constexpr bool solves_forces = ") + (s_.solves_forces ? "true" : "false") + ";\n";
    begin();
    margins();
    for (int group = 0; group < groups; ++group) {
      sums(group);
      line(group, false);
      if (group > 0 || s_.velocity.empty()) line(group, true);
    }
    return out_ + "  };\n";
  }

 private:
  struct Product {
    int row_a, row_b;
    bool square;
  };

  bool varies(Id id) const {
    const auto found = s_.nodes.find(id);
    return found != s_.nodes.end() && found->second != Recurrence::held;
  }
  bool is_held(Id id) const { return s_.nodes.contains(id) && !varies(id); }
  int group_of(Id id) const { return group_.at(id); }

  void find_group(Id id) {
    const Node& node = g_[id];
    int group = node.op == Op::rate ? 1 : (node.op == Op::named ? 2 : 0);
    for (int i = 0; i < argument_count(node.op); ++i) {
      const Id argument = node.arguments[static_cast<std::size_t>(i)];
      if (varies(argument)) group = std::max(group, group_of(argument));
    }
    group_[id] = group;
  }

  int row(Id id) { return place(rows_, id); }
  int weighted(Id id) { return place(weighted_, id); }
  void hold(Id id) {
    if (is_held(id)) place(held_, id);
  }
  static int place(std::map<Id, int>& places, Id id) {
    return places.try_emplace(id, static_cast<int>(places.size())).first->second;
  }

  /// Finds the coefficients that the recurrence of a node reads from memory.
  void allocate(Id id) {
    const Node& node = g_[id];
    const auto [a, b, none] = node.arguments;
    switch (s_.nodes.at(id)) {
      case Recurrence::held:
        return;
      case Recurrence::linear:
        if (node.op == Op::multiply || node.op == Op::divide) {
          hold(a);
          hold(b);
        }
        break;
      case Recurrence::product:
        row(a);
        row(b);
        break;
      case Recurrence::square:
        row(a);
        break;
      case Recurrence::quotient:
        row(b);
        row(id);
        place(inverses_, b);
        break;
      case Recurrence::function:
        for (const SlopeOf& each : s_.slopes.at(id)) {
          hold(each.slope);
          if (!varies(each.slope)) continue;
          weighted(each.argument);
          row(each.slope);
        }
        break;
      case Recurrence::choice:
        place(choices_, s_.choices.at(id).condition);
        break;
      default:
        break;
    }
    for (const Id argument : read_by(id)) {
      if (varies(argument) && group_of(argument) < group_of(id)) row(argument);
    }
  }
  /// Nodes whose coefficients of the same order a line reads.
  Ids read_by(Id id) const {
    Ids read;
    if (s_.nodes.at(id) == Recurrence::choice) {
      read = {s_.choices.at(id).yes, s_.choices.at(id).no};
    } else if (s_.nodes.at(id) == Recurrence::function) {
      for (const SlopeOf& each : s_.slopes.at(id)) read.push_back(each.argument);
    } else {
      const Node& node = g_[id];
      read.assign(node.arguments.begin(), node.arguments.begin() + argument_count(node.op));
    }
    return read;
  }
  void keep(const Ids& results, int group) {
    for (const Id id : results) {
      if (varies(id) && group_of(id) < group) row(id);
    }
  }

  void constant(const std::string& name, std::size_t value) {
    out_ += "    static constexpr int " + name + " = " + digits(value) + ";\n";
  }
  std::string parameters() const {
    return "[[maybe_unused]] const Vec<C, " + digits(hoisted_.entries().size()) + ">& p";
  }
  std::string coefficient(Id id, const std::string& order) const {
    return "s.c[" + digits(rows_.at(id)) + "][" + order + ']';
  }
  std::string held(Id id) const { return "s.held[" + digits(held_.at(id)) + ']'; }
  std::string choice(Id condition) const { return "s.choice[" + digits(choices_.at(condition)) + ']'; }
  std::string weighted_row(Id id) const { return digits(rows_.size() + static_cast<std::size_t>(weighted_.at(id))); }
  static const char* kind(int operations) {
    return operations > most_inlined_operations ? "KALABA_NOINLINE" : "KALABA_FN";
  }

  /// Writes all coefficients of order 0, and the branches of the step.
  void begin() {
    FunctionWriter body = beginning();
    Ids stored;
    for (const auto* places : {&rows_, &held_, &choices_}) {
      for (const auto& [id, place] : *places) stored.push_back(id);
    }
    body.compute(stored);
    for (const auto& [id, place] : rows_) body.write(coefficient(id, "0") + " = " + body.value(id) + ';');
    for (const auto& [id, place] : held_) body.write(held(id) + " = " + body.value(id) + ';');
    for (const auto& [id, place] : choices_) body.write(choice(id) + " = " + body.value(id) + ';');
    for (const auto& [id, place] : inverses_) {
      body.write("s.inverse[" + digits(place) + "] = X(1.0) / " + body.value(id) + ';');
    }
    write_beginning("begin", body);
  }

  /// Writes the margins at the beginning of a step, with the sizes of their terms, and the rows of their coefficients.
  void margins() {
    if (s_.margins.empty()) return;
    FunctionWriter body = beginning();
    Ids stored;
    for (const Margin& each : s_.margins) stored.insert(stored.end(), {each.node, each.terms});
    body.compute(stored);
    std::string rows;
    for (std::size_t i = 0; i < s_.margins.size(); ++i) {
      const Margin& each = s_.margins[i];
      const std::string to = "s.margin[" + digits(i) + ']';
      const bool is_lower = each.of == Margin::Of::lower_end;
      std::string value = body.value(each.node);
      if (each.of != Margin::Of::number) {
        const Table& table = *g_.tables()[static_cast<std::size_t>(each.table)];
        const std::string end = "piece_end<" + digits(table.degree()) + ">(" + table_rows_name(model_, each.table) +
                                ", " + digits(table.count()) + ", " + (is_lower ? "false, " : "true, ") + value + ')';
        value = is_lower ? value + " - " + end : end + " - " + value;
      }
      body.write(to + ".value = " + value + ';');
      body.write(to + ".terms = " + body.value(each.terms) + ';');
      body.write(to + ".sign = X(" + (each.of == Margin::Of::upper_end ? "-1.0" : "1.0") + ");");
      body.write(to + ".row = " + digits(row(each.node)) + ';');
      body.write(to + ".lag = " + (group_of(each.node) == 0 ? "0;" : "1;"));
    }
    write_beginning("begin_margins", body);
  }

  /// A function of the numbers at the beginning of a step.
  FunctionWriter beginning() const {
    FunctionWriter body(g_, &hoisted_, model_);
    for (std::size_t i = 0; i < s_.w_dot.size(); ++i) body.call(s_.w_dot[i], "dw[" + digits(i) + ']');
    for (std::size_t r = 0; r < s_.lambda.size(); ++r) body.call(s_.lambda[r], "lambda[" + digits(r) + ']');
    return body;
  }
  void write_beginning(const char* name, const FunctionWriter& body) {
    check(body.operations());
    out_ += std::string("    template <class C, class X, class S>\n    ") + kind(body.operations()) + " static void " +
            name + '(' + parameters() +
            ", [[maybe_unused]] const X& t, [[maybe_unused]] const X* q, [[maybe_unused]] const X* w,\n"
            "        [[maybe_unused]] const X* dw, [[maybe_unused]] const X* lambda, S& s) {\n" +
            body.lines() + "    }\n";
  }

  static void check(int operations) {
    if (operations <= most_emitted_operations) return;
    throw Error(ExitCode::bad_input, "the Taylor series of the model takes " + digits(operations) +
                                         " operations an order; expected at most " + digits(most_emitted_operations) +
                                         "; use solver.integrator = \"dop853\"");
  }

  /// Numbers the sums of the nodes of a group, and writes them: of orders below k alone.
  void sums(int group) {
    std::vector<Product> products;
    const auto add = [&](Id id, int place, int row_a, int row_b, bool square = false) {
      sum_place_[{id, place}] = static_cast<int>(products.size());
      products.push_back({row_a, row_b, square});
    };
    for (const auto& [id, recurrence] : s_.nodes) {
      if (group_of(id) != group || !varies(id)) continue;
      const auto [a, b, none] = g_[id].arguments;
      switch (s_.nodes.at(id)) {
        case Recurrence::product:
          add(id, 0, row(a), row(b));
          break;
        case Recurrence::square:
          add(id, 0, row(a), row(a), true);
          break;
        case Recurrence::quotient:
          add(id, 0, row(id), row(b));
          break;
        case Recurrence::function: {
          int place = 0;
          for (const SlopeOf& each : s_.slopes.at(id)) {
            if (varies(each.slope)) {
              add(id, place, static_cast<int>(rows_.size()) + weighted(each.argument), row(each.slope));
            }
            ++place;
          }
          break;
        }
        default:
          break;
      }
    }
    const std::string name = group_names[static_cast<std::size_t>(group)];
    std::string lines;
    for (const bool square : {false, true}) {
      std::vector<int> chosen;
      const auto flush = [&] {
        if (!chosen.empty()) lines += loop(products, chosen, square, sum_name(group));
        chosen.clear();
      };
      for (std::size_t i = 0; i < products.size(); ++i) {
        if (products[i].square != square) continue;
        chosen.push_back(static_cast<int>(i));
        if (chosen.size() == most_in_loop) flush();
      }
      flush();
    }
    constant(name + "_sums", products.size());
    out_ += "    template <class S>\n    " + std::string(kind(static_cast<int>(products.size()) * sum_operations)) +
            " static void " + name +
            "_sums_of([[maybe_unused]] int k, [[maybe_unused]] S& s) {\n      using X [[maybe_unused]] = typename "
            "S::Number;\n" +
            lines + "    }\n";
  }

  /// Sums of a_j b_(k - j) for 0 < j < k, several in one loop. Those of a square are symmetric in j.
  static std::string loop(const std::vector<Product>& products, const std::vector<int>& chosen, bool square,
                          const std::string& to) {
    std::string before;
    std::string inside;
    std::string after;
    for (const int i : chosen) {
      const Product& each = products[static_cast<std::size_t>(i)];
      const std::string sum = "a" + digits(i);
      const std::string a = "s.c[" + digits(each.row_a) + ']';
      const std::string b = "s.c[" + digits(each.row_b) + ']';
      before += "        X " + sum + "(0.0);\n";
      inside += "          " + sum + " = fma(" + a + "[j], " + b + "[k - j], " + sum + ");\n";
      if (square) {
        after += "        " + sum + " = " + sum + " + " + sum + ";\n        if (k > 0 && k % 2 == 0) " + sum +
                 " = fma(" + a + "[k / 2], " + a + "[k / 2], " + sum + ");\n";
      }
      after += "        " + to + '[' + digits(i) + "] = " + sum + ";\n";
    }
    const std::string condition = square ? "2 * j < k" : "j < k";
    return "      {\n" + before + "        for (int j = 1; " + condition + "; ++j) {\n" + inside + "        }\n" +
           after + "      }\n";
  }

  /// Writes the coefficients of order k of a group, a function of the coefficients that the core passes and of the
  /// sums. With `known`, the passed coefficients are 0 and only the results are written.
  void line(int group, bool known) {
    FunctionWriter constants(g_, &hoisted_, model_);
    names_.clear();
    gives_nothing_ = known;
    std::string lines;
    std::string stores;
    int operations = 0;
    const Ids& results = group == 0 ? s_.positions : (group == 1 ? s_.rates : s_.residual);
    Ids returned = group == 1 ? s_.velocity : Ids{};
    returned.insert(returned.end(), results.begin(), results.end());
    const std::set<Id> needed = known ? needed_by(returned, group) : std::set<Id>();
    for (const auto& [id, recurrence] : s_.nodes) {
      if (group_of(id) != group || !varies(id) || (known && !needed.contains(id))) continue;
      std::string text = text_of(id, constants);
      if (!text.empty() && recurrence != Recurrence::leaf) {
        const std::string name = 'a' + digits(operations++);
        lines += "      const X " + name + " = " + text + ";\n";
        text = name;
      }
      names_[id] = text;
      const std::string value = text.empty() ? "X(0.0)" : text;
      if (rows_.contains(id)) stores += "        " + coefficient(id, "k") + " = " + value + ";\n";
    }
    for (const auto& [id, place] : weighted_) {
      if (known || group_of(id) != group) continue;
      const std::string& text = names_.at(id);
      stores += "        s.c[" + weighted_row(id) + "][k] = " + (text.empty() ? "X(0.0)" : "X(k) * " + text) + ";\n";
    }
    std::string list;
    for (const Id id : returned) {
      const std::string text = varies(id) ? v(id, group) : "";
      list += (list.empty() ? "" : ", ") + (text.empty() ? "X(0.0)" : text);
    }
    check(operations);
    const std::string name = group_names[static_cast<std::size_t>(group)];
    const std::string given = group == 0   ? ", [[maybe_unused]] const X& tk, [[maybe_unused]] const X* q"
                              : group == 1 ? ", [[maybe_unused]] const X* w"
                                           : ", [[maybe_unused]] const X* dw, [[maybe_unused]] const X* lambda";
    out_ += std::string("    template <") + (known ? "" : "bool Keep, ") + "class C, class X, class S>\n    " +
            kind(operations) + " static Vec<X, " + digits(returned.size()) + "> " + (known ? "known_" : "") + name +
            "([[maybe_unused]] int k, " + parameters() + ",\n        [[maybe_unused]] const X& ik" +
            (known ? "" : given) + ", [[maybe_unused]] S& s) {\n" + lines +
            (known ? "" : "      if constexpr (Keep) {\n" + stores + "      }\n") + "      return {" + list +
            "};\n    }\n";
  }
  /// The nodes of a group whose coefficients of the same order the results need.
  std::set<Id> needed_by(const Ids& results, int group) const {
    std::set<Id> needed;
    Ids waiting = results;
    while (!waiting.empty()) {
      const Id id = waiting.back();
      waiting.pop_back();
      if (!varies(id) || group_of(id) != group || !needed.insert(id).second) continue;
      const Ids read = read_by(id);
      waiting.insert(waiting.end(), read.begin(), read.end());
    }
    return needed;
  }

  /// Coefficient of order k of a node, as a line of a group names it; empty if it is 0.
  std::string v(Id id, int group) const {
    if (!varies(id)) return "";
    return group_of(id) == group ? names_.at(id) : coefficient(id, "k");
  }
  std::string z(Id id, FunctionWriter& constants) const {
    if (varies(id)) return coefficient(id, "0");
    return is_held(id) ? held(id) : constants.value(id);
  }
  std::string sum_of(Id id, int place) const {
    return sum_name(group_of(id)) + '[' + digits(sum_place_.at({id, place})) + ']';
  }
  static std::string sum_name(int group) {
    return std::string("s.sums_of_") + group_names[static_cast<std::size_t>(group)];
  }
  static std::string times_added(const std::string& a, const std::string& b, const std::string& c) {
    return c.empty() ? a + " * " + b : "fma(" + a + ", " + b + ", " + c + ')';
  }

  std::string text_of(Id id, FunctionWriter& constants) const {
    const Node& node = g_[id];
    const int group = group_of(id);
    const auto [a, b, none] = node.arguments;
    const auto v = [&](Id of) { return this->v(of, group); };
    const auto z = [&](Id of) { return this->z(of, constants); };
    switch (s_.nodes.at(id)) {
      case Recurrence::held:
        return "";
      case Recurrence::leaf:
        return leaf(node);
      case Recurrence::choice: {
        const auto& [condition, yes, no] = s_.choices.at(id);
        const auto number = [&](Id of) { return v(of).empty() ? std::string("X(0.0)") : v(of); };
        return v(yes) == v(no) ? v(yes) : "select(" + choice(condition) + ", " + number(yes) + ", " + number(no) + ')';
      }
      case Recurrence::linear:
        return linear(node, v(a), b < 0 ? "" : v(b), constants);
      case Recurrence::product: {
        const std::string first = v(a).empty() ? sum_of(id, 0) : times_added(v(a), z(b), sum_of(id, 0));
        return v(b).empty() ? first : times_added(z(a), v(b), first);
      }
      case Recurrence::square: {
        const std::string x = v(a);
        return x.empty() ? sum_of(id, 0) : times_added(z(a) + " + " + z(a), x, sum_of(id, 0));
      }
      case Recurrence::quotient: {
        const std::string rest = v(b).empty() ? sum_of(id, 0) : times_added(z(id), v(b), sum_of(id, 0));
        const std::string above = v(a).empty() ? "-" : v(a) + " - ";
        return '(' + above + rest + ") * s.inverse[" + digits(inverses_.at(b)) + ']';
      }
      case Recurrence::function: {
        std::string text;
        int place = 0;
        for (const SlopeOf& each : s_.slopes.at(id)) {
          if (varies(each.slope)) text = times_added(sum_of(id, place), "ik", text);
          if (!v(each.argument).empty()) text = times_added(z(each.slope), v(each.argument), text);
          ++place;
        }
        return text;
      }
    }
    return "";
  }
  std::string leaf(const Node& node) const {
    if (gives_nothing_) return "";
    switch (node.op) {
      case Op::coordinate:
        return "q[" + digits(node.index) + ']';
      case Op::rate:
        return "w[" + digits(node.index) + ']';
      case Op::time:
        return "tk";
      default: {
        const auto rates = static_cast<int>(s_.w_dot.size());
        return node.index < rates ? "dw[" + digits(node.index) + ']' : "lambda[" + digits(node.index - rates) + ']';
      }
    }
  }
  std::string linear(const Node& node, const std::string& a, const std::string& b, FunctionWriter& constants) const {
    const auto [x, y, none] = node.arguments;
    switch (node.op) {
      case Op::add:
        return a.empty() || b.empty() ? a + b : a + " + " + b;
      case Op::subtract:
        if (b.empty()) return a;
        return a.empty() ? '-' + b : a + " - " + b;
      case Op::negate:
        return a.empty() ? "" : '-' + a;
      case Op::multiply:
        if (a.empty() && b.empty()) return "";
        return a.empty() ? z(x, constants) + " * " + b : a + " * " + z(y, constants);
      default:
        return a.empty() ? "" : a + " / " + z(y, constants);
    }
  }

  static constexpr std::size_t most_in_loop = 6;  // accumulators
  static constexpr int sum_operations = 4;        // a measure of the code of a sum

  const Graph& g_;
  const Hoisted& hoisted_;
  const Series& s_;
  const std::string& model_;
  std::map<Id, int> group_;
  std::map<Id, int> rows_, weighted_, inverses_, held_, choices_;
  std::map<std::pair<Id, int>, int> sum_place_;
  std::map<Id, std::string> names_;
  bool gives_nothing_ = false;
  std::string out_;
};

}  // namespace

std::string series_text(const Graph& graph, const Hoisted& hoisted, const Series& series, const std::string& model) {
  return SeriesText(graph, hoisted, series, model).text();
}

}  // namespace kalaba::formula
