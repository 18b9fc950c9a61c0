#include "report/data/drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "kalaba/core/events/watch.hpp"
#include "kalaba/error.hpp"
#include "text/nearest.hpp"
#include "text/parse.hpp"

namespace kalaba {
namespace {

constexpr std::string_view blank = " \t\n\v\f\r";

/// Splits a text at separators outside parentheses.
std::vector<std::string> split(const std::string& text, std::string_view separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size()) depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    const bool here = depth == 0 && text.compare(i, separator.size(), separator) == 0;
    if (i < text.size() && !here) continue;
    parts.emplace_back(trimmed(std::string_view(text).substr(begin, i - begin), blank));
    begin = i + separator.size();
    i += separator.size() - 1;
  }
  return parts;
}

bool is_name(const std::string& text) {
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 && std::ranges::all_of(text, in_word);
}

bool changes(const Expression& expression) {
  for (int i = 0; i < expression.size; ++i) {
    const Operation operation = expression.code[i].operation;
    if (operation == Operation::time || operation == Operation::coordinate || operation == Operation::rate) return true;
  }
  return false;
}

class DrawingReader {
 public:
  explicit DrawingReader(const SystemInfo& system) : system_(system), curved_(system) {
    curved_.parameters.push_back({"s", "rad", 0, ""});
  }

  Drawing read(const std::string& text) {
    for (const std::string& item : split(text, ";")) {
      if (!item.empty()) add(item);
    }
    if (drawing_.points.empty() && drawing_.curves.empty()) fail(text, "expected a point, segment or curve");
    drawing_.dimensions = dimensions_;
    return drawing_;
  }

 private:
  [[noreturn]] static void fail(const std::string& item, const std::string& why) {
    throw Error(ExitCode::bad_input, fmt::format("drawing \"{}\": {}", item, why));
  }

  void add(const std::string& item) {
    constexpr std::string_view curve = "curve";
    if (item.starts_with(curve)) {
      const std::string rest(trimmed(std::string_view(item).substr(curve.size()), blank));
      if (rest.starts_with('(')) {
        drawing_.curves.push_back(place(item, rest, curved_));
        return;
      }
    }
    const std::vector<std::string> sides = split(item, "=");
    if (sides.size() == 2) {
      if (!is_name(sides[0])) fail(item, "expected a name of letters, digits and _ before =");
      if (find(sides[0])) fail(item, "expected a name that no other point has");
      drawing_.points.push_back({sides[0], place(item, sides[1], system_)});
      return;
    }
    Drawing::Line line;
    for (const std::string& end : split(item, "--")) line.points.push_back(point(item, end));
    if (line.points.size() < 2) fail(item, "expected NAME = (x, y), segments A -- B, or curve (f(s), g(s))");
    drawing_.lines.push_back(std::move(line));
  }

  std::optional<std::size_t> find(const std::string& name) const {
    const auto found = std::ranges::find(drawing_.points, name, &Drawing::Point::name);
    if (found == drawing_.points.end()) return std::nullopt;
    return static_cast<std::size_t>(found - drawing_.points.begin());
  }

  /// Returns the index of a named point, or adds a new point without a name.
  std::size_t point(const std::string& item, const std::string& text) {
    if (text.starts_with('(')) {
      drawing_.points.push_back({"", place(item, text, system_)});
      return drawing_.points.size() - 1;
    }
    if (const auto found = find(text)) return *found;
    fail(item, fmt::format("there is no point '{}'{}", text, suggestion(text, names_of(drawing_.points))));
  }

  Drawing::Place place(const std::string& item, const std::string& text, const SystemInfo& system) {
    if (!text.starts_with('(') || !text.ends_with(')')) fail(item, "expected a place (x, y) or (x, y, z)");
    const std::vector<std::string> axes = split(text.substr(1, text.size() - 2), ",");
    const auto count = static_cast<int>(axes.size());
    if (count < 2 || count > 3) fail(item, fmt::format("expected 2 or 3 numbers in a place, found {}", count));
    if (dimensions_ != 0 && dimensions_ != count) {
      fail(item, fmt::format("expected {} numbers in every place, found {}", dimensions_, count));
    }
    dimensions_ = count;
    Drawing::Place result;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      try {
        result.axes[axis] = read_expression(axes[axis], system);
      } catch (const ExpressionError& error) {
        const std::string nearest = error.word.empty() ? "" : suggestion(error.word, error.words);
        fail(item, fmt::format("\"{}\": {}{}", axes[axis], error.what(), nearest));
      }
      result.moves = result.moves || changes(result.axes[axis]);
    }
    return result;
  }

  const SystemInfo& system_;
  SystemInfo curved_;  // with the curve parameter s as its last parameter
  Drawing drawing_;
  int dimensions_ = 0;  // 0: not yet known
};

}  // namespace

Drawing read_drawing(const std::string& text, const SystemInfo& system) { return DrawingReader(system).read(text); }

std::array<double, 3> place_of(const Drawing& drawing, const Drawing::Place& place, std::span<const double> parameters,
                               double t, std::span<const double> q, std::span<const double> w, double s) {
  std::vector<double> with_s(parameters.begin(), parameters.end());
  with_s.push_back(s);
  std::array<double, 3> values = {};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(drawing.dimensions); ++axis) {
    values[axis] = value_of(place.axes[axis], with_s.data(), StateView<double>{t, q.data(), w.data()});
  }
  return values;
}

}  // namespace kalaba
