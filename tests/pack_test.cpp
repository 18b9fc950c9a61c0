// A lane of a pack gives the same bits whatever its neighbours hold.

#include "kalaba/backend/pack.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace kalaba {
namespace {

template <class T>
class PackTest : public testing::Test {
 protected:
  using X = Pack<T>;
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

  /// f(x) in the first lane, `neighbour` in the others.
  template <class F>
  static Bits first_lane(const F& f, T x, T neighbour) {
    T lanes[X::lanes];
    for (int i = 0; i < X::lanes; ++i) lanes[i] = i == 0 ? x : neighbour;
    f(X::load(lanes)).store(lanes);
    return std::bit_cast<Bits>(lanes[0]);
  }

  template <class F>
  static int disturbed(const F& f) {
    constexpr T inf = std::numeric_limits<T>::infinity();
    int count = 0;
    for (const T neighbour : {T(0), T(0.1), T(1), T(2), T(30), T(70), T(999), T(1e6), inf, T(inf - inf)}) {
      for (T x = T(0.01); x < T(2000); x *= T(1.003)) {
        if (first_lane(f, x, neighbour) != first_lane(f, x, x)) ++count;
      }
    }
    return count;
  }
};

using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(PackTest, Precisions);

TYPED_TEST(PackTest, ALaneDoesNotDependOnItsNeighbours) {
  using X = typename TestFixture::X;
  EXPECT_EQ(TestFixture::disturbed([](const X& x) { return sin(x); }), 0);
  EXPECT_EQ(TestFixture::disturbed([](const X& x) { return cos(x); }), 0);
  EXPECT_EQ(TestFixture::disturbed([](const X& x) { return tan(x); }), 0);
  EXPECT_EQ(TestFixture::disturbed([](const X& x) { return exp(x * X(0.01)); }), 0);
  EXPECT_EQ(TestFixture::disturbed([](const X& x) { return log(x); }), 0);
  EXPECT_EQ(TestFixture::disturbed([](const X& x) { return tanh(x); }), 0);
  EXPECT_EQ(TestFixture::disturbed([](const X& x) { return pow(x, X(1.5)); }), 0);
  EXPECT_EQ(TestFixture::disturbed([](const X& x) { return atan2(x, X(2)); }), 0);
  EXPECT_EQ(TestFixture::disturbed([](const X& x) { return sqrt(x); }), 0);
  EXPECT_EQ(TestFixture::disturbed([](const X& x) { return rsqrt(x); }), 0);
}

}  // namespace
}  // namespace kalaba
