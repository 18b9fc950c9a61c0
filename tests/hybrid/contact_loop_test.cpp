// Contacts in the time loops of the core, against closed forms and against the same motion in other coordinates.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "kalaba/backend/pack.hpp"
#include "kalaba/core/loop/integrators.hpp"
#include "support/trials.hpp"

namespace kalaba {
namespace {

constexpr double g = 9.81;

/// Members that every model states.
struct Words {
  static constexpr const char* name = "";
  static constexpr const char* summary = "";
  static constexpr const char* source = "";
  static constexpr const char* equations = "";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr TimeGrid time = {.end = 1, .dt = 1e-3};
  template <class P, class Q, class W>
  KALABA_FN static void start(const P&, Q&, W&) {}
};

/// Ball above a floor; parameters: e, mode, slack.
struct Ball : Words {
  static constexpr Quantity parameters[3] = {};
  static constexpr Quantity coordinates[1] = {};
  static constexpr Quantity rates[1] = {};
  static constexpr Quantity holonomic[1] = {};
  static constexpr int contacts = 1;

  template <class P, class X>
  KALABA_FN static Diagonal<X, 1> metric(const P&, const X&, const Vec<X, 1>&) {
    return {{X(1)}};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 1> force(const P&, const X&, const Vec<X, 1>&, const Vec<X, 1>&) {
    return {X(-g)};
  }
  template <class P, class T, class Y>
  KALABA_FN static Vec<Y, 1> phi(const P& p, const T&, const Vec<Y, 1>& q) {
    return {p[1] * q[0]};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> contact_gaps(const P&, const X&, const Vec<X, 1>& q, const Vec<X, 1>& w) {
    return {q[0], w[0]};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> contact_terms(const P&, const X&, const Vec<X, 1>& q, const Vec<X, 1>& w) {
    return {abs(q[0]), abs(w[0])};
  }
};

/// Ball on a floor at the height -t^3; parameters: e, mode, slack.
struct BallOnSinkingFloor : Ball {
  template <class P, class T, class Y>
  KALABA_FN static Vec<Y, 1> phi(const P& p, const T& t, const Vec<Y, 1>& q) {
    return {p[1] * (q[0] + t * t * t)};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> contact_gaps(const P&, const X& t, const Vec<X, 1>& q, const Vec<X, 1>& w) {
    return {q[0] + t * t * t, w[0] + X(3) * t * t};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> contact_terms(const P&, const X& t, const Vec<X, 1>& q, const Vec<X, 1>& w) {
    return {abs(q[0]) + t * t * t, abs(w[0]) + X(3) * t * t};
  }
};

/// Balls of unit mass and diameter on a line; parameters: e, modes, slacks.
struct Cradle : Words {
  static constexpr Quantity parameters[5] = {};
  static constexpr Quantity coordinates[3] = {};
  static constexpr Quantity rates[3] = {};
  static constexpr Quantity holonomic[2] = {};
  static constexpr int contacts = 2;

  template <class P, class X>
  KALABA_FN static Diagonal<X, 3> metric(const P&, const X&, const Vec<X, 3>&) {
    return {{X(1), X(1), X(1)}};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 3> force(const P&, const X&, const Vec<X, 3>&, const Vec<X, 3>&) {
    return {X(0), X(0), X(0)};
  }
  template <class P, class T, class Y>
  KALABA_FN static Vec<Y, 2> phi(const P& p, const T&, const Vec<Y, 3>& q) {
    return {p[1] * (q[1] - q[0] - 1.0), p[2] * (q[2] - q[1] - 1.0)};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 4> contact_gaps(const P&, const X&, const Vec<X, 3>& q, const Vec<X, 3>& w) {
    return {q[1] - q[0] - X(1), q[2] - q[1] - X(1), w[1] - w[0], w[2] - w[1]};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 4> contact_terms(const P&, const X&, const Vec<X, 3>& q, const Vec<X, 3>& w) {
    return {abs(q[1]) + abs(q[0]) + X(1), abs(q[2]) + abs(q[1]) + X(1), abs(w[1]) + abs(w[0]), abs(w[2]) + abs(w[1])};
  }
};

/// Plank (height y, angle a) on stops at -b and b, and a third one in the middle, with a load of weight g that moves
/// outwards, at the place t; parameters: e, modes, slacks.
template <int Stops>
struct Plank : Words {
  static constexpr double b = 0.5;
  static constexpr double inertia = 0.2;
  static constexpr Quantity parameters[1 + 2 * Stops] = {};
  static constexpr Quantity coordinates[2] = {};
  static constexpr Quantity rates[2] = {};
  static constexpr Quantity holonomic[Stops] = {};
  static constexpr int contacts = Stops;

  KALABA_FN static constexpr double place(int stop) { return stop == 0 ? -b : stop == 1 ? b : 0; }

  template <class P, class X>
  KALABA_FN static Diagonal<X, 2> metric(const P&, const X&, const Vec<X, 2>&) {
    return {{X(1), X(inertia)}};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> force(const P&, const X& t, const Vec<X, 2>&, const Vec<X, 2>&) {
    return {X(-g), X(-g) * t};
  }
  template <class P, class T, class Y>
  KALABA_FN static Vec<Y, Stops> phi(const P& p, const T&, const Vec<Y, 2>& q) {
    Vec<Y, Stops> rows;
    for (int i = 0; i < Stops; ++i) rows[i] = p[1 + i] * (q[0] + place(i) * q[1]);
    return rows;
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2 * Stops> contact_gaps(const P&, const X&, const Vec<X, 2>& q, const Vec<X, 2>& w) {
    Vec<X, 2 * Stops> gaps;
    for (int i = 0; i < Stops; ++i) {
      gaps[i] = q[0] + X(place(i)) * q[1];
      gaps[Stops + i] = w[0] + X(place(i)) * w[1];
    }
    return gaps;
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2 * Stops> contact_terms(const P&, const X&, const Vec<X, 2>& q, const Vec<X, 2>& w) {
    Vec<X, 2 * Stops> terms;
    for (int i = 0; i < Stops; ++i) {
      terms[i] = abs(q[0]) + abs(X(place(i)) * q[1]);
      terms[Stops + i] = abs(w[0]) + abs(X(place(i)) * w[1]);
    }
    return terms;
  }
};

constexpr double wall = -0.3;

/// Double pendulum of unit masses and lengths in Cartesian coordinates, each rod stated twice, and a wall for the lower
/// bob; parameters: e, mode, slack.
struct CartesianPendulum : Words {
  static constexpr Quantity parameters[3] = {};
  static constexpr Quantity coordinates[4] = {};
  static constexpr Quantity rates[4] = {};
  static constexpr Quantity holonomic[5] = {};
  static constexpr int contacts = 1;

  template <class P, class X>
  KALABA_FN static Diagonal<X, 4> metric(const P&, const X&, const Vec<X, 4>&) {
    return {{X(1), X(1), X(1), X(1)}};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 4> force(const P&, const X&, const Vec<X, 4>&, const Vec<X, 4>&) {
    return {X(0), X(-g), X(0), X(-g)};
  }
  template <class P, class T, class Y>
  KALABA_FN static Vec<Y, 5> phi(const P& p, const T&, const Vec<Y, 4>& q) {
    const Y dx = q[2] - q[0];
    const Y dy = q[3] - q[1];
    const Y upper = (q[0] * q[0] + q[1] * q[1] - 1.0) * 0.5;
    const Y lower = (dx * dx + dy * dy - 1.0) * 0.5;
    return {upper, lower, upper, lower, p[1] * (q[2] - wall)};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> contact_gaps(const P&, const X&, const Vec<X, 4>& q, const Vec<X, 4>& w) {
    return {q[2] - X(wall), w[2]};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> contact_terms(const P&, const X&, const Vec<X, 4>& q, const Vec<X, 4>& w) {
    return {abs(q[2]) - X(wall), abs(w[2])};
  }
};

/// Double pendulum by its angles.
struct AngularPendulum : Words {
  static constexpr Quantity parameters[3] = {};
  static constexpr Quantity coordinates[2] = {};
  static constexpr Quantity rates[2] = {};
  static constexpr Quantity holonomic[1] = {};
  static constexpr int contacts = 1;

  template <class P, class X>
  KALABA_FN static Symmetric<X, 2> metric(const P&, const X&, const Vec<X, 2>& q) {
    const X coupling = cos(q[0] - q[1]);
    Symmetric<X, 2> result;
    result.entry(0, 0) = X(2);
    result.entry(0, 1) = result.entry(1, 0) = coupling;
    result.entry(1, 1) = X(1);
    return result;
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> force(const P&, const X&, const Vec<X, 2>& q, const Vec<X, 2>& w) {
    const X sine = sin(q[0] - q[1]);
    return {-sine * w[1] * w[1] - X(2 * g) * sin(q[0]), sine * w[0] * w[0] - X(g) * sin(q[1])};
  }
  template <class P, class T, class Y>
  KALABA_FN static Vec<Y, 1> phi(const P& p, const T&, const Vec<Y, 2>& q) {
    return {p[1] * (sin(q[0]) + sin(q[1]) - wall)};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> contact_gaps(const P&, const X&, const Vec<X, 2>& q, const Vec<X, 2>& w) {
    return {sin(q[0]) + sin(q[1]) - X(wall), cos(q[0]) * w[0] + cos(q[1]) * w[1]};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> contact_terms(const P&, const X&, const Vec<X, 2>& q, const Vec<X, 2>& w) {
    return {abs(sin(q[0])) + abs(sin(q[1])) - X(wall), abs(cos(q[0]) * w[0]) + abs(cos(q[1]) * w[1])};
  }
};

/// The contacts of a model, in its last rows; parameters: e, the modes, the slacks.
template <class M>
Watch contact_watch(ImpactOrder order = ImpactOrder::simultaneous) {
  Watch watch;
  constexpr int m = Dim<M>::constraints;
  constexpr WatchedRows rows = {0, m, M::contacts};
  watch.events_change = true;
  watch.first_discrete = 1;
  watch.impacts = order;
  for (int i = 0; i < M::contacts; ++i) {
    const int row = m - M::contacts + i;
    WatchedContact& contact = watch.contacts[i];
    contact = {.event = i,
               .row = row,
               .mode = 1 + i,
               .slack = 1 + M::contacts + i,
               .force = rows.multiplier(row),
               .gap = rows.gap(i),
               .gap_rate = rows.gap_rate(i)};
    contact.restitution = {1, {{Operation::parameter, 0}}};
    WatchedEvent& event = watch.events[i];
    event.direction = Crossing::falling;
    event.action = EventAction::record;
    event.change.settles = true;
    event.contact = i;
    event.expression = contact_event(contact);
  }
  watch.count = watch.contact_count = M::contacts;
  return watch;
}

Expression expression(const std::vector<Instruction>& code) {
  Expression result;
  for (const Instruction& each : code) result.code[result.size++] = each;
  return result;
}
const Instruction q0 = {Operation::coordinate, 0};
const Instruction w0 = {Operation::rate, 0};
const Instruction add = {Operation::add};
Instruction number(double value) { return {Operation::number, 0, value}; }

template <class X>
struct Rows {
  X* data;
  bool keeps() const { return true; }
  X get(int row) const { return data[row]; }
  void put(int row, const X& value) const { data[row] = value; }
};

/// A member, or one per lane, at the end of its motion.
template <class M, class X>
struct Motion {
  static constexpr EventRows at = {Dim<M>::q, Dim<M>::w};
  Vec<X, Dim<M>::q> q{};
  Vec<X, Dim<M>::w> w{};
  Vec<X, Dim<M>::parameters> p{};
  X status{};
  std::vector<X> rows = std::vector<X>(static_cast<std::size_t>(at.rows(Watch::most_events)), X(0));

  X count(int event) const { return rows[static_cast<std::size_t>(at.count(event))]; }
  X first(int event) const { return rows[static_cast<std::size_t>(at.first(event))]; }
  X last(int event) const { return rows[static_cast<std::size_t>(at.last(event))]; }
};

/// Requests a pause at every place where a loop may pause.
struct EveryPause {
  static constexpr bool wanted() { return true; }
};

/// A workspace whose members have no values yet: its bytes are 0xFF, which are neither true nor false.
template <class T>
std::unique_ptr<T> without_values() {
  constexpr bool is_aligned = alignof(T) > __STDCPP_DEFAULT_NEW_ALIGNMENT__;
  void* const memory = is_aligned ? ::operator new(sizeof(T), std::align_val_t(alignof(T))) : ::operator new(sizeof(T));
  std::memset(memory, 0xFF, sizeof(T));
  asm volatile("" : : "r"(memory) : "memory");  // the bytes are stored
  return std::unique_ptr<T>(new (memory) T);
}

/// Moves `motion` from 0 to `end`. Returns the number of calls, each with a workspace of its own.
template <Integrator By, class Pause = NoPause, class M, class X>
long move(Motion<M, X>& motion, const Watch& watch, double end, double dt = 1e-2) {
  using Loop = typename LoopOf<By>::template Loop<M, X, JacobiSvd>;
  const auto owned = std::make_unique<typename Loop::PersistentState>();
  auto& member = *owned;
  member.p = motion.p;
  member.q = motion.q;
  member.w = motion.w;
  member.rank = X(-1);
  const X nan(std::numeric_limits<double>::quiet_NaN());
  auto loop = without_values<Loop>();
  auto space = without_values<typename Loop::Space>();
  space->ends = space->cut = space->window = space->ticked = nan;
  space->fired = space->changes = space->leaves = X(0);
  Method method;
  method.relative_tolerance = 1e-13;
  method.absolute_tolerance = 1e-14;
  const TimeGrid time = {.start = 0, .end = end, .dt = dt, .save_every = 1};
  loop->start(Solo{}, member, method, X(0), true);
  const auto everywhere = X(0) < X(1);
  member.status =
      loop->settle(Solo{}, watch, member, method, X(0), everywhere, member.status, *space, Status::not_assembled);
  long calls = 0;
  for (long made = 0; made < time.steps(); ++calls) {
    auto own = without_values<typename Loop::Space>();
    for (const auto row :
         {&EventSpace<M, X>::ends, &EventSpace<M, X>::cut, &EventSpace<M, X>::fired, &EventSpace<M, X>::window,
          &EventSpace<M, X>::changes, &EventSpace<M, X>::ticked, &EventSpace<M, X>::leaves}) {
      (*own).*row = (*space).*row;
    }
    space = std::move(own);
    loop = without_values<Loop>();
    made += loop->advance_watching(Solo{}, member, method, time, made, time.steps() - made, watch, *space,
                                   Rows<X>{motion.rows.data()}, Pause{});
  }
  motion.p = member.p;
  motion.q = member.q;
  motion.w = member.w;
  motion.status = member.status;
  return calls;
}

/// Time of impact k = 0, 1, ... of a ball that falls from 1.
double impact_time(double e, int k) {
  const double first = std::sqrt(2 / g);
  double time = first;
  for (int i = 1; i <= k; ++i) time += 2 * first * std::pow(e, i);
  return time;
}

template <class X>
Motion<Ball, X> falling_ball(const X& e) {
  Motion<Ball, X> ball;
  ball.p[0] = e;
  ball.q[0] = X(1);
  return ball;
}

/// The ball bounces 30 to 197 times, the last times within a step, and then rests.
template <Integrator By>
void expect_bounces() {
  for (const double e : {0.5, 0.8, 0.9}) {
    Motion<Ball, double> ball = falling_ball(e);
    move<By>(ball, contact_watch<Ball>(), 10);
    EXPECT_EQ(ball.status, 0);
    EXPECT_EQ(ball.p[1], 1) << e;
    EXPECT_NEAR(ball.q[0], 0, 1e-15);
    EXPECT_NEAR(ball.w[0], 0, 1e-15);
    EXPECT_NEAR(ball.first(0), impact_time(e, 0), 1e-15);
    EXPECT_NEAR(ball.last(0), impact_time(e, static_cast<int>(ball.count(0)) - 1), 3e-12) << e << ' ' << ball.count(0);
    EXPECT_NEAR(ball.last(0), std::sqrt(2 / g) * (1 + e) / (1 - e), 1e-7) << e;
  }
}
TEST(ContactLoops, BallBouncesToRestByRk4) { expect_bounces<Integrator::rk4>(); }
TEST(ContactLoops, BallBouncesToRestByDopri5) { expect_bounces<Integrator::dopri5>(); }
TEST(ContactLoops, BallBouncesToRestByDop853) { expect_bounces<Integrator::dop853>(); }

/// Every impact of the ball, by runs that end between two of them.
TEST(ContactLoops, EveryImpactIsFound) {
  for (int k = 0; k < 12; ++k) {
    Motion<Ball, double> ball = falling_ball(0.7);
    const double end = 0.5 * (impact_time(0.7, k) + impact_time(0.7, k + 1));
    move<Integrator::dop853>(ball, contact_watch<Ball>(), end, end);
    EXPECT_EQ(ball.count(0), k + 1);
    EXPECT_NEAR(ball.last(0), impact_time(0.7, k), 1e-13);
  }
}

/// The gap as a recorded event occurs once with every impact, on whichever side of zero rounding leaves it.
template <Integrator By>
void expect_one_event_an_impact() {
  for (int i = 0; i <= 20; ++i) {
    Watch watch = contact_watch<Ball>();
    for (const Crossing direction : {Crossing::any, Crossing::falling}) {
      WatchedEvent& event = watch.events[watch.count++];
      event.direction = direction;
      event.action = EventAction::record;
      event.expression = expression({q0});
    }
    Motion<Ball, double> ball = falling_ball(0.5 + 0.02 * i);
    move<By>(ball, watch, 3);
    EXPECT_GE(ball.count(0), 4);
    EXPECT_EQ(ball.count(1), ball.count(0)) << i;
    EXPECT_EQ(ball.count(2), ball.count(0)) << i;
    EXPECT_NEAR(ball.last(1), ball.last(0), 1e-14) << i;
  }
}
TEST(ContactLoops, AnEventAtTheGapOccursOnceWithEveryImpact) {
  expect_one_event_an_impact<Integrator::rk4>();
  expect_one_event_an_impact<Integrator::dop853>();
}

/// The square of the rate of the gap, and so the size of its terms, is zero in double precision.
TEST(ContactLoops, TheLeastRateIsNoImpact) {
  Motion<Ball, double> ball;
  ball.p[0] = 0.5;
  ball.w[0] = -std::numeric_limits<double>::denorm_min();
  move<Integrator::rk4>(ball, contact_watch<Ball>(), 0.1);
  EXPECT_EQ(ball.status, 0);
  EXPECT_EQ(ball.p[1], 1);
  EXPECT_EQ(ball.count(0), 0);
}

template <Integrator By>
void expect_independent_lanes() {
  using P = Pack<double>;
  const Watch watch = contact_watch<Ball>();
  double restitutions[P::lanes];
  for (int lane = 0; lane < P::lanes; ++lane) restitutions[lane] = 0.1 * lane;
  Motion<Ball, P> together = falling_ball(P::load(restitutions));
  move<By>(together, watch, 3);
  for (int lane = 0; lane < P::lanes; ++lane) {
    Motion<Ball, P> alone = falling_ball(P(restitutions[lane]));
    move<By>(alone, watch, 3);
    const auto expect_same = [&](const P& a, const P& b) { EXPECT_EQ(lane_of(a, lane), lane_of(b, lane)) << lane; };
    expect_same(together.q[0], alone.q[0]);
    expect_same(together.w[0], alone.w[0]);
    expect_same(together.count(0), alone.count(0));
    expect_same(together.last(0), alone.last(0));
    expect_same(together.status, P(0));
  }
}
TEST(ContactLoops, LanesAreIndependentByRk4) { expect_independent_lanes<Integrator::rk4>(); }
TEST(ContactLoops, LanesAreIndependentByDop853) { expect_independent_lanes<Integrator::dop853>(); }

/// Pauses between the changes of one long step. Clocks divide the step.
template <class P>
void expect_pauses_within_steps(bool ticks) {
  Watch watch = contact_watch<Ball>();
  if (ticks) {
    watch.clocks[watch.clock_count++] = {.every = 0.7, .change = {.first = 0, .count = 1}};
    watch.assignments[0] = {.sort = Settable::rate, .index = 0, .first = 0, .size = 3};
    const Instruction kick[] = {w0, number(2), add};
    for (int i = 0; i < 3; ++i) watch.code[i] = kick[i];
  }
  Scalar<P> lanes[P::lanes];
  for (int lane = 0; lane < P::lanes; ++lane) lanes[lane] = static_cast<Scalar<P>>(0.9 - 0.05 * lane);
  Motion<Ball, P> whole = falling_ball(P::load(lanes));
  EXPECT_EQ((move<Integrator::rk4>(whole, watch, 4, 2)), 1);
  Motion<Ball, P> paused = falling_ball(P::load(lanes));
  EXPECT_GT((move<Integrator::rk4, EveryPause>(paused, watch, 4, 2)), 10);
  for (int lane = 0; lane < P::lanes; ++lane) {
    const auto expect_same = [&](const P& a, const P& b) { EXPECT_EQ(lane_of(a, lane), lane_of(b, lane)) << lane; };
    expect_same(paused.q[0], whole.q[0]);
    expect_same(paused.w[0], whole.w[0]);
    expect_same(paused.p[1], whole.p[1]);
    expect_same(paused.count(0), whole.count(0));
    expect_same(paused.last(0), whole.last(0));
    expect_same(paused.status, P(0));
  }
}
TEST(ContactLoops, PausesWithinAStepKeepTheBits) {
  for (const bool ticks : {false, true}) {
    expect_pauses_within_steps<Pack<double>>(ticks);
    expect_pauses_within_steps<Pack<float>>(ticks);
  }
}

/// A ball that rests on a floor is released where the floor falls faster than the ball.
template <Integrator By>
void expect_release() {
  Motion<BallOnSinkingFloor, double> ball;
  move<By>(ball, contact_watch<BallOnSinkingFloor>(), 2.5);
  EXPECT_EQ(ball.status, 0);
  EXPECT_EQ(ball.p[1], 0);
  EXPECT_EQ(ball.count(0), 0);  // no impact
  const double at = g / 6;
  const double fall = 2.5 - at;
  EXPECT_NEAR(ball.q[0], -at * at * at - 3 * at * at * fall - g / 2 * fall * fall, 1e-11);
  EXPECT_NEAR(ball.w[0], -3 * at * at - g * fall, 1e-11);
}
TEST(ContactLoops, BallIsReleasedByRk4) { expect_release<Integrator::rk4>(); }
TEST(ContactLoops, BallIsReleasedByDop853) { expect_release<Integrator::dop853>(); }

/// Penetration at the start, by rows in any unit.
TEST(ContactLoops, StartBelowTheFloorIsNotAssembled) {
  for (const double y : {-1.0, -1e-3, -1e6}) {
    Motion<Ball, double> ball = falling_ball(0.5);
    ball.q[0] = y;
    move<Integrator::rk4>(ball, contact_watch<Ball>(), 0.1);
    EXPECT_EQ(ball.status, static_cast<double>(Status::not_assembled));
    EXPECT_EQ(ball.q[0], y);
  }
}

TEST(ContactLoops, CradleOfThreeBalls) {
  for (const ImpactOrder order : {ImpactOrder::sequential, ImpactOrder::simultaneous}) {
    Motion<Cradle, double> cradle;
    cradle.p[0] = 1;
    cradle.q = {-1, 1, 2};  // the first ball arrives after 1 s
    cradle.w = {1, 0, 0};
    move<Integrator::rk4>(cradle, contact_watch<Cradle>(order), 2);
    EXPECT_EQ(cradle.status, 0);
    EXPECT_NEAR(cradle.first(0), 1, 1e-15);
    const double expected[3] = {order == ImpactOrder::sequential ? 0.0 : -1.0 / 3,
                                order == ImpactOrder::sequential ? 0.0 : 2.0 / 3,
                                order == ImpactOrder::sequential ? 1.0 : 2.0 / 3};
    const double places[3] = {0, 1, 2};
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(cradle.w[i], expected[i], 1e-13) << i;
      EXPECT_NEAR(cradle.q[i], places[i] + expected[i], 1e-13) << i;
    }
  }
}

/// The plank rests until the load passes the right stop, and then tips about it.
template <Integrator By, int Stops>
void expect_tipping() {
  using Plank = Plank<Stops>;
  Motion<Plank, double> plank;
  move<By>(plank, contact_watch<Plank>(), 1);
  EXPECT_EQ(plank.status, 0);
  const double after = 1 - Plank::b;
  const double angle = -g * after * after * after / (6 * (Plank::inertia + Plank::b * Plank::b));
  EXPECT_NEAR(plank.q[1], angle, 1e-11);
  EXPECT_NEAR(plank.q[0], -Plank::b * angle, 1e-11);
  for (int stop = 0; stop < Stops; ++stop) EXPECT_EQ(plank.p[1 + stop], stop == 1 ? 1 : 0) << stop;
  // The middle stop carries the plank first; the others close where the plank has moved by the tolerance of gaps.
  for (int stop = 0; stop < Stops; ++stop) EXPECT_LE(plank.count(stop), Stops == 3 ? 1 : 0);
}
TEST(ContactLoops, PlankTipsOverItsStop) {
  expect_tipping<Integrator::rk4, 2>();
  expect_tipping<Integrator::dop853, 2>();
}
TEST(ContactLoops, PlankOnThreeStopsTipsOverItsStop) {
  expect_tipping<Integrator::rk4, 3>();
  expect_tipping<Integrator::dop853, 3>();
}

TEST(ContactLoops, DoublePendulumWithAWallMovesAsByItsAngles) {
  Motion<CartesianPendulum, double> cartesian;
  Motion<AngularPendulum, double> angular;
  cartesian.p[0] = angular.p[0] = 0.8;
  angular.q = {1.0, 0.6};
  cartesian.q = {std::sin(1.0), -std::cos(1.0), std::sin(1.0) + std::sin(0.6), -std::cos(1.0) - std::cos(0.6)};
  move<Integrator::dop853>(cartesian, contact_watch<CartesianPendulum>(), 4);
  move<Integrator::dop853>(angular, contact_watch<AngularPendulum>(), 4);
  EXPECT_EQ(cartesian.status, 0);
  EXPECT_EQ(angular.status, 0);
  EXPECT_EQ(cartesian.count(0), angular.count(0));
  EXPECT_GE(angular.count(0), 3);
  EXPECT_NEAR(cartesian.last(0), angular.last(0), 1e-11);
  EXPECT_NEAR(cartesian.q[0], std::sin(angular.q[0]), 1e-10);
  EXPECT_NEAR(cartesian.q[2], std::sin(angular.q[0]) + std::sin(angular.q[1]), 1e-10);
}

/// Ball that oscillates about the height `parameters[3]` with the period 1, without weight; the other parameters: e,
/// mode, slack.
struct Oscillator : Ball {
  static constexpr double frequency = 6.283185307179586;
  static constexpr Quantity parameters[4] = {};

  template <class P, class X>
  KALABA_FN static Vec<X, 1> force(const P& p, const X&, const Vec<X, 1>& q, const Vec<X, 1>&) {
    return {X(-frequency * frequency) * (q[0] - p[3])};
  }
};

struct Accuracy {
  double relative;
  double absolute;
  double dt;
};

/// Oscillations of the amplitude `size` from many phases, to many depths below the floor, which they reach and leave
/// within a step: every member is at or above the floor at all saved times.
template <Integrator By>
void expect_no_dips(const Accuracy& accuracy, double size) {
  using P = Pack<double>;
  using Loop = typename LoopOf<By>::template Loop<Oscillator, P, JacobiSvd>;
  const Watch watch = contact_watch<Oscillator>();
  Method method;
  method.integrator = By;
  method.relative_tolerance = accuracy.relative;
  method.absolute_tolerance = accuracy.absolute * size;
  const double error = adapts(By) ? 16 * method.absolute_tolerance : 0;
  const TimeGrid time = {.start = 0, .end = 1.5, .dt = accuracy.dt, .save_every = 1};
  const P nan(std::numeric_limits<double>::quiet_NaN());
  const int packs = trials(640) / P::lanes;
  int moved = 0;
  int ok = 0;
  int struck = 0;
  const auto member = std::make_unique<typename Loop::PersistentState>();
  const auto loop = std::make_unique<Loop>();
  const auto space = std::make_unique<typename Loop::Space>();
  for (int pack = 0; pack < packs; ++pack) {
    double q[P::lanes];
    double w[P::lanes];
    double centre[P::lanes];
    for (int lane = 0; lane < P::lanes; ++lane) {
      const int index = pack * P::lanes + lane;
      const double depth = std::pow(10, -5 + 4.3 * std::fmod(index * 0.7548776662466927, 1));
      const double phase = Oscillator::frequency * std::fmod(index * 0.5698402909980532, 1);
      centre[lane] = size * (1 - depth);
      q[lane] = centre[lane] + size * std::cos(phase);
      w[lane] = -size * Oscillator::frequency * std::sin(phase);
      if (q[lane] > 0) continue;
      q[lane] = size * (2 - depth);
      w[lane] = 0;
    }
    *member = {};
    member->q[0] = P::load(q);
    member->w[0] = P::load(w);
    member->p[0] = P(0.3);
    member->p[3] = P::load(centre);
    member->rank = P(-1);
    space->ends = space->cut = space->window = nan;
    space->fired = space->changes = P(0);
    loop->start(Solo{}, *member, method, P(0), true);
    std::vector<P> rows(static_cast<std::size_t>(Motion<Oscillator, P>::at.rows(Watch::most_events)), P(0));
    for (long step = 0; step < time.steps(); ++step) {
      loop->advance_watching(Solo{}, *member, method, time, step, 1, watch, *space, Rows<P>{rows.data()});
      for (int lane = 0; lane < P::lanes; ++lane) {
        if (lane_of(member->status, lane) != 0) continue;
        const double y = lane_of(member->q[0], lane);
        EXPECT_GE(y, -(error + 1e-9 * (size + std::abs(y)))) << centre[lane] << ' ' << q[lane] << ' ' << time.at(step);
      }
    }
    for (int lane = 0; lane < P::lanes; ++lane) {
      ++moved;
      if (lane_of(member->status, lane) == 0) ++ok;
      const P count = rows[static_cast<std::size_t>(Motion<Oscillator, P>::at.count(0))];
      if (lane_of(count, lane) > 0) ++struck;
    }
  }
  EXPECT_EQ(moved, packs * P::lanes);
  EXPECT_EQ(ok, moved);
  EXPECT_GE(struck, (adapts(By) ? 0.6 : 0.1) * moved);  // `rk4` loses amplitude in long steps
}
TEST(ContactLoops, DipsWithinAStepAreFoundByRk4) {
  for (const double dt : {0.01, 0.05, 0.1, 0.125, 0.25}) expect_no_dips<Integrator::rk4>({0, 0, dt}, 1);
}
TEST(ContactLoops, DipsWithinAStepAreFoundByDopri5) {
  for (const double size : {1.0, 1e-3}) {
    expect_no_dips<Integrator::dopri5>({1e-2, 1e-5, 0.05}, size);
    expect_no_dips<Integrator::dopri5>({1e-3, 1e-6, 0.1}, size);
    expect_no_dips<Integrator::dopri5>({1e-6, 1e-9, 0.1}, size);
    expect_no_dips<Integrator::dopri5>({1e-10, 1e-13, 0.1}, size);
  }
}
TEST(ContactLoops, DipsWithinAStepAreFoundByDop853) {
  for (const double size : {1.0, 1e-3}) {
    expect_no_dips<Integrator::dop853>({1e-2, 1e-5, 0.05}, size);
    expect_no_dips<Integrator::dop853>({1e-3, 1e-6, 0.05}, size);
    expect_no_dips<Integrator::dop853>({1e-3, 1e-6, 0.1}, size);
    expect_no_dips<Integrator::dop853>({1e-6, 1e-9, 0.1}, size);
    expect_no_dips<Integrator::dop853>({1e-10, 1e-13, 0.1}, size);
  }
}

/// Ball above a floor that is shaken; parameters: e, mode, slack, frequency and amplitude of the floor.
struct BallOnShakenFloor : Ball {
  static constexpr Quantity parameters[5] = {};
  template <class P, class T, class Y>
  KALABA_FN static Vec<Y, 1> phi(const P& p, const T& t, const Vec<Y, 1>& q) {
    return {p[1] * (q[0] - p[4] * sin(p[3] * t))};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> contact_gaps(const P& p, const X& t, const Vec<X, 1>& q, const Vec<X, 1>& w) {
    return {q[0] - p[4] * sin(p[3] * t), w[0] - p[4] * p[3] * cos(p[3] * t)};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> contact_terms(const P& p, const X& t, const Vec<X, 1>& q, const Vec<X, 1>& w) {
    return {abs(q[0]) + abs(p[4] * sin(p[3] * t)), abs(w[0]) + abs(p[4] * p[3] * cos(p[3] * t))};
  }
};

/// Balls fall, in steps that know nothing of the floor, onto a floor that oscillates up to hundreds of times a step.
template <Integrator By>
void expect_closings_on_a_shaken_floor(double dt) {
  using P = Pack<double>;
  using Loop = typename LoopOf<By>::template Loop<BallOnShakenFloor, P, JacobiSvd>;
  const Watch watch = contact_watch<BallOnShakenFloor>();
  Method method;
  method.integrator = By;
  method.relative_tolerance = 1e-6;
  method.absolute_tolerance = 1e-9;
  const TimeGrid time = {.start = 0, .end = 2, .dt = dt, .save_every = 1};
  const P nan(std::numeric_limits<double>::quiet_NaN());
  const auto member = std::make_unique<typename Loop::PersistentState>();
  const auto loop = std::make_unique<Loop>();
  const auto space = std::make_unique<typename Loop::Space>();
  for (int pack = 0; pack < trials(512) / P::lanes; ++pack) {
    double y[P::lanes];
    double frequencies[P::lanes];
    double amplitudes[P::lanes];
    for (int lane = 0; lane < P::lanes; ++lane) {
      const int index = pack * P::lanes + lane;
      amplitudes[lane] = std::pow(10, -3 + 2 * std::fmod(index * 0.7548776662466927, 1));
      frequencies[lane] = std::pow(10, 0.5 + 2.3 * std::fmod(index * 0.5698402909980532, 1));
      y[lane] = amplitudes[lane] * 1.1 + 2 * std::fmod(index * 0.618033988749895, 1);
    }
    *member = {};
    member->q[0] = P::load(y);
    member->p[0] = P(0.3);
    member->p[3] = P::load(frequencies);
    member->p[4] = P::load(amplitudes);
    member->rank = P(-1);
    space->ends = space->cut = space->window = nan;
    space->fired = space->changes = P(0);
    loop->start(Solo{}, *member, method, P(0), true);
    std::vector<P> rows(static_cast<std::size_t>(Motion<Ball, P>::at.rows(Watch::most_events)), P(0));
    for (long step = 0; step < time.steps(); ++step) {
      loop->advance_watching(Solo{}, *member, method, time, step, 1, watch, *space, Rows<P>{rows.data()});
      for (int lane = 0; lane < P::lanes; ++lane) {
        ASSERT_EQ(lane_of(member->status, lane), 0) << frequencies[lane] << ' ' << amplitudes[lane] << ' ' << y[lane];
        const double gap =
            lane_of(member->q[0], lane) - amplitudes[lane] * std::sin(frequencies[lane] * time.at(step + 1));
        EXPECT_GE(gap, -2e-8) << frequencies[lane] << ' ' << amplitudes[lane] << ' ' << time.at(step + 1);
      }
    }
  }
}
TEST(ContactLoops, AShakenFloorIsFoundByRk4) {
  expect_closings_on_a_shaken_floor<Integrator::rk4>(0.1);
  expect_closings_on_a_shaken_floor<Integrator::rk4>(0.5);
}
TEST(ContactLoops, AShakenFloorIsFoundByDopri5) { expect_closings_on_a_shaken_floor<Integrator::dopri5>(0.1); }
TEST(ContactLoops, AShakenFloorIsFoundByDop853) { expect_closings_on_a_shaken_floor<Integrator::dop853>(0.1); }

}  // namespace
}  // namespace kalaba
