#pragma once

#include <boost/math/differentiation/autodiff.hpp>
#include <cstddef>
#include <limits>

#include "backend/reference/model.hpp"
#include "backend/reference/reference.hpp"
#include "kalaba/core/model/energy.hpp"
#include "kalaba/core/model/model.hpp"

namespace kalaba::reference {

/// Terms of a model struct whose constraints are differentiated by Boost's automatic differentiation: a reference for
/// the terms that the graph derives.
template <Model M>
class Reading final : public MechanicalModel {
 public:
  Reading() {
    formulation = M::formulation;
    holonomic = Dim<M>::holonomic;
    nonholonomic = Dim<M>::nonholonomic;
    invariant_count = Dim<M>::invariants;
    has_energy = Parts::has_energy;
    servo = Parts::actuated;
    singular_metric = has_singular_metric<M>();
  }

  Vector velocity(const Instant& x) const override {
    return value(velocity_of<double>(parameters(x), x.t, constant<double, nq>(x.q), constant<double, nw>(x.w)));
  }

  Matrix velocity_jacobian(const Instant& x) const override {
    const auto p = parameters(x);
    const auto q = constant<Series<1>, nq>(x.q);
    Matrix jacobian(nq, nw);
    for (int j = 0; j < nw; ++j) {
      const auto w = path<1, nw>(x.w, Vector::Unit(nw, j));
      jacobian.col(j) = derivative<1>(velocity_of<Series<1>>(p, x.t, q, w));
    }
    return jacobian;
  }

  Matrix metric(const Instant& x) const override {
    return dense(M::metric(parameters(x), x.t, constant<double, nq>(x.q)));
  }

  Vector force(const Instant& x) const override {
    return value(M::force(parameters(x), x.t, constant<double, nq>(x.q), constant<double, nw>(x.w)));
  }

  Vector phi(const Instant& x) const override {
    return value(phi_of<double>(parameters(x), x.t, constant<double, nq>(x.q)));
  }

  /// d/ds phi(t + s, q + K s)
  Vector phi_dot(const Instant& x) const override {
    return derivative<1>(phi_of<Series<1>>(parameters(x), time<1>(x), path<1, nq>(x.q, velocity(x))));
  }

  Vector psi(const Instant& x) const override {
    return value(psi_of<double>(parameters(x), x.t, constant<double, nq>(x.q), constant<double, nw>(x.w)));
  }

  Matrix constraint_matrix(const Instant& x) const override {
    const auto p = parameters(x);
    const Series<1> t(x.t);
    const auto q = constant<Series<1>, nq>(x.q);
    const Matrix jacobian = velocity_jacobian(x);
    Matrix A(Dim<M>::constraints, nw);
    for (int j = 0; j < nw; ++j) {
      A.col(j).head(holonomic) = derivative<1>(phi_of<Series<1>>(p, t, path<1, nq>(x.q, jacobian.col(j))));
      const auto w = path<1, nw>(x.w, Vector::Unit(nw, j));
      A.col(j).tail(nonholonomic) = derivative<1>(psi_of<Series<1>>(p, t, q, w));
    }
    return A;
  }

  Vector constraint_rate(const Instant& x) const override {
    const auto p = parameters(x);
    const Vector K = velocity(x);
    const auto w = constant<Series<1>, nw>(x.w);
    const auto q = path<1, nq>(x.q, K);
    const Vector K_dot = derivative<1>(velocity_of<Series<1>>(p, time<1>(x), q, w));
    Vector b(Dim<M>::constraints);
    b.head(holonomic) = -derivative<2>(phi_of<Series<2>>(p, time<2>(x), path<2, nq>(x.q, K, K_dot)));
    b.tail(nonholonomic) = -derivative<1>(psi_of<Series<1>>(p, time<1>(x), q, w));
    return b;
  }

  double gain(const Instant& x) const override {
    if constexpr (Parts::has_gain) {
      return static_cast<double>(M::gain(parameters(x)));
    } else {
      return 0.0;
    }
  }

  double position_gain(const Instant& x) const override {
    if constexpr (Parts::has_position_gain) {
      return static_cast<double>(M::position_gain(parameters(x)));
    } else {
      return 0.0;
    }
  }

  bool has_non_ideal() const override { return Parts::has_non_ideal; }

  Vector non_ideal(const Instant& x, const Vector& ideal_force,
                   [[maybe_unused]] const Vector& multipliers) const override {
    if constexpr (Parts::has_loaded_non_ideal) {
      return value(M::non_ideal(parameters(x), x.t, constant<double, nq>(x.q), constant<double, nw>(x.w),
                                constant<double, nw>(ideal_force), constant<double, Dim<M>::constraints>(multipliers)));
    } else if constexpr (Parts::has_non_ideal) {
      return value(M::non_ideal(parameters(x), x.t, constant<double, nq>(x.q), constant<double, nw>(x.w),
                                constant<double, nw>(ideal_force)));
    } else {
      return Vector::Zero(nw);
    }
  }

  Matrix actuation(const Instant& x) const override {
    Matrix result(nw, actuation_directions<M>());
    if constexpr (Parts::actuated) {
      const auto directions = M::actuation(parameters(x), x.t, constant<double, nq>(x.q));
      for (int i = 0; i < nw; ++i) {
        for (int j = 0; j < actuation_directions<M>(); ++j) result(i, j) = directions(i, j);
      }
    }
    return result;
  }

  Vector invariants(const Instant& x) const override {
    if constexpr (Dim<M>::invariants > 0) {
      return value(M::invariant(parameters(x), x.t, constant<double, nq>(x.q), constant<double, nw>(x.w)));
    } else {
      return {};
    }
  }

  double energy(const Instant& x) const override {
    if constexpr (Parts::has_energy) {
      return M::energy(parameters(x), x.t, constant<double, nq>(x.q), constant<double, nw>(x.w));
    } else {
      return std::numeric_limits<double>::quiet_NaN();
    }
  }

  bool valid(const Instant& x) const override {
    if constexpr (Parts::has_valid) {
      return static_cast<bool>(M::valid(parameters(x), x.t, constant<double, nq>(x.q), constant<double, nw>(x.w)));
    } else {
      return true;
    }
  }

 private:
  static constexpr int np = Dim<M>::parameters;
  static constexpr int nq = Dim<M>::q;
  static constexpr int nw = Dim<M>::w;
  using Parts = ModelParts<M>;
  using P = Prepared<M, double>;

  /// Power series in s up to s^Order.
  template <std::size_t Order>
  using Series = decltype(boost::math::differentiation::make_fvar<double, Order>(0.0));

  template <class X, int N>
  static Vec<X, N> constant(const Vector& values) {
    Vec<X, N> result;
    for (int i = 0; i < N; ++i) result[i] = X(values[i]);
    return result;
  }

  static P parameters(const Instant& x) { return prepared<M>(constant<double, np>(x.p)); }

  template <std::size_t Order>
  static Series<Order> parameter_s() {
    return boost::math::differentiation::make_fvar<double, Order>(0.0);
  }

  template <std::size_t Order>
  static Series<Order> time(const Instant& x) {
    return parameter_s<Order>() + x.t;
  }

  /// origin + first s + second s^2 / 2
  template <std::size_t Order, int N>
  static Vec<Series<Order>, N> path(const Vector& origin, const Vector& first, const Vector& second = Vector::Zero(N)) {
    const Series<Order> s = parameter_s<Order>();
    Vec<Series<Order>, N> result;
    for (int i = 0; i < N; ++i) result[i] = origin[i] + s * (first[i] + s * (0.5 * second[i]));
    return result;
  }

  template <int N>
  static Vector value(const Vec<double, N>& values) {
    return Eigen::Map<const Vector>(values.data, N);
  }

  template <std::size_t Order, class X, int N>
  static Vector derivative(const Vec<X, N>& values) {
    Vector result(N);
    for (int i = 0; i < N; ++i) result[i] = static_cast<double>(values[i].derivative(Order));
    return result;
  }

  static Matrix dense(const Diagonal<double, nw>& metric) { return value(metric.entry).asDiagonal(); }
  static Matrix dense(const Symmetric<double, nw>& metric) {
    Matrix result(nw, nw);
    for (int i = 0; i < nw; ++i) {
      for (int j = 0; j <= i; ++j) result(i, j) = result(j, i) = metric.entry(i, j);
    }
    return result;
  }

  template <class X>
  static Vec<X, nq> velocity_of(const P& p, const X& t, const Vec<X, nq>& q, const Vec<X, nw>& w) {
    if constexpr (Parts::has_velocity) {
      return M::velocity(p, t, q, w);
    } else {
      return w;
    }
  }

  template <class X>
  static Vec<X, Dim<M>::holonomic> phi_of(const P& p, const X& t, const Vec<X, nq>& q) {
    if constexpr (Dim<M>::holonomic > 0) {
      return M::phi(p, t, q);
    } else {
      return {};
    }
  }

  template <class X>
  static Vec<X, Dim<M>::nonholonomic> psi_of(const P& p, const X& t, const Vec<X, nq>& q, const Vec<X, nw>& w) {
    if constexpr (Dim<M>::nonholonomic > 0) {
      return M::psi(p, t, q, w);
    } else {
      return {};
    }
  }
};

}  // namespace kalaba::reference

namespace kalaba {

/// Reference backend with Boost's terms of a model struct.
template <class Stated>
std::unique_ptr<Runner> make_boost_reference(const Options& options) {
  return reference::make_runner(std::make_unique<reference::Reading<WithTerms<Stated>>>(), options);
}

}  // namespace kalaba
