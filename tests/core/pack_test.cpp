// Results of a pack's lane do not depend on the values of its neighbours.

#include "kalaba/backend/pack.hpp"

#include <gtest/gtest.h>

#include "kalaba/backend/packs.hpp"

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

/// Numbers of which those of every pack differ.
template <class P>
P numbers(double first) {
  typename P::Number lanes[P::lanes];
  for (int i = 0; i < P::lanes; ++i) lanes[i] = static_cast<typename P::Number>(first + 0.01 * i);
  return P::load(lanes);
}

TYPED_TEST(PackTest, SeveralDoWhatEachDoes) {
  using X = typename TestFixture::X;
  using P = Packs<X, 3>;
  const P a = numbers<P>(0.1);
  const P b = numbers<P>(0.4);
  const P c = numbers<P>(-0.2);
  const auto expect = [&](const P& found, const auto& f) {
    TypeParam lanes[P::lanes];
    TypeParam expected[P::lanes];
    found.store(lanes);
    for (int k = 0; k < 3; ++k) f(a.of[k], b.of[k], c.of[k]).store(expected + k * X::lanes);
    for (int i = 0; i < P::lanes; ++i) {
      EXPECT_EQ(lanes[i], expected[i]) << i;
      EXPECT_EQ(lane_of(found, i), expected[i]) << i;
    }
  };
  expect(a + b, [](const X& x, const X& y, const X&) { return x + y; });
  expect(a - b, [](const X& x, const X& y, const X&) { return x - y; });
  expect(a * b, [](const X& x, const X& y, const X&) { return x * y; });
  expect(a / b, [](const X& x, const X& y, const X&) { return x / y; });
  expect(-a, [](const X& x, const X&, const X&) { return -x; });
  expect(fma(a, b, c), [](const X& x, const X& y, const X& z) { return fma(x, y, z); });
  expect(select(a < b, a, c), [](const X& x, const X& y, const X& z) { return select(x < y, x, z); });
  expect(select(c > -a, a, b), [](const X& x, const X& y, const X& z) { return select(z > -x, x, y); });
  expect(sqrt(a), [](const X& x, const X&, const X&) { return sqrt(x); });
  expect(rsqrt(b), [](const X&, const X& y, const X&) { return rsqrt(y); });
  expect(abs(c), [](const X&, const X&, const X& z) { return abs(z); });
  expect(sin(a), [](const X& x, const X&, const X&) { return sin(x); });
  expect(cos(a), [](const X& x, const X&, const X&) { return cos(x); });
  expect(tan(a), [](const X& x, const X&, const X&) { return tan(x); });
  expect(asin(c), [](const X&, const X&, const X& z) { return asin(z); });
  expect(acos(c), [](const X&, const X&, const X& z) { return acos(z); });
  expect(atan(a), [](const X& x, const X&, const X&) { return atan(x); });
  expect(exp(a), [](const X& x, const X&, const X&) { return exp(x); });
  expect(log(a), [](const X& x, const X&, const X&) { return log(x); });
  expect(tanh(a), [](const X& x, const X&, const X&) { return tanh(x); });
  expect(pow(a, b), [](const X& x, const X& y, const X&) { return pow(x, y); });
  expect(atan2(a, c), [](const X& x, const X&, const X& z) { return atan2(x, z); });
}

TYPED_TEST(PackTest, OfSeveralAnyAndAllSeeEveryLane) {
  using P = Packs<typename TestFixture::X, 3>;
  for (int lane = 0; lane < P::lanes; ++lane) {
    TypeParam lanes[P::lanes] = {};
    lanes[lane] = 1;
    const P x = P::load(lanes);
    EXPECT_TRUE(any(P(0) < x)) << lane;
    EXPECT_FALSE(all(x < P(1))) << lane;
    EXPECT_TRUE(all(!both(x == P(0), P(0) < x)));
    EXPECT_TRUE(all(either(x != P(1), P(1) <= x)));
    EXPECT_TRUE(all(x >= P(0)));
  }
  EXPECT_FALSE(any(P(0) < P(0)));
}

}  // namespace
}  // namespace kalaba
