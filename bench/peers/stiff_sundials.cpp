// CVODE and IDA on the systems of stiff_systems.hpp, with dense matrices and exact Jacobians. bench/stiff_peers.py
// compiles this file and calls its functions.

#include <cvode/cvode.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <ctime>
#include <stdexcept>

#include "stiff_systems.hpp"

namespace kalaba::peers {
namespace {

void require(int code) {
  if (code < 0) throw std::runtime_error("SUNDIALS refuses");
}

double thread_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double* data(N_Vector vector) { return N_VGetArrayPointer(vector); }
double& at(SUNMatrix matrix, std::size_t row, std::size_t column) {
  return SM_ELEMENT_D(matrix, static_cast<sunindextype>(row), static_cast<sunindextype>(column));
}

/// Counts and CPU time of a run; declared in stiff_peers.py too.
struct Figures {
  long steps = 0, rates = 0, jacobians = 0;
  double seconds = 0;
};

/// CVODE on y' = f(y).
template <class System>
struct ByCvode {
  using Equations = Rate<System>;
  static constexpr std::size_t unknowns = Equations::states;

  static int rate(double, N_Vector y, N_Vector f, void* equations) {
    static_cast<Equations*>(equations)->rate(data(y), data(f));
    return 0;
  }
  static int jacobian(double, N_Vector y, N_Vector f, SUNMatrix matrix, void* equations, N_Vector, N_Vector, N_Vector) {
    constexpr std::size_t n = System::size;
    double lower[n][2 * n];
    static_cast<Equations*>(equations)->jacobian(data(y), data(f), lower);
    for (std::size_t i = 0; i < n; ++i) {
      at(matrix, i, n + i) = 1;  // SUNDIALS clears the matrix before
      for (std::size_t j = 0; j < 2 * n; ++j) at(matrix, n + i, j) = lower[i][j];
    }
    return 0;
  }

  static void fill(Equations&, double, double absolute, double* y, double*, double*, double* tolerances) {
    System::start(y);
    std::fill_n(tolerances, unknowns, absolute);
  }
  static void end_of(const double* y, double* numbers) { System::end_of(y, numbers); }
};

/// IDA on q' = w, M(q) w' = r(q, w).
template <class System>
struct ByIda {
  using Equations = Rate<System>;
  static constexpr std::size_t n = System::size;
  static constexpr std::size_t unknowns = 2 * n;

  static int residual(double, N_Vector y, N_Vector rates, N_Vector result, void* equations) {
    const double *state = data(y), *rate = data(rates);
    double* r = data(result);
    System::residual(state, rate + n, static_cast<Equations*>(equations)->parameter(), r + n);
    for (std::size_t i = 0; i < n; ++i) r[i] = rate[i] - state[n + i];
    return 0;
  }
  static int jacobian(double, double cj, N_Vector y, N_Vector rates, N_Vector, SUNMatrix matrix, void* data_of,
                      N_Vector, N_Vector, N_Vector) {
    auto& equations = *static_cast<Equations*>(data_of);
    double slopes[n][2 * n];
    equations.residual_slopes(data(y), data(rates) + n, slopes);
    const auto metric = equations.metric(data(y));
    for (std::size_t i = 0; i < n; ++i) {
      at(matrix, i, i) = cj;
      at(matrix, i, n + i) = -1;
      for (std::size_t j = 0; j < 2 * n; ++j) at(matrix, n + i, j) = slopes[i][j];
      for (std::size_t j = 0; j < n; ++j) at(matrix, n + i, n + j) += cj * metric[i][j];
    }
    return 0;
  }

  static void fill(Equations& equations, double, double absolute, double* y, double* rates, double* kinds,
                   double* tolerances) {
    System::start(y);
    equations.rate(y, rates);
    std::fill_n(kinds, unknowns, 1.0);
    std::fill_n(tolerances, unknowns, absolute);
  }
  static void end_of(const double* y, double* numbers) { System::end_of(y, numbers); }
};

/// IDA on the chain in positions x and velocities v of the joints, each rod stated once, in the stabilized form of
/// Gear, Gupta and Leimkuhler (index 2): x' = v + Aᵀ µ, v' = F + Aᵀ λ, φ = 0, A v = 0.
struct ByIdaOnRods {
  using Equations = Rate<StiffChain>;
  static constexpr std::size_t rods = StiffChain::size;
  static constexpr std::size_t n = 2 * rods;
  static constexpr std::size_t unknowns = 2 * n + 2 * rods;  ///< x, v, λ, µ

  /// Stiffness matrix of the bends, for one axis; row i has entries from i - 2 to i + 2.
  struct Bending {
    double k[rods][rods] = {};
    Bending() {
      for (std::size_t i = 0; i + 1 < rods; ++i) {  // bend x[i + 1] - 2 x[i] + x[i - 1]; x[-1] is the support
        const double weights[] = {1, -2, 1};
        for (std::size_t a = 0; a < 3; ++a) {
          for (std::size_t b = 0; b < 3; ++b) {
            if (i + a >= 1 && i + b >= 1) k[i + a - 1][i + b - 1] += weights[a] * weights[b];
          }
        }
      }
    }
  };
  static const Bending& bending() {
    static const Bending all;
    return all;
  }
  static std::size_t first(std::size_t i) { return i < 2 ? 0 : i - 2; }
  static std::size_t last(std::size_t i) { return std::min(i + 2, rods - 1); }
  /// Component `axis` of rod i of positions or velocities.
  static double along(const double* x, std::size_t i, std::size_t axis) {
    return x[2 * i + axis] - (i > 0 ? x[2 * i - 2 + axis] : 0);
  }
  static double force(const double* x, const double* v, double eta, std::size_t i, std::size_t axis) {
    double sum = axis == 1 ? -StiffChain::gravity : 0;
    for (std::size_t j = first(i); j <= last(i); ++j) {
      sum -= bending().k[i][j] * (StiffChain::kappa * x[2 * j + axis] + eta * v[2 * j + axis]);
    }
    return sum;
  }
  /// Component of Aᵀ λ.
  static double pull(const double* x, const double* lambda, std::size_t i, std::size_t axis) {
    return lambda[i] * along(x, i, axis) - (i + 1 < rods ? lambda[i + 1] * along(x, i + 1, axis) : 0);
  }

  static int residual(double, N_Vector y, N_Vector rates, N_Vector result, void* equations) {
    const double eta = static_cast<Equations*>(equations)->parameter();
    const double *x = data(y), *v = x + n, *lambda = v + n, *mu = lambda + rods, *rate = data(rates);
    double* r = data(result);
    for (std::size_t i = 0; i < rods; ++i) {
      for (std::size_t axis = 0; axis < 2; ++axis) {
        const std::size_t row = 2 * i + axis;
        r[row] = rate[row] - v[row] - pull(x, mu, i, axis);
        r[n + row] = rate[n + row] - force(x, v, eta, i, axis) - pull(x, lambda, i, axis);
      }
      const double dx = along(x, i, 0), dy = along(x, i, 1);
      r[2 * n + i] = (dx * dx + dy * dy - StiffChain::length * StiffChain::length) / 2;
      r[2 * n + rods + i] = dx * along(v, i, 0) + dy * along(v, i, 1);
    }
    return 0;
  }
  static int jacobian(double, double cj, N_Vector y, N_Vector, N_Vector, SUNMatrix matrix, void* equations, N_Vector,
                      N_Vector, N_Vector) {
    const double eta = static_cast<Equations*>(equations)->parameter();
    const double *x = data(y), *v = x + n, *lambda = v + n, *mu = lambda + rods;
    for (std::size_t i = 0; i < rods; ++i) {
      for (std::size_t axis = 0; axis < 2; ++axis) {
        const std::size_t row = 2 * i + axis;
        at(matrix, row, row) += cj;
        at(matrix, row, n + row) = -1;
        at(matrix, n + row, n + row) += cj;
        for (std::size_t j = first(i); j <= last(i); ++j) {
          at(matrix, n + row, 2 * j + axis) += StiffChain::kappa * bending().k[i][j];
          at(matrix, n + row, n + 2 * j + axis) += eta * bending().k[i][j];
        }
        // Rod i pulls its joint i with λ_i and its joint i - 1 with -λ_i.
        const std::size_t joints = i > 0 ? 2 : 1;
        for (std::size_t a = 0; a < joints; ++a) {
          const double sign = a == 0 ? 1 : -1;
          for (std::size_t b = 0; b < joints; ++b) {
            const double both = a == b ? 1 : -1;
            at(matrix, row - 2 * a, row - 2 * b) -= both * mu[i];
            at(matrix, n + row - 2 * a, row - 2 * b) -= both * lambda[i];
          }
          const double component = sign * along(x, i, axis);
          at(matrix, row - 2 * a, 2 * n + rods + i) -= component;
          at(matrix, n + row - 2 * a, 2 * n + i) -= component;
          at(matrix, 2 * n + i, row - 2 * a) += component;
          at(matrix, 2 * n + rods + i, n + row - 2 * a) += component;
          at(matrix, 2 * n + rods + i, row - 2 * a) += sign * along(v, i, axis);
        }
      }
    }
    return 0;
  }

  static void fill(Equations& equations, double tolerance, double absolute, double* y, double* rates, double* kinds,
                   double* tolerances) {
    double angles[2 * rods], turns[2 * rods], positions[StiffChain::ends];
    StiffChain::start(angles);
    equations.rate(angles, turns);
    StiffChain::end_of(angles, positions);
    std::fill_n(y, unknowns, 0.0);
    std::fill_n(rates, unknowns, 0.0);
    std::copy_n(positions, n, y);
    double across = 0, up = 0;
    for (std::size_t i = 0; i < rods; ++i) {  // accelerations at rest
      rates[n + 2 * i] = across += StiffChain::length * std::cos(angles[i]) * turns[rods + i];
      rates[n + 2 * i + 1] = up += StiffChain::length * std::sin(angles[i]) * turns[rods + i];
    }
    double* lambda = y + 2 * n;
    for (std::size_t i = rods; i-- > 0;) {  // from the free end
      double sum = 0;
      for (std::size_t axis = 0; axis < 2; ++axis) {
        const double needed = rates[n + 2 * i + axis] - force(y, y + n, equations.parameter(), i, axis) -
                              pull(y, lambda, i, axis);  // here λ_i is still zero
        sum += needed * along(y, i, axis);
      }
      lambda[i] = sum / (StiffChain::length * StiffChain::length);
    }
    std::fill_n(kinds, 2 * n, 1.0);
    std::fill_n(kinds + 2 * n, 2 * rods, 0.0);
    std::fill_n(tolerances, 2 * n, absolute);
    std::fill_n(tolerances + 2 * n, 2 * rods, 1e3 * tolerance);  // forces of some hundred newtons
  }
  static void end_of(const double* y, double* numbers) { std::copy_n(y, 2 * n, numbers); }
};

constexpr long most_steps = 10'000'000;
constexpr double first_step =
    1e-6;  ///< s; IDA's own fails at tight tolerances, as the rows of index 2 are ill-conditioned

/// Context, vectors and matrix of one run.
template <class Method>
struct Setup {
  SUNContext context = nullptr;
  N_Vector y, rates, kinds, tolerances;
  SUNMatrix matrix;
  SUNLinearSolver linear;

  Setup() {
    require(SUNContext_Create(nullptr, &context));
    for (N_Vector* each : {&y, &rates, &kinds, &tolerances}) *each = N_VNew_Serial(Method::unknowns, context);
    matrix = SUNDenseMatrix(Method::unknowns, Method::unknowns, context);
    linear = SUNLinSol_Dense(y, matrix, context);
  }
  ~Setup() {
    SUNLinSolFree(linear);
    SUNMatDestroy(matrix);
    for (N_Vector each : {y, rates, kinds, tolerances}) N_VDestroy(each);
    SUNContext_Free(&context);
  }
  Setup(const Setup&) = delete;
  Setup& operator=(const Setup&) = delete;

  void fill(typename Method::Equations& equations, double tolerance, double absolute) {
    Method::fill(equations, tolerance, absolute, data(y), data(rates), data(kinds), data(tolerances));
  }
};

template <class System, class Method>
void by_cvode(double parameter, double tolerance, double absolute, double* ends, Figures& figures) {
  const double begin = thread_seconds();
  Rate<System> equations(parameter);
  Setup<Method> setup;
  setup.fill(equations, tolerance, absolute);
  void* solver = CVodeCreate(CV_BDF, setup.context);
  require(CVodeInit(solver, Method::rate, 0, setup.y));
  require(CVodeSVtolerances(solver, tolerance, setup.tolerances));
  require(CVodeSetUserData(solver, &equations));
  require(CVodeSetLinearSolver(solver, setup.linear, setup.matrix));
  require(CVodeSetJacFn(solver, Method::jacobian));
  require(CVodeSetMaxNumSteps(solver, most_steps));
  require(CVodeSetStopTime(solver, System::end));
  double t = 0;
  require(CVode(solver, System::end, setup.y, &t, CV_NORMAL));
  Method::end_of(data(setup.y), ends);
  figures.seconds += thread_seconds() - begin;
  long steps = 0, rates = 0, jacobians = 0;
  CVodeGetNumSteps(solver, &steps);
  CVodeGetNumRhsEvals(solver, &rates);
  CVodeGetNumJacEvals(solver, &jacobians);
  CVodeFree(&solver);
  figures.steps += steps;
  figures.rates += rates;
  figures.jacobians += jacobians;
}

template <class System, class Method>
void by_ida(double parameter, double tolerance, double absolute, double* ends, Figures& figures) {
  const double begin = thread_seconds();
  Rate<System> equations(parameter);
  Setup<Method> setup;
  setup.fill(equations, tolerance, absolute);
  void* solver = IDACreate(setup.context);
  require(IDAInit(solver, Method::residual, 0, setup.y, setup.rates));
  require(IDASVtolerances(solver, tolerance, setup.tolerances));
  require(IDASetUserData(solver, &equations));
  require(IDASetLinearSolver(solver, setup.linear, setup.matrix));
  require(IDASetJacFn(solver, Method::jacobian));
  require(IDASetId(solver, setup.kinds));
  require(IDASetSuppressAlg(solver, SUNTRUE));
  require(IDASetMaxNumSteps(solver, most_steps));
  require(IDASetInitStep(solver, first_step));
  require(IDASetStopTime(solver, System::end));
  double t = 0;
  require(IDASolve(solver, System::end, &t, setup.y, setup.rates, IDA_NORMAL));
  Method::end_of(data(setup.y), ends);
  figures.seconds += thread_seconds() - begin;
  long steps = 0, rates = 0, jacobians = 0;
  IDAGetNumSteps(solver, &steps);
  IDAGetNumResEvals(solver, &rates);
  IDAGetNumJacEvals(solver, &jacobians);
  IDAFree(&solver);
  figures.steps += steps;
  figures.rates += rates;
  figures.jacobians += jacobians;
}

}  // namespace
}  // namespace kalaba::peers

using namespace kalaba::peers;

/// Returns 0, or 1 if SUNDIALS failed.
template <class Run>
static int caught(const Run& run) {
  try {
    run();
    return 0;
  } catch (const std::exception&) {
    return 1;
  }
}

extern "C" {

int chain_cvode(double eta, double tolerance, double absolute, double* ends, Figures* figures) {
  return caught([&] { by_cvode<StiffChain, ByCvode<StiffChain>>(eta, tolerance, absolute, ends, *figures); });
}
int chain_ida(double eta, double tolerance, double absolute, double* ends, Figures* figures) {
  return caught([&] { by_ida<StiffChain, ByIda<StiffChain>>(eta, tolerance, absolute, ends, *figures); });
}
int chain_ida_rods(double eta, double tolerance, double absolute, double* ends, Figures* figures) {
  return caught([&] { by_ida<StiffChain, ByIdaOnRods>(eta, tolerance, absolute, ends, *figures); });
}
int governor_cvode(double damping, double tolerance, double absolute, double* ends, Figures* figures) {
  return caught([&] { by_cvode<Governor, ByCvode<Governor>>(damping, tolerance, absolute, ends, *figures); });
}
int governor_ida(double damping, double tolerance, double absolute, double* ends, Figures* figures) {
  return caught([&] { by_ida<Governor, ByIda<Governor>>(damping, tolerance, absolute, ends, *figures); });
}

}  // extern "C"
