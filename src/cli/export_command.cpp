#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "cli/command.hpp"
#include "output/export/csv_export.hpp"
#include "output/export/npz_export.hpp"
#include "output/netcdf/archive.hpp"

namespace kalaba {
namespace {

struct ExportRequest {
  std::string data;
  std::string csv;
  std::string npz;
  Option csv_given;
  Option npz_given;
};

void check_endings(const ExportRequest& request) {
  namespace fs = std::filesystem;
  if (!request.csv_given.is_given() && !request.npz_given.is_given()) {
    throw Error(ExitCode::bad_input,
                "export writes --csv FOLDER, --csv FILE.csv or --npz FILE.npz, and none was given");
  }
  if (fs::path(request.data).extension() == ".csv") {
    throw Error(ExitCode::bad_input,
                request.data + ": is a table already; export reads the netCDF outputs of kalaba run (.nc)");
  }
  // NumPy appends .npz to any other file name when it saves, so arrays are always in files with that ending.
  if (request.npz_given.is_given() && fs::path(request.npz).extension() != ".npz") {
    throw Error(ExitCode::bad_input, fmt::format("--npz {}: expected a name that ends in .npz", request.npz));
  }
  if (request.csv_given.is_given() && request.csv.empty()) {
    throw Error(ExitCode::bad_input, "--csv: expected the name of a folder or of a .csv file, found nothing");
  }
}

std::vector<std::string> write(const ExportRequest& request) {
  check_endings(request);
  const Archive archive(request.data);
  std::vector<std::string> written;
  if (request.csv_given.is_given()) {
    if (std::filesystem::path(request.csv).extension() == ".csv") {
      export_csv_table(archive, request.csv);
      written = {request.csv};
    } else {
      written = export_csv_folder(archive, request.csv);
    }
  }
  if (request.npz_given.is_given()) {
    export_npz(archive, request.npz);
    written.push_back(request.npz);
  }
  return written;
}

}  // namespace

Command add_export_command(const CommandWords& app) {
  const CommandWords words = app.add_command("export", "Write an output file as CSV tables or numpy arrays");
  const auto request = std::make_shared<ExportRequest>();
  words.add_option("FILE", request->data, "An output of kalaba run (.nc)").type_name("").required();
  request->csv_given =
      words
          .add_option("--csv", request->csv,
                      "A folder for tables of trajectories, members, events and statistics; or FILE.csv: "
                      "one table, a row a member and time, of swarms an agent")
          .type_name("PLACE");
  request->npz_given =
      words.add_option("--npz", request->npz, "Every variable as an array, for numpy.load").type_name("FILE.npz");
  words.footer(
      "Example:\n"
      "  kalaba export pendulum.nc --csv tables --npz pendulum.npz\n"
      "  python3 -c 'import numpy; print(numpy.load(\"pendulum.npz\")[\"q\"].shape)'");
  return {words, [request] {
            for (const std::string& path : write(*request)) std::fputs((path + "\n").c_str(), stdout);
            return ExitCode::ok;
          }};
}

}  // namespace kalaba
