#include "formula/code/slopes_text.hpp"

#include "formula/code/emit.hpp"
#include "kalaba/error.hpp"

namespace kalaba::formula {
namespace {

class SlopesText {
 public:
  SlopesText(const Graph& graph, const Hoisted& hoisted, const Slopes& slopes, const std::string& model)
      : g_(graph), hoisted_(hoisted), s_(slopes), model_(model) {}

  std::string text() {
    out_ = "\n  struct " + s_.name + " {\n";
    constant("known", s_.known.size());
    constant("kept", s_.kept.size());
    constant("rows", s_.along.size());
    keep();
    along();
    add_own();
    return out_ + "  };\n";
  }

 private:
  void constant(const std::string& name, std::size_t value) {
    out_ += "    static constexpr int " + name + " = " + std::to_string(value) + ";\n";
  }
  static std::string vec(const std::string& of, std::size_t count) {
    return "Vec<" + of + ", " + std::to_string(count) + '>';
  }
  std::string parameters() const { return "[[maybe_unused]] const " + vec("C", hoisted_.entries().size()) + "& p"; }
  std::string argument(const std::string& name, std::size_t count) const {
    return ", [[maybe_unused]] const " + vec("X", count) + "& " + name;
  }
  static void call(FunctionWriter& body, const std::vector<Id>& ids, const std::string& name) {
    for (std::size_t i = 0; i < ids.size(); ++i) body.call(ids[i], name + '[' + std::to_string(i) + ']');
  }

  void function(const FunctionWriter& body, const std::string& type, const std::string& signature,
                const std::string& result) {
    if (body.operations() > most_emitted_operations) {
      throw Error(ExitCode::bad_input, "the derivatives of the model take " + std::to_string(body.operations()) +
                                           " operations a stage; expected at most " +
                                           std::to_string(most_emitted_operations));
    }
    const char* const kind = body.operations() > most_inlined_operations ? "KALABA_NOINLINE" : "KALABA_FN";
    out_ += std::string("    template <class C, class X>\n    ") + kind + " static " + type + ' ' + signature + " {\n" +
            body.lines() + result + "    }\n";
  }

  void keep() {
    FunctionWriter body(g_, &hoisted_, model_);
    call(body, s_.known, "x");
    body.fuse();
    body.compute(s_.kept);
    const std::string type = vec("X", s_.kept.size());
    function(body, type,
             "keep(" + parameters() + ", [[maybe_unused]] const X& t" + argument("q", s_.dq.size()) +
                 argument("w", s_.dw.size()) + argument("x", s_.known.size()) + ')',
             "    return " + body.list(s_.kept) + ";\n");
  }

  void along() {
    FunctionWriter body(g_, &hoisted_, model_);
    call(body, s_.kept_as, "k");
    call(body, s_.dq, "dq");
    call(body, s_.dw, "dw");
    call(body, s_.dx, "dx");
    body.fuse();
    body.compute(s_.along);
    const auto direction = [](const char* name) { return std::string(", [[maybe_unused]] const X* ") + name; };
    function(body, vec("X", s_.along.size()),
             "along(" + parameters() + argument("k", s_.kept.size()) + direction("dq") + direction("dw") +
                 direction("dx") + ')',
             "    return " + body.list(s_.along) + ";\n");
  }

  void add_own() {
    FunctionWriter body(g_, &hoisted_, model_);
    call(body, s_.kept_as, "k");
    std::string lines;
    for (std::size_t column = 0; column < s_.add_own.size(); ++column) {
      const std::vector<Id>& own = s_.add_own[column];
      std::string added;
      for (std::size_t i = 0; i < own.size(); ++i) {
        if (g_.is_number(own[i], 0)) continue;
        const std::string place = "s[" + std::to_string(i) + ']';
        added += "        " + place + " = " + place + " + " + body.value(own[i]) + ";\n";
      }
      if (!added.empty()) lines += "      if (column == " + std::to_string(column) + ") {\n" + added + "      }\n";
    }
    function(body, "void",
             "add_own([[maybe_unused]] int column, " + parameters() + argument("k", s_.kept.size()) +
                 ", [[maybe_unused]] " + vec("X", s_.along.size()) + "& s)",
             lines);
  }

  const Graph& g_;
  const Hoisted& hoisted_;
  const Slopes& s_;
  const std::string& model_;
  std::string out_;
};

}  // namespace

std::string slopes_text(const Graph& graph, const Hoisted& hoisted, const Slopes& slopes, const std::string& model) {
  return SlopesText(graph, hoisted, slopes, model).text();
}

}  // namespace kalaba::formula
