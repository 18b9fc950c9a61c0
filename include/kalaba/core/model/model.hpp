#pragma once

#include "kalaba/core/base/matrix.hpp"
#include "kalaba/core/base/real.hpp"
#include "kalaba/core/model/description.hpp"
#include "kalaba/core/model/method.hpp"
#include "kalaba/core/model/pattern.hpp"

namespace kalaba {

namespace detail {

template <class M>
KALABA_FN constexpr int copies_of() {
  if constexpr (requires { M::copies; }) {
    return M::copies;
  } else {
    return 1;
  }
}
template <class M>
KALABA_FN constexpr int constraint_copies_of() {
  if constexpr (requires { M::constraint_copies; }) {
    return M::constraint_copies;
  } else {
    return copies_of<M>();
  }
}
template <class M>
KALABA_FN constexpr int holonomic_of() {
  if constexpr (requires { M::holonomic; }) {
    return sizeof(M::holonomic) / sizeof(Quantity) * constraint_copies_of<M>();
  } else {
    return 0;
  }
}
template <class M>
KALABA_FN constexpr int nonholonomic_of() {
  if constexpr (requires { M::nonholonomic; }) {
    return sizeof(M::nonholonomic) / sizeof(Quantity) * constraint_copies_of<M>();
  } else {
    return 0;
  }
}

template <class M>
KALABA_FN constexpr int invariants_of() {
  if constexpr (requires { M::invariants; }) {
    return sizeof(M::invariants) / sizeof(Invariant);
  } else {
    return 0;
  }
}

template <class M>
KALABA_FN constexpr int reactions_of() {
  if constexpr (requires { M::reactions; }) {
    return M::reactions;
  } else {
    return 0;
  }
}

template <class M>
KALABA_FN constexpr int sensitivities_of() {
  if constexpr (requires { M::sensitivities; }) {
    return M::sensitivities;
  } else {
    return 0;
  }
}

}  // namespace detail

/// The extents of a model.
template <class M>
struct Dim {
  static constexpr int parameters = sizeof(M::parameters) / sizeof(Quantity);
  static constexpr int q = sizeof(M::coordinates) / sizeof(Quantity) * detail::copies_of<M>();
  static constexpr int w = sizeof(M::rates) / sizeof(Quantity) * detail::copies_of<M>();
  static constexpr int holonomic = detail::holonomic_of<M>();
  static constexpr int nonholonomic = detail::nonholonomic_of<M>();
  static constexpr int constraints = holonomic + nonholonomic;
  static constexpr int invariants = detail::invariants_of<M>();
  static constexpr int reactions = detail::reactions_of<M>();
  static constexpr int sensitivities = detail::sensitivities_of<M>();  ///< columns, see core/sensitivities/tangent.hpp
};

/// A model that states its terms, with sensitivity columns.
template <class M, int Count>
struct WithSensitivities : M {
  static constexpr int sensitivities = Count;
};

/// Number of directions along which the constraint force can act: the actuators of a servo-constraint, else all rates.
template <class M>
KALABA_FN constexpr int actuation_directions() {
  if constexpr (requires { M::actuators; }) {
    return M::actuators;
  } else {
    return Dim<M>::w;
  }
}

/// Returns true if the model declares that its metric may be singular.
template <class M>
KALABA_FN constexpr bool has_singular_metric() {
  if constexpr (requires { M::singular_metric; }) {
    return M::singular_metric;
  } else {
    return false;
  }
}

/// Parameters in the form that the functions of a model take: the result of its prepare(p), or p itself.
template <class M, class X>
KALABA_FN auto prepared(const Vec<X, Dim<M>::parameters>& p) {
  if constexpr (requires { M::prepare(p); }) {
    return M::prepare(p);
  } else {
    return p;
  }
}
template <class M, class X>
using Prepared = decltype(prepared<M>(Vec<X, Dim<M>::parameters>{}));

namespace detail {
template <class M>
struct PatternOfModel {
  using type = DensePattern<Dim<M>::constraints, Dim<M>::w>;
};
template <class M>
requires requires { M::MatrixPattern::count; }
struct PatternOfModel<M> {
  using type = typename M::MatrixPattern;
};
}  // namespace detail

/// Pattern of the rows of A: the entries that may differ from zero.
template <class M>
using PatternOf = typename detail::PatternOfModel<M>::type;

/// All terms of one stage, for models that compute them faster together. MetricOf is a Diagonal (with or without its
/// roots) or a Symmetric.
template <class M, class X, class MetricOf>
struct StageTerms {
  Vec<X, Dim<M>::q> velocity;          ///< q' = K
  MetricOf metric;                     ///< G
  Vec<X, Dim<M>::w> force;             ///< the given force
  MatrixOf<X, PatternOf<M>> matrix;    ///< A
  Vec<X, Dim<M>::holonomic> position;  ///< phi
  Vec<X, Dim<M>::constraints> rate;    ///< phi' and psi
  Vec<X, Dim<M>::constraints> b;       ///< -(phi'', psi') at w' = 0
};

// clang-format off
/// Parts that a model must state, tested with plain doubles. `check_model` names a missing part.
///
/// A model is a struct of static members:
///
///   name, summary, source, equations   text; `note` too, if a paper has a misprint or an inexact claim
///   formulation                        meaning of w, metric and force (Formulation)
///   parameters[]                       Quantity table
///   coordinates[], rates[]             Quantity tables; with `copies`, these and the constraints repeat (the
///                                      constraints `constraint_copies` times, if that is stated)
///   holonomic[], nonholonomic[]        names of the rows of phi and psi (omitted if there are none)
///   time, stabilization                defaults (stabilization: projection if omitted)
///   start(p, q, w)                     writes the default initial state of a member with parameters p
///   metric(p, t, q)                    Diagonal or Symmetric, of the extent of the rates
///   force(p, t, q, w)                  the given force (see Formulation)
///   velocity(p, t, q, w)               q' = K(t, q, w); optional in the Lagrangian formulation
///   phi(p, t, q), psi(p, t, q, w)      the constraints; A and b are derived from them
///
/// and optionally
///
///   prepare(p)                         its result replaces p in the other functions except start; once per run
///   energy(p, t, q, w)
///   terms(p, t, q, w)                  StageTerms: all of the above together, with A and b
///   MatrixPattern, PositionPattern     with terms: pattern of A, and of its holonomic rows if there are others too
///                                      (core/model/pattern.hpp)
///   contacts                           number of contacts; then also
///   Open                               the model of the motion while all contacts are open, without their rows
///   contact_gaps(p, t, q, w)           a Vec of the gaps of the contacts, followed by their rates
///   contact_terms(p, t, q, w)          a Vec of the sums of the magnitudes of the terms of these
///   conserves_energy = true            the motion conserves energy; every run then reports the energy error
///   matrix(p, t, q, w)                 A written by hand, a Mat of constraints x rates, if that is faster
///   non_ideal(p, t, q, w, ideal_force) C of the non-ideal constraint force, given the ideal one that acts with it; or
///   non_ideal(p, t, q, w, ideal_force, multipliers)
///   gain(p), position_gain(p)          feedback that is part of the system's own b: -gain psi (and phi') and
///                                      -position_gain phi
///   actuators, actuation(p, t, q)      their number, and a Mat of their directions S of the servo force
///   singular_metric = true             M >= 0 is allowed, with [M; A] of full rank
///   valid(p, t, q, w)                  a mask: true if the constraints are regular
///   invariants[], invariant(p, t, q, w)  named numbers of the state (Invariant), and their values
///   reactions, reaction(p, t, q, w, rate, multipliers)
///                                      of emitted mechanisms: number of components of joint reactions, and a Vec of
///                                      them, given w' and the multipliers of the ideal force
///   figures[]                          expected values of the default run (Figure)
///   closed_form(p, t, q, w)            writes the exact state of the default run at t (for tests and checks; p raw)
///
/// Functions are templates over their number types, without branches on values (use select) and without the standard
/// library, so that packs, dual numbers and CUDA can run them.
// clang-format on
template <class M>
struct ModelParts {
  using P = Prepared<M, double>;
  using Raw = Vec<double, Dim<M>::parameters>;
  using Q = Vec<double, Dim<M>::q>;
  using W = Vec<double, Dim<M>::w>;

  static constexpr bool description = requires {
    M::name;
    M::summary;
    M::source;
    M::equations;
    M::formulation;
    M::time.end;
  };
  static constexpr bool start = requires(Raw p, Q q, W w) { M::start(p, q, w); };
  static constexpr bool metric = requires(P p, double t, Q q) { M::metric(p, t, q).entry; };
  static constexpr bool force = requires(P p, double t, Q q, W w) { M::force(p, t, q, w)[0]; };
  static constexpr bool has_velocity = requires(P p, double t, Q q, W w) { M::velocity(p, t, q, w)[0]; };
  static constexpr bool velocity = has_velocity || (M::formulation == Formulation::lagrange && Dim<M>::q == Dim<M>::w);
  static constexpr bool phi = Dim<M>::holonomic == 0 || requires(P p, double t, Q q) { M::phi(p, t, q)[0]; };
  static constexpr bool psi = Dim<M>::nonholonomic == 0 || requires(P p, double t, Q q, W w) { M::psi(p, t, q, w)[0]; };

  static constexpr bool has_energy = requires(P p, double t, Q q, W w) { M::energy(p, t, q, w); };
  static constexpr bool has_matrix = requires(P p, double t, Q q, W w) { M::matrix(p, t, q, w)(0, 0); };
  static constexpr bool has_terms = requires(P p, double t, Q q, W w) { M::terms(p, t, q, w).b[0]; };
  static constexpr bool has_loaded_non_ideal = requires(P p, double t, Q q, W w, Vec<double, Dim<M>::constraints> e) {
    M::non_ideal(p, t, q, w, w, e)[0];
  };
  static constexpr bool has_non_ideal = has_loaded_non_ideal || requires(P p, double t, Q q, W w) {
    M::non_ideal(p, t, q, w, w)[0];
  };
  static constexpr bool actuated = requires { M::actuators; };
  static constexpr bool actuation = !actuated || requires(P p, double t, Q q) { M::actuation(p, t, q)(0, 0); };
  static constexpr bool has_gain = requires(P p) { M::gain(p); };
  static constexpr bool has_position_gain = requires(P p) { M::position_gain(p); };
  static constexpr bool has_closed_form = requires(Raw p, double t, Q q, W w) { M::closed_form(p, t, q, w); };
  static constexpr bool invariant = Dim<M>::invariants == 0 || requires(P p, double t, Q q, W w) {
    M::invariant(p, t, q, w)[Dim<M>::invariants - 1];
  };
  static constexpr bool has_valid = requires(P p, double t, Q q, W w) { M::valid(p, t, q, w); };
};

template <class M>
concept Model = ModelParts<M>::description && ModelParts<M>::start && ModelParts<M>::metric && ModelParts<M>::force &&
    ModelParts<M>::velocity && ModelParts<M>::phi && ModelParts<M>::psi && ModelParts<M>::invariant &&
    ModelParts<M>::actuation;

/// A readable message for a struct that is not yet a Model.
template <class M>
KALABA_FN constexpr bool check_model() {
  using Parts = ModelParts<M>;
  static_assert(Parts::description, "a model states name, summary, source, equations, formulation and time");
  static_assert(Parts::start, "a model states start(p, q, w), which writes the default initial state");
  static_assert(Parts::metric, "a model states metric(p, t, q), a Diagonal or Symmetric over its rates");
  static_assert(Parts::force, "a model states force(p, t, q, w), a Vec over its rates");
  static_assert(Parts::velocity, "a Hamiltonian or quasi-velocity model states velocity(p, t, q, w), its q'");
  static_assert(Parts::phi, "a model with a holonomic[] table states phi(p, t, q)");
  static_assert(Parts::psi, "a model with a nonholonomic[] table states psi(p, t, q, w)");
  static_assert(Parts::invariant, "a model with an invariants[] table states invariant(p, t, q, w), a Vec of them");
  static_assert(Parts::actuation, "a model with actuators states actuation(p, t, q), a Mat of rates x actuators");
  static_assert(!(Parts::actuated && Parts::has_non_ideal), "a servo-constraint takes no non-ideal force");
  return true;
}

template <class M>
KALABA_FN constexpr Stabilization default_stabilization() {
  if constexpr (requires { M::stabilization; }) {
    return M::stabilization;
  } else if constexpr (requires { M::actuators; }) {
    return Stabilization::none();
  } else {
    return Stabilization::projection();
  }
}

}  // namespace kalaba
