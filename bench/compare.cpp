#include "compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "bench/measure.hpp"

namespace kalaba::bench {
namespace {

constexpr double long_enough = 0.1;    // s, minimum duration of a repetition
constexpr double tolerance = 1e-11;    // on Kalaba's coordinates
constexpr long reference_members = 8;  // few, because the reference is slow

/// Contender that is timed in turn with the others.
struct Entry {
  std::unique_ptr<Contender> contender;
  Ends ends = {};
  std::vector<double> rates = {};
};

Row row_of(const Problem& problem, const Peer& peer) {
  const bool projects = problem.method.stabilization.kind == Stabilization::Kind::projection;
  Row row;
  row.name = problem.name;
  row.n = problem.n();
  row.m = problem.m();
  row.pseudo_inverse = pseudo_inverse_name(problem.method.pseudo_inverse);
  row.stabilization = projects ? "projection" : "none";
  row.peer = peer.name;
  row.peer_version = peer.version;
  row.remark = peer.absence;
  row.members = problem.members;
  row.steps = problem.steps;
  return row;
}

Ends reference_ends(const Problem& problem) {
  Ends ends;
  KalabaContender(problem, Backend::reference, reference_members).run(ends);
  return ends;
}

/// Compares the results of Kalaba and the peer with the reference and with each other.
void check(const Problem& problem, const Peer& peer, const Ends& reference, const Ends& ours, const Ends& theirs,
           Row& row) {
  row.error = difference(problem, ours, reference);
  row.peer_error = std::max(difference(problem, theirs, reference), difference(problem, theirs, ours));
  row.violation = violation(problem, ours);
  row.peer_violation = violation(problem, theirs);
  if (!(row.error <= tolerance)) row.remark = fmt::format("Kalaba's answer is off by {:.1e}", row.error);
  if (!(row.peer_error <= peer.tolerance)) row.remark = fmt::format("its answer is off by {:.1e}", row.peer_error);
  row.wrong = !row.remark.empty();
}

}  // namespace

double timed_rate(const Problem& problem, Contender& contender) {
  const std::clock_t begin = std::clock();
  Ends ends;
  double member_steps = 0;
  double seconds = 0;
  double elsewhere = 0;
  while (seconds < long_enough) {
    contender.run(ends);
    elsewhere += contender.seconds_elsewhere();
    member_steps += static_cast<double>(problem.members * problem.steps);
    seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC + elsewhere;
  }
  return member_steps / seconds;
}

std::vector<Row> compare(const Case& each, long repeats) {
  const Problem& problem = each.problem;
  const Ends reference = reference_ends(problem);
  Entry ours = {std::make_unique<KalabaContender>(problem, Backend::cpu, problem.members)};
  ours.contender->run(ours.ends);
  std::vector<Row> rows;
  std::vector<Entry> theirs(each.peers.size());
  for (std::size_t i = 0; i < each.peers.size(); ++i) {
    Row& row = rows.emplace_back(row_of(problem, each.peers[i]));
    if (!row.remark.empty()) continue;
    theirs[i].contender = each.peers[i].make(problem);
    theirs[i].contender->run(theirs[i].ends);
    check(problem, each.peers[i], reference, ours.ends, theirs[i].ends, row);
  }
  for (long repeat = 0; repeat < std::max(repeats, 5L); ++repeat) {
    ours.rates.push_back(timed_rate(problem, *ours.contender));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].remark.empty()) theirs[i].rates.push_back(timed_rate(problem, *theirs[i].contender));
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].remark.empty()) continue;
    rows[i].repeats = std::ssize(ours.rates);
    rows[i].rate = median(ours.rates);
    rows[i].peer_rate = median(theirs[i].rates);
  }
  return rows;
}

}  // namespace kalaba::bench
