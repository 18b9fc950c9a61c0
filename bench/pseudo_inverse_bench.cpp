// Pseudo-inverses of small matrices only, x = B+ e: Kalaba's batches on one thread and loops over Eigen. Uses Google
// Benchmark; --benchmark_format=json for a file. items_per_second: matrices.

#include <benchmark/benchmark.h>

#include <Eigen/Dense>
#include <array>
#include <random>
#include <vector>

#include "kalaba/pseudo_inverse.hpp"

namespace {

using namespace kalaba;

constexpr long count = 1024;

/// Random matrices of given rank, [entry][matrix], and right-hand sides.
template <class T>
struct Batch {
  int m, n, rank;
  std::vector<T> b, e;

  explicit Batch(const benchmark::State& state)
      : m(static_cast<int>(state.range(0))),
        n(static_cast<int>(state.range(1))),
        rank(static_cast<int>(state.range(2))) {
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    const auto draw = [&](int rows, int columns) {
      Eigen::MatrixXd matrix(rows, columns);
      for (double& entry : matrix.reshaped()) entry = normal(random);
      return matrix;
    };
    b.resize(static_cast<std::size_t>(m * n * count));
    e.resize(static_cast<std::size_t>(m * count));
    for (long k = 0; k < count; ++k) {
      const Eigen::MatrixXd matrix = draw(m, rank) * draw(rank, n);
      const Eigen::MatrixXd right = draw(m, 1);
      for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) b[static_cast<std::size_t>((i * n + j) * count + k)] = static_cast<T>(matrix(i, j));
        e[static_cast<std::size_t>(i * count + k)] = static_cast<T>(right(i, 0));
      }
    }
  }
};

template <class T, PseudoInverse method>
void kalaba_min_norm(benchmark::State& state) {
  const Batch<T> batch(state);
  std::vector<T> x(static_cast<std::size_t>(batch.n * count));
  const MatrixBatch shape = {.rows = batch.m, .columns = batch.n, .count = count, .stride = count};
  for (auto _ : state) {
    solve_min_norm<T>(OnHost{1}, shape, batch.b.data(), batch.e.data(), x.data(), {.method = method});
    benchmark::DoNotOptimize(x.data());
  }
  state.SetItemsProcessed(state.iterations() * count);
}

template <class T, class Decomposition>
void eigen_min_norm(benchmark::State& state) {
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
  const Batch<T> batch(state);
  std::vector<Matrix> matrices(count, Matrix(batch.m, batch.n));
  std::vector<Vector> rights(count, Vector(batch.m));
  for (long k = 0; k < count; ++k) {
    const auto at = static_cast<std::size_t>(k);
    for (int i = 0; i < batch.m; ++i) {
      for (int j = 0; j < batch.n; ++j)
        matrices[at](i, j) = batch.b[static_cast<std::size_t>((i * batch.n + j) * count + k)];
      rights[at][i] = batch.e[static_cast<std::size_t>(i * count + k)];
    }
  }
  Decomposition decomposition(batch.m, batch.n);
  for (auto _ : state) {
    for (std::size_t k = 0; k < matrices.size(); ++k) {
      if constexpr (requires { decomposition.computeV(); }) {
        decomposition.compute(matrices[k], Eigen::ComputeThinU | Eigen::ComputeThinV);
      } else {
        decomposition.compute(matrices[k]);
      }
      Vector x = decomposition.solve(rights[k]);
      benchmark::DoNotOptimize(x.data());
    }
  }
  state.SetItemsProcessed(state.iterations() * count);
}

void shapes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"m", "n", "rank"});
  for (const auto& [m, n, rank] :
       {std::array{1, 3, 1}, std::array{3, 4, 3}, std::array{3, 4, 2}, std::array{9, 12, 9}, std::array{24, 32, 24},
        std::array{32, 32, 32}, std::array{33, 33, 33}, std::array{64, 64, 64}}) {
    benchmark->Args({m, n, rank});
  }
}

template <class T>
using Jacobi = Eigen::JacobiSVD<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>>;
template <class T>
using Cod = Eigen::CompleteOrthogonalDecomposition<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>>;

BENCHMARK(kalaba_min_norm<double, PseudoInverse::svd>)->Name("kalaba_svd/double")->Apply(shapes);
BENCHMARK(eigen_min_norm<double, Jacobi<double>>)->Name("eigen_jacobi_svd/double")->Apply(shapes);
BENCHMARK(kalaba_min_norm<double, PseudoInverse::qr>)->Name("kalaba_qr/double")->Apply(shapes);
BENCHMARK(eigen_min_norm<double, Cod<double>>)->Name("eigen_cod/double")->Apply(shapes);
BENCHMARK(kalaba_min_norm<float, PseudoInverse::svd>)->Name("kalaba_svd/single")->Apply(shapes);
BENCHMARK(kalaba_min_norm<float, PseudoInverse::qr>)->Name("kalaba_qr/single")->Apply(shapes);

}  // namespace

BENCHMARK_MAIN();
