// Comparison of Kalaba with alternatives: the same model, steps and precision, results checked before times count, one
// core, medians of interleaved repetitions.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>

#include "cli/work_precision.hpp"
#include "compare.hpp"
#include "kalaba/backend/parallel.hpp"
#include "output/durable/pending_file.hpp"
#include "peers_work_precision.hpp"
#include "provenance.hpp"
#include "report/text/progress.hpp"
#include "roofline.hpp"
#include "scaling.hpp"

namespace {

using namespace kalaba;
using namespace kalaba::bench;

struct Request {
  std::string only;
  long repeats = 7;
  std::string json;
  std::string markdown;
  bool roofline = false;
  bool scaling = false;
  bool work_precision = false;
  std::string plot;
};

bool requested(const Case& each, const std::string& only) {
  if (only.empty() || each.problem.name == only) return true;
  return std::ranges::any_of(each.peers, [&](const Peer& peer) { return peer.name == only; });
}

std::vector<Row> compare_all(const Request& request) {
  std::vector<Row> rows;
  ProgressBar bar(stderr);
  for (const Case& each : cases()) {
    if (!requested(each, request.only)) continue;
    bar.update(fmt::format("{} n={}", each.problem.name, each.problem.n()));
    const auto more = compare(each, request.repeats);
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

template <class Rows>
void write_json(const std::string& path, const Rows& rows, const std::string& device) {
  std::vector<JsonObject> objects;
  for (const auto& row : rows) objects.push_back(json_row(row, device, origin()));
  PendingFile file(path);
  file.write(json_text(objects));
  file.publish();
}

void measure_scaling(const Request& request) {
  const std::vector<ScalingRow> rows = scaling();
  const std::string device = device_text(thread_count(0));
  std::fputs((scaling_text(rows) + "  on " + device + "\n").c_str(), stdout);
  if (!request.json.empty()) write_json(request.json, rows, device);
  if (!request.plot.empty()) plot_scaling(rows, request.plot);
}

void measure_work_precision(const Request& request) {
  ProgressBar bar(stderr);
  const PeersWorkPrecision found =
      peers_work_precision([&](const std::string& what) { bar.update(fmt::format("measuring {}", what)); });
  std::fputs((work_precision_table(found.all) + "  on " + device_text() + "\n").c_str(), stdout);
  for (const std::string& each : found.absent) std::fputs(("  " + each + "\n").c_str(), stdout);
  if (!request.json.empty()) {
    PendingFile file(request.json);
    file.write(json_text(work_precision_rows(found.all, origin())));
    file.publish();
  }
  if (!request.plot.empty()) draw_work_precision(found.all, request.plot);
}

/// Returns 1 if a result was wrong; an absent peer is not a failure.
int run(const Request& request) {
  if (!request.markdown.empty()) {
    std::fputs(markdown_of(request.markdown).c_str(), stdout);
    return 0;
  }
  if (request.roofline) {
    std::fputs(roofline_text().c_str(), stdout);
    return 0;
  }
  if (!request.json.empty()) PendingFile probe(request.json);
  if (!request.plot.empty() && !request.scaling && !request.work_precision) {
    throw Error(ExitCode::bad_input, "--plot goes with --scaling or --work-precision");
  }
  if (request.scaling) {
    measure_scaling(request);
    return 0;
  }
  if (request.work_precision) {
    measure_work_precision(request);
    return 0;
  }
  const std::vector<Row> rows = compare_all(request);
  std::fputs((comparison_text(rows) + "  on " + device_text() + "\n").c_str(), stdout);
  if (!request.json.empty()) write_json(request.json, rows, device_text());
  return std::ranges::any_of(rows, [](const Row& row) { return row.wrong; }) ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Compares Kalaba with other ways to the same answers.");
  Request request;
  app.add_option("--only", request.only, "Only this case or peer")->type_name("NAME");
  app.add_option("--repeats", request.repeats, "Repetitions, at least 5 (default 7)")->type_name("N");
  app.add_option("--json", request.json, "Write the rows to this file")->type_name("FILE");
  app.add_flag("--roofline", request.roofline, "Operations of a step and the share of the peak instead");
  app.add_flag("--scaling", request.scaling, "Cost over members, threads and sizes instead");
  app.add_flag("--work-precision", request.work_precision, "Time against error with adaptive steps instead");
  app.add_option("--plot", request.plot, "Draw either of these too, into this .png or .svg")->type_name("FILE");
  app.add_option("--markdown", request.markdown, "Print the rows of such a JSON file as a table instead")
      ->type_name("FILE");
  CLI11_PARSE(app, argc, argv);
  std::signal(SIGPIPE, SIG_IGN);  // the end of a peer process is an ordinary error
  try {
    return run(request);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kalaba_peers: %s\n", error.what());
    return 1;
  }
}
