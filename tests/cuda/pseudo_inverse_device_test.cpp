// Batches of matrices in the memory of a CUDA device: the tests of pseudo_inverse_batch_test.cpp, with the available
// driver.

#include <thread>
#include <tuple>

#include "backend/backends.hpp"
#include "backend/cuda/device.hpp"
#include "backend/cuda/driver.hpp"
#include "backend/cuda/memory.hpp"
#include "kalaba/error.hpp"
#include "support/error_of.hpp"
#include "support/matrix_batches.hpp"

namespace kalaba::test {
namespace {

/// Device 0 with its context current.
class MatricesOnDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (!cuda_available()) GTEST_SKIP() << "no CUDA device here: " << cuda_unavailable_reason();
    device_ = std::make_unique<cuda::Device>(0);
    device_->make_current();
    stream_ = std::make_unique<cuda::Stream>();
  }

  /// Copies the arrays of a call to the device, executes the call there, and copies the results back.
  template <class T>
  Factorize<T> on_device(int threads = 0) {
    return [this, threads](const MatrixBatch& batch, const PseudoInverseArrays<T>& host,
                           const PseudoInverseOptions& options) {
      const int m = batch.rows;
      const int n = batch.columns;
      PseudoInverseArrays<T> there;
      Copies copies(*stream_, batch.stride);
      copies.up(host.b, m * n, there.b);
      copies.up(host.e, m, there.e);
      copies.both_ways(host.x, n, there.x);
      copies.both_ways(host.inverse, n * m, there.inverse);
      copies.both_ways(host.singular_values, std::min(m, n), there.singular_values);
      copies.both_ways(host.rank, 1, there.rank);
      copies.both_ways(host.status, 1, there.status);
      factorize(OnDevice{stream_->get(), threads}, batch, there, options);
      copies.down();
    };
  }

 private:
  class Copies {
   public:
    Copies(const cuda::Stream& stream, long stride) : stream_(stream), stride_(stride) {}

    template <class T, class P>
    void up(const T* host, int lines, P*& there) {
      if (host == nullptr) return;
      const std::size_t bytes = static_cast<std::size_t>(lines * stride_) * sizeof(T);
      there = buffers_.emplace_back(bytes).data<P>();
      cuda::check(cuda::driver().cuMemcpyHtoDAsync(buffers_.back().address(), host, bytes, stream_.get()), "copying");
    }
    template <class T>
    void both_ways(T* host, int lines, T*& there) {
      if (host == nullptr) return;
      up(host, lines, there);
      wanted_.emplace_back(host, buffers_.size() - 1);
    }
    void down() {
      for (const auto& [host, index] : wanted_) {
        const cuda::DeviceBuffer& from = buffers_[index];
        cuda::check(cuda::driver().cuMemcpyDtoHAsync(host, from.address(), from.bytes(), stream_.get()), "copying");
      }
      stream_.synchronize();
    }

   private:
    const cuda::Stream& stream_;
    long stride_;
    std::vector<cuda::DeviceBuffer> buffers_;
    std::vector<std::pair<void*, std::size_t>> wanted_;
  };

  std::unique_ptr<cuda::Device> device_;
  std::unique_ptr<cuda::Stream> stream_;
};

/// m, n and threads per matrix.
using Shape = std::tuple<int, int, int>;
class ShapesOnDevice : public MatricesOnDevice, public testing::WithParamInterface<Shape> {};

TEST_P(ShapesOnDevice, Svd) {
  const auto [m, n, threads] = GetParam();
  check_shape<double>(on_device<double>(threads), PseudoInverse::svd, m, n, 1);
}
TEST_P(ShapesOnDevice, SvdInSinglePrecision) {
  const auto [m, n, threads] = GetParam();
  check_shape<float>(on_device<float>(threads), PseudoInverse::svd, m, n, 1);
}
TEST_P(ShapesOnDevice, Qr) {
  const auto [m, n, threads] = GetParam();
  check_shape<double>(on_device<double>(threads), PseudoInverse::qr, m, n, 1);
}

INSTANTIATE_TEST_SUITE_P(Shapes, ShapesOnDevice,
                         testing::Values(Shape(1, 1, 0), Shape(3, 4, 0), Shape(3, 4, 4), Shape(4, 3, 0),
                                         Shape(9, 12, 0), Shape(12, 9, 32), Shape(24, 32, 0), Shape(33, 40, 0),
                                         Shape(64, 64, 0)));

TEST_F(MatricesOnDevice, MoreMatricesThanABlockHas) {
  check_shape<double>(on_device<double>(1), PseudoInverse::svd, 2, 3, 40);
  check_shape<double>(on_device<double>(8), PseudoInverse::svd, 9, 9, 10);
}

TEST_F(MatricesOnDevice, ABrokenMatrixDisturbsNobody) {
  for (const int threads : {1, 4}) {
    MatrixCase<double> calm(2, 3, 5);
    std::mt19937 random(5);
    for (long k = 0; k < 5; ++k) calm.set(k, with_spectrum(2, 3, Eigen::Vector2d(3, 1), random));
    MatrixCase<double> disturbed = calm;
    disturbed.b[disturbed.at(4, 2)] = std::numeric_limits<double>::quiet_NaN();
    on_device<double>(threads)(calm.batch, calm.arrays(PseudoInverse::svd), {});
    on_device<double>(threads)(disturbed.batch, disturbed.arrays(PseudoInverse::svd), {});
    EXPECT_EQ(disturbed.status[2], Status::non_finite);
    EXPECT_TRUE(std::isnan(disturbed.inverse[disturbed.at(0, 2)]));
    for (const long k : {0, 1, 3, 4}) {
      EXPECT_EQ(disturbed.get(disturbed.inverse, 3, 2, k), calm.get(calm.inverse, 3, 2, k));
      EXPECT_EQ(disturbed.get(disturbed.x, 3, 1, k), calm.get(calm.x, 3, 1, k));
    }
  }
}

TEST_F(MatricesOnDevice, WrongThreadsAreNamed) {
  MatrixCase<double> made(2, 3, 1);
  const Error error = test::error_of([&] {
    factorize(OnDevice{nullptr, 3}, made.batch, made.arrays(PseudoInverse::svd));
  });
  EXPECT_EQ(error.code(), ExitCode::bad_input);
  EXPECT_STREQ(error.what(),
               "batch of matrices: threads_per_matrix = 3; expected 1, 4, 8, 16 or 32, or 0 for what suits the shape");
}

TEST_F(MatricesOnDevice, AThreadWithoutADeviceIsTold) {
  std::string said = "nothing";
  std::jthread([&] {
    MatrixCase<double> made(2, 3, 1);
    try {
      factorize(OnDevice{}, made.batch, made.arrays(PseudoInverse::svd));
    } catch (const Error& error) {
      said = error.what();
    }
  }).join();
  EXPECT_EQ(said, "no CUDA device is current to this thread; call cudaSetDevice (or cuCtxSetCurrent) first");
}

}  // namespace
}  // namespace kalaba::test
