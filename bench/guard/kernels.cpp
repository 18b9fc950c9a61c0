// Kernels whose instructions are counted: each advances one pack of members through the core's time loop.

#include <cstdio>

#include "kalaba/backend/pack.hpp"
#include "kalaba/core/loop/member.hpp"
#include "kalaba/systems/chain.hpp"
#include "kalaba/systems/spherical_pendulum.hpp"
#include "kalaba/systems/two_particles_incline.hpp"

namespace {

using namespace kalaba;
using X = Pack<double>;

constexpr long steps = 320;

/// The function that is counted; guard.sh refers to it by this name.
template <class M, template <class, int, int> class Inverse>
KALABA_NOINLINE void counted_kernel(MemberLoop<M, X, Inverse>& loop, Member<M, X>& member, const Method& method) {
  loop.advance(Solo{}, member, method, M::time, 0, steps);  // as called by backends
}

template <class M, template <class, int, int> class Inverse>
double run(const Method& method) {
  static MemberLoop<M, X, Inverse> loop;
  static Member<M, X> member;
  Vec<double, Dim<M>::parameters> p;
  Vec<double, Dim<M>::q> q;
  Vec<double, Dim<M>::w> w;
  for (int i = 0; i < Dim<M>::parameters; ++i) p[i] = M::parameters[i].value;
  M::start(p, q, w);
  for (int i = 0; i < Dim<M>::parameters; ++i) member.p[i] = X(p[i]);
  for (int i = 0; i < Dim<M>::q; ++i) member.q[i] = X(q[i]);
  for (int i = 0; i < Dim<M>::w; ++i) member.w[i] = X(w[i]);
  for_each_outcome(member, member, [](X& number, X&) { number = X(0); });
  member.rank = X(-1);
  counted_kernel<M, Inverse>(loop, member, method);
  double lanes[X::lanes];
  member.q[0].store(lanes);
  return lanes[0];
}

}  // namespace

/// `kernels projection` or `kernels none`: runs every kernel and prints a number from its result. The stabilization is
/// an argument so that the compiler cannot treat it as a constant.
int main(int argc, char** argv) {
  Method method;
  method.stabilization = argc > 1 && argv[1][0] == 'p' ? Stabilization::projection() : Stabilization::none();
  std::printf("%.17g\n", run<SphericalPendulum, JacobiSvd>(method));
  std::printf("%.17g\n", run<TwoParticlesIncline, JacobiSvd>(method));
  std::printf("%.17g\n", run<TwoParticlesIncline, PivotedQr>(method));
  std::printf("%.17g\n", run<Chain<4>, JacobiSvd>(method));
  std::printf("%.17g\n", run<Chain<4>, PivotedQr>(method));
}
