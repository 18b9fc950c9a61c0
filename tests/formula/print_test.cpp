#include "formula/graph/print.hpp"

#include <gtest/gtest.h>

#include "formula/describe_terms.hpp"
#include "formula/make_system.hpp"
#include "models.hpp"

namespace kalaba::formula {
namespace {

class Printing : public ::testing::Test {
 protected:
  Draft draft;
  Word m = draft.parameter("m", 1), omega = draft.parameter("omega", 1);
  Word x = draft.coordinate("x"), theta1 = draft.coordinate("theta1");
  Word x_dot = draft.rate("x_dot");

  std::string text(Id id, Notation notation = Notation::text) {
    return Printer(draft.graph, draft.statement.info, notation, std::vector<Id>{id})(id);
  }
  std::string latex(Id id) { return text(id, Notation::latex); }
};

TEST_F(Printing, WritesWhatAnAuthorWould) {
  EXPECT_EQ(text(m * square(x_dot) / 2 - m * x), "m*x_dot^2/2 - m*x");
  EXPECT_EQ(text(-(x + m)), "-(x + m)");
  EXPECT_EQ(text(x - (m - omega)), "x - (m - omega)");
  EXPECT_EQ(text(x + -2 * m), "x - 2*m");
  EXPECT_EQ(text(x / (m * omega)), "x/(m*omega)");
  EXPECT_EQ(text(square(x + m) * 3), "(x + m)^2*3");
  EXPECT_EQ(text(sin(omega * draft.time())), "sin(omega*t)");
  EXPECT_EQ(text(pow(x, -2)), "x^(-2)");
  EXPECT_EQ(text(draft.graph.select(x < m, x, m)), "where(x < m, x, m)");
  EXPECT_EQ(text(x * 0.1), "x*0.1");
  EXPECT_EQ(text(-x / 2), "-x/2");
}

TEST_F(Printing, WritesLatex) {
  EXPECT_EQ(latex(m * square(x_dot) / 2), "\\frac{m\\,{\\dot{x}}^{2}}{2}");
  EXPECT_EQ(latex(omega * sin(theta1)), "\\omega\\,\\sin\\left(\\theta_{1}\\right)");
  EXPECT_EQ(latex(sqrt(x / m)), "\\sqrt{\\frac{x}{m}}");
}

TEST_F(Printing, NamesWhatALongWholeUsesOften) {
  Word shared = x;
  for (int i = 0; i < 8; ++i) shared = sin(shared) + m;
  Word f = shared;
  for (int i = 0; i < 60; ++i) f = f * shared + omega;
  const Printer print(draft.graph, draft.statement.info, Notation::text, std::vector<Id>{f});
  ASSERT_EQ(print.parts().size(), 1U);
  EXPECT_EQ(print.parts()[0].substr(0, 6), "e1 = s");
  EXPECT_LT(print(f).size(), 1000U);
}

TEST_F(Printing, OfAnExpressionOfAnyDepthNeedsNoStack) {
  Word f = x;
  for (int i = 0; i < 100'000; ++i) f = sin(f) + theta1;
  const Printer print(draft.graph, draft.statement.info, Notation::text, std::vector<Id>{f});
  EXPECT_LT(print(f).size(), 10'000U);
}

TEST(Describing, ABead) {
  Draft d = bead();
  const System system = make_system(d.graph, d.statement);
  EXPECT_EQ(system.info.equations,
            "M[x_dot] = m\n"
            "M[y_dot] = m\n"
            "Q[y_dot] = -m*g\n"
            "phi[wire] = y - c*x^2 = 0\n"
            "A[wire, x_dot] = -2*c*x\n"
            "A[wire, y_dot] = 1\n"
            "b[wire] = 2*c*x_dot^2\n");
  const Terms terms = derive(d.graph, d.statement);
  EXPECT_EQ(structure_text(d.graph, terms, system.info),
            "2 coordinates, 2 rates, 1 constraint\n"
            "metric: diagonal, constant\n"
            "12 operations a stage for its terms, 3 numbers of parameters alone computed once a member\n"
            "A: 2 of 2 entries are not zero\n"
            "  xx\n");
  const std::string first_line = "\\begin{align*}\nM_{\\dot{x}} &= m \\\\\n";
  EXPECT_EQ(equations_latex(d.graph, terms, system.info).substr(0, first_line.size()), first_line);
}

TEST(Describing, ALongFamilySaysHowMuchMoreThereIs) {
  Draft d = chain(20);
  const System system = make_system(d.graph, d.statement);
  EXPECT_NE(system.info.equations.find("... 16 more\n"), std::string::npos) << system.info.equations;
  const std::string structure = structure_text(d.graph, derive(d.graph, d.statement), system.info);
  EXPECT_NE(structure.find("\n  xx......"), std::string::npos) << structure;
  EXPECT_NE(structure.find("\n  xxxx...."), std::string::npos) << structure;
}

}  // namespace
}  // namespace kalaba::formula
