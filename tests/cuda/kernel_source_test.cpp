// A run's method as text: the constant compiled into the kernels.

#include "backend/cuda/kernel_source.hpp"

#include <gtest/gtest.h>

#include <set>
#include <type_traits>

namespace kalaba::cuda {
namespace {

Method every_field() {
  return {.integrator = Integrator::dopri5,
          .pseudo_inverse = PseudoInverse::qr,
          .stabilization = {Stabilization::Kind::feedback, 2, 3},
          .rank_tolerance = 0.5,
          .consistency_tolerance = 0.25,
          .relative_tolerance = 0.125,
          .absolute_tolerance = 0.0625,
          .largest_step = 4,
          .smallest_step = 0.03125,
          .max_steps = 77,
          .max_changes = 3};
}

std::string source_of(const Method& method) {
  Options options;
  options.method = method;
  return motion_source({.text = "", .type = "Model"}, options, 1);
}

TEST(TheKernelsMethod, IsWrittenFieldByField) {
  const std::string text =
      "Method method() { return {Integrator(1), PseudoInverse(1), {Stabilization::Kind(2), 0x1p+1, 0x1.8p+1, }, "
      "0x1p-1, "
      "0x1p-2, 0x1p-3, 0x1p-4, 0x1p+2, 0x1p-5, 0x1.34p+6, 0x1.8p+1, }; }";
  EXPECT_NE(source_of(every_field()).find(text), std::string::npos) << source_of(every_field());
}

/// Changes one field, given by its number in the order of visit_fields.
struct Change {
  int wanted;
  int next = 0;

  template <class T>
  void operator()(const T& field) {
    if constexpr (std::is_same_v<T, Stabilization>) {
      visit_fields(field, *this);
    } else if (next++ == wanted) {
      auto& changed = const_cast<T&>(field);
      changed = static_cast<T>(static_cast<int>(changed) + (std::is_enum_v<T> ? 1 : 7));
    }
  }
};

TEST(TheKernelsMethod, ShowsAChangeOfEveryField) {
  std::set<std::string> texts = {source_of(every_field())};
  int fields = 0;
  for (int field = 0; field == 0 || field < fields; ++field) {
    Method method = every_field();
    Change change{field};
    visit_fields(method, change);
    fields = change.next;
    texts.insert(source_of(method));
  }
  EXPECT_EQ(fields, 13);
  EXPECT_EQ(texts.size(), static_cast<std::size_t>(fields + 1));
}

}  // namespace
}  // namespace kalaba::cuda
