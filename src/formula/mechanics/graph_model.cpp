#include "formula/mechanics/graph_model.hpp"

#include <limits>

#include "formula/graph/program.hpp"
#include "formula/graph/term_sizes.hpp"
#include "formula/mechanics/open_contacts.hpp"

namespace kalaba::formula {
namespace {

using reference::Instant;
using reference::Sized;
using reference::Vector;
using DenseMatrix = reference::Matrix;

class GraphModel final : public reference::MechanicalModel {
 public:
  GraphModel(const Graph& graph, const Terms& terms)
      : nq_(static_cast<int>(terms.velocity.size())),
        nw_(static_cast<int>(terms.force.size())),
        diagonal_(terms.diagonal),
        velocity_(program(graph, terms.velocity)),
        jacobian_(program(graph, terms.velocity_jacobian.entries)),
        metric_(program(graph, terms.metric)),
        force_(program(graph, terms.force)),
        phi_(program(graph, terms.phi)),
        phi_dot_(program(graph, terms.phi_dot)),
        psi_(program(graph, terms.psi)),
        A_(program(graph, terms.A.entries)),
        b_(program(graph, terms.b)),
        unreached_(program(graph, terms.unreached.entries)),
        gain_(program(graph, terms.gain)),
        position_gain_(program(graph, terms.position_gain)),
        non_ideal_(program(graph, terms.non_ideal)),
        actuation_(program(graph, terms.actuation.entries)),
        invariants_(program(graph, terms.invariants)),
        reactions_(program(graph, terms.reactions)),
        energy_(program(graph, terms.energy)),
        sized_constraints_(sizes(graph, constraints_of(terms))),
        sized_invariants_(graph, terms.invariants, 0, 0),
        valid_(program(graph, terms.valid)) {
    formulation = terms.formulation;
    holonomic = static_cast<int>(terms.phi.size());
    nonholonomic = static_cast<int>(terms.psi.size());
    invariant_count = static_cast<int>(terms.invariants.size());
    reaction_count = static_cast<int>(terms.reactions.size());
    has_energy = terms.energy.has_value();
    servo = terms.actuation.cols > 0;
    singular_metric = terms.singular_metric;
    if (!terms.contacts.empty()) {
      Graph grown = graph;
      const ContactValues contacts = contact_values(grown, terms);
      contact_gaps_ = program(grown, contacts.gaps);
      contact_terms_ = program(grown, contacts.terms);
    }
    if (terms.energy) sized_energy_ = TermSizes(graph, std::vector{*terms.energy}, 0, 0);
  }

  Vector velocity(const Instant& x) const override { return vector(velocity_, x); }
  DenseMatrix velocity_jacobian(const Instant& x) const override { return matrix(jacobian_, x, nq_, nw_); }
  DenseMatrix metric(const Instant& x) const override {
    const Vector entries = vector(metric_, x);
    if (diagonal_) return entries.asDiagonal();
    DenseMatrix full(nw_, nw_);
    for (int i = 0; i < nw_; ++i) {
      for (int j = 0; j <= i; ++j) full(i, j) = full(j, i) = entries[i * (i + 1) / 2 + j];
    }
    return full;
  }
  Vector force(const Instant& x) const override { return vector(force_, x); }
  Vector phi(const Instant& x) const override { return vector(phi_, x); }
  Vector phi_dot(const Instant& x) const override { return vector(phi_dot_, x); }
  Vector psi(const Instant& x) const override { return vector(psi_, x); }
  DenseMatrix constraint_matrix(const Instant& x) const override {
    return matrix(A_, x, holonomic + nonholonomic, nw_);
  }
  Vector constraint_rate(const Instant& x) const override { return vector(b_, x); }
  DenseMatrix unreached_gradient(const Instant& x) const override {
    return matrix(unreached_, x, unreached_.outputs() / nq_, nq_);
  }
  double gain(const Instant& x) const override { return scalar(gain_, x, 0.0); }
  double position_gain(const Instant& x) const override { return scalar(position_gain_, x, 0.0); }
  bool has_non_ideal() const override { return non_ideal_.outputs() > 0; }
  Vector non_ideal(const Instant& x, const Vector& ideal_force, const Vector& multipliers) const override {
    if (non_ideal_.outputs() == 0) return Vector::Zero(nw_);
    return of_forces(non_ideal_, x, ideal_force, multipliers);
  }
  DenseMatrix actuation(const Instant& x) const override {
    return matrix(actuation_, x, nw_, actuation_.outputs() / nw_);
  }
  Vector invariants(const Instant& x) const override { return vector(invariants_, x); }
  Vector contact_gaps(const Instant& x) const override { return vector(contact_gaps_, x); }
  Vector contact_terms(const Instant& x) const override { return vector(contact_terms_, x); }
  Vector reactions(const Instant& x, const Vector& w_dot, const Vector& multipliers) const override {
    return of_forces(reactions_, x, w_dot, multipliers);
  }
  double energy(const Instant& x) const override {
    return scalar(energy_, x, std::numeric_limits<double>::quiet_NaN());
  }
  bool valid(const Instant& x) const override { return scalar(valid_, x, 1.0) != 0.0; }

  std::vector<Sized> sized_constraints(const Instant& x) const override { return sized_constraints_(inputs_of(x)); }
  std::vector<Sized> sized_invariants(const Instant& x) const override { return sized_invariants_(inputs_of(x)); }
  Sized sized_energy(const Instant& x) const override {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    return has_energy ? sized_energy_(inputs_of(x)).front() : Sized{none, none, none};
  }

 private:
  static std::vector<Id> constraints_of(const Terms& terms) {
    std::vector<Id> rows = terms.phi;
    for (const auto* part : {&terms.phi_dot, &terms.psi}) rows.insert(rows.end(), part->begin(), part->end());
    return rows;
  }
  TermSizes sizes(const Graph& graph, const std::vector<Id>& roots) const { return {graph, roots, nq_, nw_}; }
  static Inputs inputs_of(const Instant& x) { return {x.p.data(), x.q.data(), x.w.data(), nullptr, &x.t, 1}; }
  static Program program(const Graph& graph, const std::vector<Id>& roots) { return {graph, roots}; }
  static Program program(const Graph& graph, const std::optional<Id>& root) {
    return root ? program(graph, std::vector{*root}) : Program();
  }

  static Vector vector(const Program& program, const Instant& x, const double* ideal = nullptr) {
    Vector result(program.outputs());
    program.run({x.p.data(), x.q.data(), x.w.data(), ideal, &x.t, 1}, 1, result.data(), 1);
    return result;
  }
  /// Values of a program whose symbols Op::ideal are these numbers by rate, then by constraint.
  static Vector of_forces(const Program& program, const Instant& x, const Vector& by_rate, const Vector& by_row) {
    Vector all(by_rate.size() + by_row.size());
    all << by_rate, by_row;
    return vector(program, x, all.data());
  }
  static DenseMatrix matrix(const Program& program, const Instant& x, int rows, int cols) {
    const Vector entries = vector(program, x);
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    return Eigen::Map<const RowMajor>(entries.data(), rows, cols);
  }
  static double scalar(const Program& program, const Instant& x, double otherwise) {
    return program.outputs() == 0 ? otherwise : vector(program, x)[0];
  }

  int nq_;
  int nw_;
  bool diagonal_;
  Program velocity_;
  Program jacobian_;
  Program metric_;
  Program force_;
  Program phi_;
  Program phi_dot_;
  Program psi_;
  Program A_;
  Program b_;
  Program unreached_;
  Program gain_;
  Program position_gain_;
  Program non_ideal_;
  Program actuation_;
  Program invariants_;
  Program contact_gaps_;
  Program contact_terms_;
  Program reactions_;
  Program energy_;
  TermSizes sized_constraints_;
  TermSizes sized_invariants_;
  TermSizes sized_energy_;
  Program valid_;
};

}  // namespace

std::unique_ptr<const reference::MechanicalModel> make_graph_model(const Graph& graph, const Terms& terms) {
  return std::make_unique<GraphModel>(graph, terms);
}

}  // namespace kalaba::formula
