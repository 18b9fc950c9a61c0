#pragma once

namespace kalaba {

/// Tables of a pattern whose rows have `PerRow` entries in random columns, eliminated in random order.
template <unsigned Seed, int M, int N, int PerRow>
struct RandomTables {
  int column[M * PerRow] = {};
  int order[M] = {};
  int first[M] = {};
  int last[M] = {};
  int start[M + 1] = {};
  int coupled = 0;

  constexpr RandomTables() {
    unsigned state = Seed;
    const auto below = [&](int limit) {
      state = state * 1664525U + 1013904223U;
      return static_cast<int>((state >> 8) % static_cast<unsigned>(limit));
    };
    bool has[M][N] = {};
    for (int r = 0; r < M; ++r) {
      for (int k = 0; k < PerRow;) {
        const int j = below(N);
        if (has[r][j]) continue;
        has[r][j] = true;
        ++k;
      }
      int k = r * PerRow;
      for (int j = 0; j < N; ++j) {
        if (has[r][j]) column[k++] = j;
      }
    }
    for (int i = 0; i < M; ++i) order[i] = i;
    for (int i = M - 1; i > 0; --i) {
      const int j = below(i + 1);
      const int kept = order[i];
      order[i] = order[j];
      order[j] = kept;
    }
    for (int i = 0; i < M; ++i) {
      first[i] = i;
      for (int j = i - 1; j >= 0; --j) {
        for (int c = 0; c < N; ++c) first[i] = has[order[i]][c] && has[order[j]][c] ? j : first[i];
      }
      start[i + 1] = start[i] + i - first[i];
      for (int j = first[i]; j <= i; ++j) last[j] = i;
    }
    for (int i = 0; i < M; ++i) {
      int sharing = 0;
      for (int j = 0; j < M; ++j) {
        bool shares = false;
        for (int c = 0; c < N; ++c) shares = shares || (has[i][c] && has[j][c]);
        sharing += shares ? 1 : 0;
      }
      coupled = sharing > coupled ? sharing : coupled;
    }
  }
};

template <unsigned Seed, int M, int N, int PerRow>
struct RandomPattern {
  static constexpr RandomTables<Seed, M, N, PerRow> tables = {};
  static constexpr bool dense = false;
  static constexpr int rows = M;
  static constexpr int cols = N;
  static constexpr int count = M * PerRow;
  static constexpr int envelope = tables.start[M];
  static constexpr int coupled = tables.coupled;
  static int begin(int r) { return r * PerRow; }
  static int column(int k) { return tables.column[k]; }
  static int order(int i) { return tables.order[i]; }
  static int first(int i) { return tables.first[i]; }
  static int last(int j) { return tables.last[j]; }
  static int start(int i) { return tables.start[i]; }
};

}  // namespace kalaba
