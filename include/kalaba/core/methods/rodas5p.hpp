#pragma once

#include "kalaba/core/base/cubic.hpp"
#include "kalaba/core/methods/kept_step.hpp"

namespace kalaba {

/// Steinebach's method Rodas5P of order 5(4) (BIT Numerical Mathematics 63 (2023) 27): a Rosenbrock method that is
/// L-stable and stiffly accurate. With the Jacobian J of the rate f and f_t = df/dt at the start of a step of length h,
///
///   (I - h gamma J) k_i = gamma (h f(t + c_i h, y + sum_j a_ij k_j) + sum_j c_ij k_j + h^2 d_i f_t),
///
/// i = 1 ... 8, j < i. The last two stages are solutions: y + sum_j a_8j k_j of order 4, and that plus k_8 of order 5.
/// The continuous extension of order 4 is (1 - s) y_0 + s (y_1 + (1 - s) (b_1 + s (b_2 + s b_3))), b_r = sum_j h_rj
/// k_j.
struct Rodas5pTableau {
  static constexpr int stages = 8;
  static constexpr int dense_stages = 0;
  static constexpr int dense_rows = 1;  ///< with before and after, 3 vectors take the place of the rates at the ends
  static constexpr int extension_rows = 3;
  static constexpr int error_rows = 1;
  static constexpr int parts = 4;
  static constexpr int error_exponent = 13;
  static constexpr int memory_exponent = 0;
  static constexpr double gamma = 0.21193756319429014;

  /// a_ij; row `stages` is the step.
  KALABA_FN static constexpr double a(int stage, int column) {
    constexpr double table[stages + 1][stages] = {
        {},
        {3.0},
        {2.849394379747939, 0.45842242204463923},
        {-6.954028509809101, 2.489845061869568, -10.358996098473584},
        {2.8029986275628964, 0.5072464736228206, -0.3988312541770524, -0.04721187230404641},
        {-7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256, 0.030198172008377946},
        {-7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256, 0.030198172008377946, 1.0},
        {-7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256, 0.030198172008377946, 1.0,
         1.0},
        {-7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256, 0.030198172008377946, 1.0,
         1.0, 1.0}};
    return table[stage][column];
  }
  KALABA_FN static constexpr double c(int stage, int column) {
    constexpr double table[stages][stages] = {
        {},
        {-14.155112264123755},
        {-17.97296035885952, -2.859693295451294},
        {147.12150275711716, -1.41221402718213, 71.68940251302358},
        {165.43517024871676, -0.4592823456491126, 42.90938336958603, -5.961986721573306},
        {24.854864614690072, -3.0009227002832186, 47.4931110020768, 5.5814197821558125, -0.6610691825249471},
        {30.91273214028599, -3.1208243349937974, 77.79954646070892, 34.28646028294783, -19.097331116725623,
         -28.087943162872662},
        {37.80277123390563, -3.2571969029072276, 112.26918849496327, 66.9347231244047, -40.06618937091002,
         -54.66780262877968, -9.48861652309627}};
    return table[stage][column];
  }
  KALABA_FN static constexpr double node(int stage) {
    constexpr double nodes[stages] = {
        0, 0.6358126895828704, 0.4095798393397535, 0.9769306725060716, 0.4288403609558664, 1, 1, 1};
    return nodes[stage];
  }
  /// d_i
  KALABA_FN static constexpr double of_time(int stage) {
    constexpr double factors[stages] = {
        0.21193756319429014, -0.42387512638858027, -0.3384627126235924, 1.8046452872882734, 2.325825639765069, 0, 0, 0};
    return factors[stage];
  }
  template <class X>
  KALABA_FN static X error(const X* rms) {
    return rms[0];
  }
  /// h_rj
  KALABA_FN static constexpr double extension(int row, int column) {
    constexpr double table[extension_rows][stages] = {
        {25.948786856663858, -2.5579724845846235, 10.433815404888879, -2.3679251022685204, 0.524948541321073,
         1.1241088310450404, 0.4272876194431874, -0.17202221070155493},
        {-9.91568850695171, -0.9689944594115154, 3.0438037242978453, -24.495224566215796, 20.176138334709044,
         15.98066361424651, -6.789040303419874, -6.710236069923372},
        {11.419903575922262, 2.8879645146136994, 72.92137995996029, 80.12511834622643, -52.072871366152654,
         -59.78993625266729, -0.15582684282751913, 4.883087185713722}};
    return table[row][column];
  }
};

/// Workspace of a step by Rodas5P.
template <class X, int NQ, int N>
struct Rodas5pStep {
  static constexpr int stages = Rodas5pTableau::stages;
  static constexpr int error_row = 0;
  using S = State<X, NQ, N>;

  S at;                                         ///< the current stage; after a step, its end
  S k[stages];                                  ///< of the stages, as Rodas5pTableau defines them
  S extension[Rodas5pTableau::extension_rows];  ///< of the continuous extension

  /// Moves to a stage of the step from `start`; to stage `stages`, its end.
  KALABA_FN void move_to(int stage, const S& start) {
    for_numbers<NQ, N>(Solo{}, [&](auto of, int i) KALABA_LAMBDA {
      X sum(0);
      for (int j = 0; j < stage; ++j) sum = fma(X(Rodas5pTableau::a(stage, j)), of(k[j])[i], sum);
      of(at)[i] = of(start)[i] + sum;
    });
  }
  /// Computes the numbers of the continuous extension, after all stages.
  KALABA_FN void extend() {
    for (int row = 0; row < Rodas5pTableau::extension_rows; ++row) {
      for_numbers<NQ, N>(Solo{}, [&](auto of, int i) KALABA_LAMBDA {
        X sum(0);
        for (int j = 0; j < stages; ++j) sum = fma(X(Rodas5pTableau::extension(row, j)), of(k[j])[i], sum);
        of(extension[row])[i] = sum;
      });
    }
  }
  /// Error of number i.
  template <int Row, int Stages, class Of>
  KALABA_FN X combined(Of of, int i) const {
    return of(k[stages - 1])[i];
  }
};

/// Last accepted step of a member that Rodas5P advances, with its continuous extension.
template <class X, int NQ, int N>
struct KeptStep<X, NQ, N, Rodas5pTableau> {
  using S = State<X, NQ, N>;
  using Step = Rodas5pStep<X, NQ, N>;
  static constexpr int rows = Rodas5pTableau::extension_rows;
  static constexpr int numbers = (2 + rows) * (NQ + N);
  static_assert(2 + rows == 4 + Rodas5pTableau::dense_rows);

  S before, after;
  S extension[rows];

  /// State at the beginning of the last step.
  KALABA_FN const S& beginning() const { return before; }

  template <class Team>
  KALABA_FN void begin(const Team& team, const MaskOf<X>& fresh, const S& start, const S& /*start_dot*/) {
    copy_where(team, fresh, start, after);
  }
  template <class Team>
  KALABA_FN void keep_step(const Team& team, const MaskOf<X>& accepted, const Step& step) {
    copy_where(team, accepted, after, before);
    copy_where(team, accepted, step.at, after);
  }
  KALABA_FN void fill_end(const MaskOf<X>& where, const X& value) { fill_where(Solo{}, where, value, after); }
  template <class Team>
  KALABA_FN void extend(const Team& team, const MaskOf<X>& wanted, const Step& step, const MaskOf<X>& /*cubic*/) {
    for (int row = 0; row < rows; ++row) copy_where(team, wanted, step.extension[row], extension[row]);
  }
  /// As KeptStep of the Runge-Kutta methods has it.
  template <class Team>
  KALABA_FN void bend(const Team& team, const MaskOf<X>& where, const X& /*length*/, const S& bulge) {
    for_numbers<NQ, N>(team, [&](auto of, int i) KALABA_LAMBDA {
      const X added = select(where, of(bulge)[i], X(0));
      of(extension[1])[i] = of(extension[1])[i] + added;
      of(extension[2])[i] = of(extension[2])[i] - added;
    });
  }
  template <class Team>
  KALABA_FN void put_at(const Team& team, const MaskOf<X>& alive, const PlaceInStep<X>& place, S& state) const {
    const X s = place.along;
    for_numbers<NQ, N>(team, [&](auto of, int i) KALABA_LAMBDA {
      X sum = of(extension[rows - 1])[i];
      for (int row = rows - 2; row >= 0; --row) sum = fma(sum, s, of(extension[row])[i]);
      sum = place.left * of(before)[i] + s * fma(place.left, sum, of(after)[i]);
      of(state)[i] = select(alive, select(place.inside, sum, of(after)[i]), of(state)[i]);
    });
  }
  template <class Visit>
  KALABA_FN void for_each_number(const Visit& visit) {
    visit_state(after, visit);
  }
  template <class Visit>
  KALABA_FN void for_each_within(const Visit& visit) {
    visit_state(before, visit);
    for (S& row : extension) visit_state(row, visit);
  }

 private:
  template <class Visit>
  KALABA_FN static void visit_state(S& state, const Visit& visit) {
    visit(state.q.data, NQ);
    visit(state.w.data, N);
  }
};

}  // namespace kalaba
