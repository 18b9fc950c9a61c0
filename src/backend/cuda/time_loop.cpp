#include "backend/cuda/time_loop.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>

namespace kalaba::cuda {
namespace {

constexpr int nowhere = -1;

/// Basic block: instructions that are entered at the first and left at the last.
struct Piece {
  int first;
  int end;
  std::vector<int> successors;
  std::vector<int> predecessors;
  InstructionCounts counts;
  int divisions;  ///< divisions and roots
};

/// Control-flow graph of a kernel: basic blocks in the order of their addresses; the first is the entry.
class FlowGraph {
 public:
  FlowGraph(const std::vector<MachineInstruction>& code, const std::string& architecture)
      : code_(code), architecture_(architecture) {
    cut();
    join();
    order();
    dominate();
  }

  std::optional<InstructionCounts> least_turn(int divisions) const {
    struct Loop {
      std::size_t size;
      InstructionCounts turn;
    };
    std::optional<Loop> largest;
    for (int head = 0; head < size(); ++head) {
      const std::vector<bool> body = loop_of(head);
      const auto turn = shortest_turn(head, body, divisions);
      if (!turn || (divisions == 0 && turn->fp64 == 0)) continue;
      std::size_t instructions = 0;
      for (int i = 0; i < size(); ++i) instructions += body[at(i)] ? piece(i).counts.all : 0;
      if (!largest || instructions > largest->size) largest = Loop{instructions, *turn};
    }
    if (!largest) return std::nullopt;
    return largest->turn;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  int size() const { return static_cast<int>(pieces_.size()); }
  const Piece& piece(int i) const { return pieces_[at(i)]; }

  int target_of(int i) const {
    const long target = i + 1 + distance_of(code_[at(i)], architecture_);
    return target >= 0 && target < static_cast<long>(code_.size()) ? static_cast<int>(target) : nowhere;
  }

  void cut() {
    std::vector<bool> begins(code_.size() + 1, false);
    begins[0] = true;
    for (int i = 0; i < static_cast<int>(code_.size()); ++i) {
      const Flow flow = flow_of(code_[at(i)]);
      if (flow == Flow::next) continue;
      begins[at(i) + 1] = true;
      if (flow == Flow::branch && target_of(i) != nowhere) begins[at(target_of(i))] = true;
    }
    piece_at_.assign(code_.size(), nowhere);
    for (int i = 0; i < static_cast<int>(code_.size()); ++i) {
      if (begins[at(i)]) pieces_.push_back({i, i, {}, {}, {}, 0});
      piece_at_[at(i)] = size() - 1;
      Piece& last = pieces_.back();
      last.end = i + 1;
      last.counts = last.counts + count(code_[at(i)]);
      last.divisions += begins_division(code_[at(i)]) ? 1 : 0;
    }
  }

  void join() {
    for (int k = 0; k < size(); ++k) {
      const int last = piece(k).end - 1;
      const MachineInstruction& instruction = code_[at(last)];
      const Flow flow = flow_of(instruction);
      if (flow == Flow::branch && target_of(last) != nowhere) link(k, piece_at_[at(target_of(last))]);
      const bool goes_on = flow == Flow::next || flow == Flow::call || !is_unconditional(instruction);
      if (goes_on && k + 1 < size()) link(k, k + 1);
    }
  }

  void link(int from, int to) {
    pieces_[at(from)].successors.push_back(to);
    pieces_[at(to)].predecessors.push_back(from);
  }

  /// Orders the reachable blocks so that each follows its predecessors, except through loops: reverse postorder.
  void order() {
    std::vector<int> next(pieces_.size(), 0);
    std::vector<bool> seen(pieces_.size(), false);
    std::vector<int> way = {0};
    seen[0] = true;
    while (!way.empty()) {
      const int k = way.back();
      if (const int successor = next[at(k)]++; successor < static_cast<int>(piece(k).successors.size())) {
        const int to = piece(k).successors[at(successor)];
        if (seen[at(to)]) continue;
        seen[at(to)] = true;
        way.push_back(to);
      } else {
        order_.push_back(k);
        way.pop_back();
      }
    }
    std::ranges::reverse(order_);
    rank_.assign(pieces_.size(), nowhere);
    for (int i = 0; i < static_cast<int>(order_.size()); ++i) rank_[at(order_[at(i)])] = i;
  }

  /// Computes every block's immediate dominator, by Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm",
  /// 2001.
  void dominate() {
    dominator_.assign(pieces_.size(), nowhere);
    dominator_[0] = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (const int k : order_) {
        if (k == 0) continue;
        int common = nowhere;
        for (const int from : piece(k).predecessors) {
          if (rank_[at(from)] == nowhere || dominator_[at(from)] == nowhere) continue;
          common = common == nowhere ? from : meet(common, from);
        }
        if (dominator_[at(k)] == common) continue;
        dominator_[at(k)] = common;
        changed = true;
      }
    }
  }

  int meet(int a, int b) const {
    while (a != b) {
      while (rank_[at(a)] > rank_[at(b)]) a = dominator_[at(a)];
      while (rank_[at(b)] > rank_[at(a)]) b = dominator_[at(b)];
    }
    return a;
  }

  bool dominates(int above, int k) const {
    if (rank_[at(k)] == nowhere || rank_[at(above)] == nowhere) return false;
    while (rank_[at(k)] > rank_[at(above)]) k = dominator_[at(k)];
    return k == above;
  }

  /// Returns the blocks of the loop that is entered at `head`; none if it is not a loop.
  std::vector<bool> loop_of(int head) const {
    std::vector<bool> body(pieces_.size(), false);
    std::vector<int> open;
    for (const int from : piece(head).predecessors) {
      if (dominates(head, from)) open.push_back(from);
    }
    if (open.empty()) return body;
    body[at(head)] = true;
    while (!open.empty()) {
      const int k = open.back();
      open.pop_back();
      if (body[at(k)]) continue;
      body[at(k)] = true;
      for (const int from : piece(k).predecessors) open.push_back(from);
    }
    return body;
  }

  /// Shortest path from `head` back to it with `divisions` divisions, by Dijkstra's algorithm over blocks and divisions
  /// passed; a call is taken only if there is no other path.
  std::optional<InstructionCounts> shortest_turn(int head, const std::vector<bool>& body, int divisions) const {
    if (!body[at(head)]) return std::nullopt;
    constexpr long call_cost = 1'000'000;
    struct Visit {
      long cost;
      int piece;
      int passed;
      InstructionCounts counts;
      bool operator>(const Visit& other) const { return cost > other.cost; }
    };
    const auto place = [&](int k, int passed) { return at(k) * at(divisions + 1) + at(passed); };
    std::vector<long> least(pieces_.size() * at(divisions + 1), std::numeric_limits<long>::max());
    std::priority_queue<Visit, std::vector<Visit>, std::greater<>> open;
    open.push({0, head, 0, {}});
    for (bool begun = false; !open.empty(); begun = true) {
      const Visit visit = open.top();
      open.pop();
      if (begun && visit.piece == head) return visit.counts;
      if (begun && visit.cost > least[place(visit.piece, visit.passed)]) continue;
      const Piece& here = piece(visit.piece);
      const bool calls = flow_of(code_[at(here.end - 1)]) == Flow::call;
      const long cost = visit.cost + here.counts.all + (calls ? call_cost : 0);
      const int passed = std::min(divisions, visit.passed + here.divisions);
      for (const int to : here.successors) {
        if (!body[at(to)] || (to == head && passed < divisions) || cost >= least[place(to, passed)]) continue;
        least[place(to, passed)] = cost;
        open.push({cost, to, passed, visit.counts + here.counts});
      }
    }
    return std::nullopt;
  }

  const std::vector<MachineInstruction>& code_;
  const std::string& architecture_;
  std::vector<Piece> pieces_;
  std::vector<int> piece_at_;  ///< of an instruction
  std::vector<int> order_;
  std::vector<int> rank_;  ///< in the order; nowhere: unreachable
  std::vector<int> dominator_;
};

}  // namespace

std::optional<InstructionCounts> least_turn(const std::vector<MachineInstruction>& code,
                                            const std::string& architecture, int divisions) {
  if (code.empty()) return std::nullopt;
  return FlowGraph(code, architecture).least_turn(divisions);
}

}  // namespace kalaba::cuda
