#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace kalaba::peers {

/// Number with its derivatives along N directions.
template <std::size_t N>
struct Dual {
  double value = 0;
  std::array<double, N> slope = {};

  Dual() = default;
  Dual(double number) : value(number) {}  // NOLINT: numbers are constants

  /// f(this), where f has this value and derivative.
  Dual mapped(double f, double derivative) const {
    Dual result(f);
    for (std::size_t i = 0; i < N; ++i) result.slope[i] = derivative * slope[i];
    return result;
  }
};

template <std::size_t N>
Dual<N> operator+(const Dual<N>& a, const Dual<N>& b) {
  Dual<N> result(a.value + b.value);
  for (std::size_t i = 0; i < N; ++i) result.slope[i] = a.slope[i] + b.slope[i];
  return result;
}
template <std::size_t N>
Dual<N> operator*(const Dual<N>& a, const Dual<N>& b) {
  Dual<N> result(a.value * b.value);
  for (std::size_t i = 0; i < N; ++i) result.slope[i] = a.slope[i] * b.value + a.value * b.slope[i];
  return result;
}
template <std::size_t N>
Dual<N> operator*(double a, const Dual<N>& b) {
  return b.mapped(a * b.value, a);
}
template <std::size_t N>
Dual<N> operator-(const Dual<N>& a, const Dual<N>& b) {
  return a + -1.0 * b;
}
template <std::size_t N>
Dual<N> sin(const Dual<N>& a) {
  return a.mapped(std::sin(a.value), std::cos(a.value));
}
template <std::size_t N>
Dual<N> cos(const Dual<N>& a) {
  return a.mapped(std::cos(a.value), -std::sin(a.value));
}
template <std::size_t N>
Dual<N> sqrt(const Dual<N>& a) {
  const double root = std::sqrt(a.value);
  return a.mapped(root, 0.5 / root);
}
template <std::size_t N>
Dual<N> inverse(const Dual<N>& a) {
  return a.mapped(1 / a.value, -1 / (a.value * a.value));
}
inline double inverse(double a) { return 1 / a; }

/// Equations of a system in independent coordinates q, derived by hand: M(q) q'' = r(q, q').
///
/// The chain of eight rods with stiff, damped joints, in the angles of the rods with the vertical; the parameter is
/// the damping eta of a joint.
struct StiffChain {
  static constexpr std::size_t size = 8;
  static constexpr std::size_t ends = 32;  ///< x1, y1, …, x8, y8 and their rates
  static constexpr double end = 1;         // s
  static constexpr double mass = 1, length = 0.25, gravity = 9.81, kappa = 1e6;

  static void start(double* y) {
    for (std::size_t i = 0; i < size; ++i) {
      y[i] = 1.2;
      y[size + i] = 0;
    }
  }

  static void metric(const double* y, double (*m)[size]) {
    double s[size], c[size];
    for (std::size_t i = 0; i < size; ++i) {
      s[i] = std::sin(y[i]);
      c[i] = std::cos(y[i]);
    }
    for (std::size_t i = 0; i < size; ++i) {
      const double borne = mass * length * length * static_cast<double>(size - i);
      for (std::size_t j = 0; j <= i; ++j) m[i][j] = borne * (c[i] * c[j] + s[i] * s[j]);
    }
  }

  /// M(q) a - r(q, q').
  template <class X>
  static void residual(const X* y, const double* a, double eta, X* result) {
    using std::cos, std::sin;
    X s[size], c[size], px[size], py[size];
    X across = 0, along = 0;  // second derivatives of the positions, divided by the length
    for (std::size_t i = 0; i < size; ++i) {
      const X& w = y[size + i];
      s[i] = sin(y[i]);
      c[i] = cos(y[i]);
      across = across + (a[i] * c[i] - w * w * s[i]);
      along = along + (a[i] * s[i] + w * w * c[i]);
      px[i] = across;
      py[i] = along + X(gravity / length);
    }
    X sum_x = 0, sum_y = 0;
    for (std::size_t i = size; i-- > 0;) {
      sum_x = sum_x + px[i];
      sum_y = sum_y + py[i];
      result[i] = mass * length * length * (c[i] * sum_x + s[i] * sum_y);
    }
    for (std::size_t i = 0; i + 1 < size; ++i) {
      const X cosine = c[i] * c[i + 1] + s[i] * s[i + 1];
      const X moment = (kappa * length * length) * (s[i] * c[i + 1] - c[i] * s[i + 1]);
      const X &w = y[size + i], &next = y[size + i + 1];
      result[i] = result[i] + moment + (eta * length * length) * (w - next * cosine);
      result[i + 1] = result[i + 1] - moment + (eta * length * length) * (next - w * cosine);
    }
  }

  static void end_of(const double* y, double* numbers) {
    double x[4] = {};
    for (std::size_t i = 0; i < size; ++i) {
      const double s = std::sin(y[i]), c = std::cos(y[i]), w = y[size + i];
      const double more[] = {s, -c, w * c, w * s};
      for (std::size_t k = 0; k < 4; ++k) {
        x[k] += length * more[k];
        numbers[(k / 2) * 2 * size + 2 * i + k % 2] = x[k];
      }
    }
  }
};

/// The flyball governor, problem A05 of the benchmark library of IFToMM: the height of the slider, the angle of both
/// rods and the turn of the shaft; the parameter is the damping of a spring.
struct Governor {
  static constexpr std::size_t size = 3;
  static constexpr std::size_t ends = 6;
  static constexpr double end = 10;  // s
  static constexpr double gravity = 9.81, stiffness = 8e5, ball = 5, rod = 0.3, slider = 3, offset = 0.05;
  static constexpr double thin = 0.01 * 0.01 / 12;  // squared radius of gyration of a side of 0.01 m
  static constexpr double along = 2 * thin * rod, across = (1.0 / 12 + thin) * rod;
  static constexpr double tilting = 2 * (ball + rod / 4 + across);

  static void start(double* y) {
    const double values[] = {0.5, M_PI / 6, 0, 0, 0, 2 * M_PI};
    for (std::size_t i = 0; i < 2 * size; ++i) y[i] = values[i];
  }

  /// Moment of inertia about the shaft.
  template <class X>
  static X inertia(const X& s, const X& c) {
    const X far = X(offset) + c, middle = X(offset) + 0.5 * c;
    return X(2 * thin * rod + slider * 2 * 0.1 * 0.1 / 12) +
           2.0 * (ball * (far * far) + rod * (middle * middle) + along * (s * s) + across * (c * c));
  }

  static void metric(const double* y, double (*m)[size]) {
    for (std::size_t i = 0; i < size; ++i) m[i][0] = m[i][1] = m[i][2] = 0;
    m[0][0] = slider;
    m[1][1] = tilting;
    m[2][2] = inertia(std::sin(y[1]), std::cos(y[1]));
  }

  /// M(q) a - r(q, q').
  template <class X>
  static void residual(const X* y, const double* a, double damping, X* result) {
    using std::cos, std::sin, std::sqrt;
    const X s = sin(y[1]), c = cos(y[1]);
    const X &lift = y[3], &tilt = y[4], &turn = y[5];
    const X far = X(offset) + c, middle = X(offset) + 0.5 * c;
    const X slope = -2.0 * (s * (2 * ball * far + rod * middle + 2 * (across - along) * c));  // of the inertia
    const X x = 0.5 * c, z = X(1.0) - 0.5 * s - y[0];  // from the slider to the middle of the rod
    const X distance = sqrt(x * x + z * z);
    const X scale = inverse(distance);
    const X by_height = -1.0 * (z * scale), by_angle = -0.5 * ((x * s + z * c) * scale);
    const X pull = stiffness * (distance - X(0.5)) + damping * (by_height * lift + by_angle * tilt);
    result[0] = X(slider * (a[0] + gravity)) + 2.0 * (pull * by_height);
    result[1] = X(tilting * a[1]) - 0.5 * (slope * turn * turn) - (2 * gravity * (ball + rod / 2)) * c +
                2.0 * (pull * by_angle);
    result[2] = a[2] * inertia(s, c) + slope * tilt * turn;
  }

  static void end_of(const double* y, double* numbers) {
    for (std::size_t i = 0; i < ends; ++i) numbers[i] = y[i];
  }
};

/// Rate f of a system as y' = f(y), y = (q, q'), with its exact Jacobian.
template <class System>
class Rate {
 public:
  static constexpr std::size_t n = System::size;
  static constexpr std::size_t states = 2 * n;

  explicit Rate(double parameter) : parameter_(parameter) {}

  void rate(const double* y, double* f) {
    factorize(y);
    const double none[n] = {};
    System::residual(y, none, parameter_, f + n);
    for (std::size_t i = 0; i < n; ++i) {
      f[i] = y[n + i];
      f[n + i] = -f[n + i];
    }
    solve<1>(f + n);
  }

  /// Derivatives of M(q) a - r(q, q') at constant a, [row][state].
  void residual_slopes(const double* y, const double* a, double (*slopes)[states]) {
    Dual<states> state[states], result[n];
    for (std::size_t i = 0; i < states; ++i) {
      state[i].value = y[i];
      state[i].slope[i] = 1;
    }
    System::residual(state, a, parameter_, result);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < states; ++j) slopes[i][j] = result[i].slope[j];
    }
  }

  /// Lower half of ∂f/∂y, [row][state]; the upper half is (0, 1).
  void jacobian(const double* y, const double* f, double (*lower)[states]) {
    residual_slopes(y, f + n, lower);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < states; ++j) lower[i][j] = -lower[i][j];
    }
    factorize(y);
    solve<states>(&lower[0][0]);
  }

  const double (*metric(const double* y))[n] {
    System::metric(y, m_);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) m_[j][i] = m_[i][j];
    }
    return m_;
  }
  double parameter() const { return parameter_; }

 private:
  void factorize(const double* y) {  // M = L Lᵀ
    System::metric(y, m_);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < j; ++k) m_[j][j] -= m_[j][k] * m_[j][k];
      m_[j][j] = std::sqrt(m_[j][j]);
      for (std::size_t i = j + 1; i < n; ++i) {
        for (std::size_t k = 0; k < j; ++k) m_[i][j] -= m_[i][k] * m_[j][k];
        m_[i][j] /= m_[j][j];
      }
    }
  }
  template <std::size_t Columns>
  void solve(double* x) const {
    const auto subtract = [&](std::size_t i, std::size_t k, double factor) {
      for (std::size_t c = 0; c < Columns; ++c) x[i * Columns + c] -= factor * x[k * Columns + c];
    };
    const auto divide = [&](std::size_t i) {
      for (std::size_t c = 0; c < Columns; ++c) x[i * Columns + c] /= m_[i][i];
    };
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < i; ++k) subtract(i, k, m_[i][k]);
      divide(i);
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < n; ++k) subtract(i, k, m_[k][i]);
      divide(i);
    }
  }

  double parameter_;
  double m_[n][n];
};

}  // namespace kalaba::peers
