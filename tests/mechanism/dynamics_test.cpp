#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <random>

#include "formula/graph/differentiate.hpp"
#include "formula/graph/program.hpp"
#include "formula/mechanics/derive.hpp"
#include "mechanism/closures.hpp"
#include "mechanism/dynamics.hpp"

namespace kalaba::mechanism {
namespace {

using formula::Graph;
using formula::Op;

/// Mechanisms with numbers drawn at random.
class Drawn {
 public:
  explicit Drawn(Graph& graph) : g_(graph), algebra_(graph) {}

  Mechanism tree(const std::vector<JointType>& types, const Vector& gravity, const std::vector<int>& parents) {
    bits_.seed(1);
    Mechanism m;
    m.gravity = gravity;
    for (std::size_t i = 0; i < types.size(); ++i) {
      Body body;
      body.name = "b" + std::to_string(i);
      body.mass = number(1);
      body.com = vector();
      body.inertia = {
          g_.number(1 + size()), g_.number(1.1 + size()), g_.number(0.9 + size()), number(0), number(0), number(0)};
      m.bodies.push_back(body);
      Joint joint;
      joint.name = "j" + std::to_string(i);
      joint.type = types[i];
      joint.parent = parents[i];
      joint.child = static_cast<int>(i);
      joint.at = vector();
      joint.child_at = vector();
      joint.turn = {number(1), number(0), number(0), number(0)};
      joint.axis = direction();
      joint.second = algebra_.perpendicular(joint.axis)[0];
      joint.pitch = number(0.5);
      joint.length = number(1);
      m.joints.push_back(joint);
    }
    return m;
  }

 private:
  double size() { return static_cast<double>(bits_() % 1000) / 1e4; }
  Id number(double about) { return g_.number(about + static_cast<double>(bits_() % 1000) / 1e3 - 0.5); }
  Vector vector() { return {number(0), number(0), number(0)}; }
  Vector direction() {
    const Vector any = vector();
    return algebra_.scale(g_.divide(g_.number(1), algebra_.norm(any)), any);
  }

  Graph& g_;
  Algebra algebra_;
  std::minstd_rand bits_;
};

struct State {
  std::vector<double> q;
  std::vector<double> w;
  double t = 0;

  explicit State(const Tree& tree) {
    std::minstd_rand bits(7);
    const auto draw = [&] { return static_cast<double>(bits() % 2000) / 1e3 - 1; };
    for (const Freedom& each : tree.coordinates) q.push_back(each.start + 0.7 * draw());
    for (std::size_t i = 0; i < tree.rates.size(); ++i) w.push_back(draw());
  }
  std::vector<double> values(const Graph& graph, const std::vector<Id>& roots) const {
    return formula::Program(graph, roots)({nullptr, q.data(), w.data(), nullptr, &t, 1});
  }
};

void expect_equal(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  double size = 1;
  for (const double each : expected) size = std::max(size, std::abs(each));
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-11 * size) << i;
}

const std::vector<int> chain = {world, 0, 1};
const std::vector<int> branches = {world, 0, 0};

/// Mechanisms whose rates are those of the coordinates: kinetic minus potential energy, derived as any Lagrangian.
class Derived : public testing::TestWithParam<std::vector<JointType>> {};

TEST_P(Derived, TheRecursionsGiveTheMetricAndTheForceOfTheLagrangian) {
  for (const std::vector<int>& parents : {chain, branches}) {
    Graph g;
    const Algebra a(g);
    Drawn drawn(g);
    const Mechanism heavy = drawn.tree(GetParam(), a.vector(0.3, -0.5, -9.81), parents);
    const Mechanism weightless = drawn.tree(GetParam(), a.zero(), parents);
    const Tree tree = make_tree(heavy);
    Kinematics kinematics(g, heavy, tree);
    const Dynamics found = make_dynamics(kinematics, heavy, tree);
    const Id kinetic = make_dynamics(kinematics, weightless, tree).energy;
    formula::Statement statement;
    statement.info.coordinates.resize(tree.coordinates.size());
    statement.info.rates.resize(tree.rates.size());
    statement.lagrangian = g.subtract(g.multiply(g.number(2), kinetic), found.energy);
    const formula::Terms terms = formula::derive(g, statement);
    const State state(tree);
    const int n = static_cast<int>(tree.rates.size());
    std::vector<Id> metric;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) metric.push_back(terms.diagonal && i != j ? g.number(0) : terms.metric_entry(i, j));
    }
    expect_equal(state.values(g, found.metric), state.values(g, metric));
    expect_equal(state.values(g, found.force), state.values(g, terms.force));
  }
}

using Types = std::vector<JointType>;
INSTANTIATE_TEST_SUITE_P(Trees, Derived,
                         testing::Values(Types{JointType::hinge, JointType::hinge, JointType::hinge},
                                         Types{JointType::slide, JointType::hinge, JointType::slide},
                                         Types{JointType::screw, JointType::hinge, JointType::screw},
                                         Types{JointType::universal, JointType::weld, JointType::universal},
                                         Types{JointType::cylinder, JointType::hinge, JointType::cylinder},
                                         Types{JointType::planar, JointType::hinge, JointType::planar}));

/// With balls the rates are quasi-velocities: the power of force and inertia changes no energy.
class Conserving : public testing::TestWithParam<std::vector<JointType>> {};

TEST_P(Conserving, TheEnergyIsConstantAlongTheMotion) {
  Graph g;
  const Algebra a(g);
  Drawn drawn(g);
  const Mechanism m = drawn.tree(GetParam(), a.vector(0.3, -0.5, -9.81), chain);
  const Tree tree = make_tree(m);
  Kinematics kinematics(g, m, tree);
  const Dynamics found = make_dynamics(kinematics, m, tree);
  const State state(tree);
  const auto n = static_cast<Eigen::Index>(tree.rates.size());
  const std::vector<double> entries = state.values(g, found.metric);
  const std::vector<double> force = state.values(g, found.force);
  Eigen::MatrixXd G(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) G(i, j) = G(j, i) = entries[static_cast<std::size_t>(i * (i + 1) / 2 + j)];
  }
  const Eigen::VectorXd w_dot = G.ldlt().solve(Eigen::Map<const Eigen::VectorXd>(force.data(), n));
  // The metric is the kinetic energy's, and E' = E_q K + E_w w' = 0.
  std::unordered_map<Id, Id> direction;
  const std::vector<Id> K = kinematics.coordinate_rates();
  for (std::size_t i = 0; i < K.size(); ++i) direction[g.symbol(Op::coordinate, static_cast<int>(i))] = K[i];
  for (Eigen::Index i = 0; i < n; ++i) direction[g.symbol(Op::rate, static_cast<int>(i))] = g.number(w_dot[i]);
  formula::Tangent along(g, direction);
  EXPECT_NEAR(state.values(g, {along(found.energy)})[0], 0, 1e-10);
  Eigen::VectorXd momentum = G * Eigen::Map<const Eigen::VectorXd>(state.w.data(), n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Id slope = formula::derivative(g, found.energy, g.symbol(Op::rate, static_cast<int>(i)));
    EXPECT_NEAR(state.values(g, {slope})[0], momentum[i], 1e-10);
  }
}

INSTANTIATE_TEST_SUITE_P(Trees, Conserving,
                         testing::Values(Types{JointType::ball, JointType::hinge, JointType::ball},
                                         Types{JointType::free, JointType::ball, JointType::slide},
                                         Types{JointType::hinge, JointType::free, JointType::universal}));

/// Rows of a closure vanish where a joint of the tree of the same type and frames holds the body.
class Closed : public testing::TestWithParam<JointType> {};

TEST_P(Closed, TheRowsHoldWhereverAJointOfTheTreeMovesTheBody) {
  Graph g;
  const Algebra a(g);
  Drawn drawn(g);
  Mechanism m = drawn.tree({JointType::hinge, GetParam()}, a.zero(), {world, 0});
  Joint closure = m.joints[1];
  closure.name = "closure";
  closure.cut = true;
  m.joints.push_back(closure);
  const Tree tree = make_tree(m);
  ASSERT_EQ(tree.closures, std::vector<int>{2});
  Kinematics kinematics(g, m, tree);
  formula::TypicalValues about;
  for (const Freedom& each : tree.coordinates) about.coordinates.push_back(each.start);
  const Closures closures = make_closures(kinematics, m, tree, about);
  const int rows = GetParam() == JointType::weld || GetParam() == JointType::hinge || GetParam() == JointType::slide
                       ? (GetParam() == JointType::weld ? 6 : 5)
                   : GetParam() == JointType::planar || GetParam() == JointType::ball ? 3
                                                                                      : 4;
  EXPECT_EQ(static_cast<int>(closures.rows.size()) + closures.idle[0], rows);
  // All rows hold already: each is left out as one that nothing changes.
  EXPECT_EQ(closures.rows.size(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Types, Closed,
                         testing::Values(JointType::hinge, JointType::slide, JointType::ball, JointType::weld,
                                         JointType::universal, JointType::cylinder, JointType::planar));

}  // namespace
}  // namespace kalaba::mechanism
