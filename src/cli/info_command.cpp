#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/command.hpp"
#include "cli/table.hpp"
#include "output/base/reader.hpp"
#include "output/durable/checksum.hpp"
#include "output/netcdf/archive.hpp"
#include "report/data/event_times.hpp"
#include "report/data/outcomes.hpp"
#include "report/text/text.hpp"
#include "text/encodings.hpp"
#include "text/json.hpp"

namespace kalaba {
namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t named_members = 10;  // members listed for each failure status

std::string size_text(const std::string& path) {
  const std::string size = scaled(static_cast<double>(std::filesystem::file_size(path)));
  return size + (size.find(' ') == std::string::npos ? " B" : "B");
}

std::string time_text(const std::vector<double>& times) {
  if (times.empty()) return "";
  return table_text({{fmt::format("{:g} s to {:g} s, {} saved time{}", times.front(), times.back(),
                                  grouped(static_cast<long>(times.size())), times.size() == 1 ? "" : "s")}});
}

std::string provenance_text(const Inventory& file, const std::string& path) {
  Rows rows = {{"size", size_text(path)}};
  const auto add = [&](const char* title, const std::string& text) {
    if (!text.empty()) rows.push_back({title, text});
  };
  const std::string commit = file.attribute("kalaba_commit");
  add("created", file.attribute("created"));
  add("version", file.attribute("kalaba_version") + (commit.empty() ? "" : ", commit " + commit));
  add("compiler", file.attribute("kalaba_compiler"));
  add("machine", file.attribute("machine"));
  add("device", file.attribute("device"));
  add("precision", file.attribute("precision"));
  add("seed", file.attribute("seed"));
  if (const std::string shard = file.attribute("shard"); !shard.empty()) {
    add("shard", fmt::format("{} of an ensemble of {} members, from member {} on", shard,
                             file.attribute("ensemble_members"), file.attribute("first_member")));
  }
  if (file.attribute("interrupted") == "1") rows.push_back({"interrupted", "yes: members are missing"});
  return table_text(rows);
}

std::string members_table(const Archive& archive) {
  Rows rows;
  for (const Outcome& outcome : outcomes_of(archive, named_members)) {
    const std::string members = members_text(outcome);
    rows.push_back({grouped(outcome.members), outcome.reason, members.empty() ? "" : "members " + members});
  }
  return table_text(rows);
}

std::string dimensions_text(const Archive& archive) {
  Rows rows;
  for (const FileDimension& dimension : archive.inventory().dimensions) {
    const FileVariable* labels = archive.inventory().find(dimension.name);
    const bool named = labels != nullptr && labels->type == FileVariable::Type::text;
    rows.push_back({dimension.name, grouped(static_cast<long>(dimension.size)),
                    named ? fmt::format("{}", fmt::join(archive.texts(dimension.name), ", ")) : ""});
  }
  return table_text(rows);
}

std::string variables_text(const Inventory& file) {
  Rows rows;
  for (const FileVariable& variable : file.variables) {
    if (variable.type == FileVariable::Type::text) continue;  // labels of the dimensions
    rows.push_back(
        {variable.name, fmt::format("({})", fmt::join(variable.dimensions, ", ")), variable.unit, variable.meaning});
  }
  return table_text(rows);
}

/// A row of the origin; empty if nothing was verified.
std::string verified_text(const std::optional<std::uint64_t>& verified) {
  if (!verified) return "";
  if (*verified == 0) return table_text({{"checksums", "none: nothing could be verified"}});
  return table_text({{"checksums", fmt::format("right, of {} bytes", grouped(static_cast<long>(*verified)))}});
}

std::string text_of(const Archive& archive, const std::optional<std::uint64_t>& verified) {
  const Inventory& file = archive.inventory();
  const FileVariable* time = file.find("time");
  std::string heading = file.attribute("title");
  if (heading.empty()) heading = "an output of kalaba run";
  std::string outcome;  // of a run that has ended
  if (archive.unfinished().empty()) {
    outcome = section("members", members_table(archive)) +
              section("events: members, crossings, first times", table_text(event_rows(archive)));
  } else {
    outcome = section("unfinished", indented("this file " + archive.unfinished()));
  }
  return fmt::format("{}: {}\n", archive.path(), heading) + indented(file.attribute("summary")) +
         section("origin", provenance_text(file, archive.path()) + verified_text(verified)) + outcome +
         section("time", time == nullptr ? "" : time_text(archive.numbers(*time))) +
         section("dimensions: size, names", dimensions_text(archive)) +
         section("variables: dimensions, unit", variables_text(file)) +
         section("scenario", indented(file.attribute("scenario")));
}

void add_verified(JsonObject& object, const std::optional<std::uint64_t>& verified) {
  if (verified) object.add("verified_bytes", static_cast<std::size_t>(*verified));
}

std::string json_of(const Archive& archive, const std::optional<std::uint64_t>& verified) {
  const Inventory& file = archive.inventory();
  JsonObject dimensions;
  for (const FileDimension& each : file.dimensions) dimensions.add(each.name, each.size);
  JsonObject attributes;
  for (const auto& [name, text] : file.attributes) attributes.add(name, text);
  std::vector<std::string> variables;
  for (const FileVariable& each : file.variables) {
    JsonObject variable;
    variable.add("name", each.name);
    variable.add_raw("dimensions", json_texts(each.dimensions));
    variable.add("unit", each.unit);
    variable.add("meaning", each.meaning);
    variables.push_back(variable.text());
  }
  JsonObject object;
  object.add("file", archive.path());
  object.add("bytes", std::filesystem::file_size(archive.path()));
  add_verified(object, verified);
  object.add("unfinished", archive.unfinished());
  object.add("dimensions", dimensions);
  if (archive.unfinished().empty()) {
    JsonObject members;
    for (const Outcome& outcome : outcomes_of(archive, named_members)) members.add(outcome.reason, outcome.members);
    object.add("members", members);
  }
  if (const FileVariable* const time = file.find("time")) object.add_raw("times", json_numbers(archive.numbers(*time)));
  object.add_raw("variables", json_array(variables));
  object.add("attributes", attributes);
  return object.text();
}

std::string json_of(const std::string& path, const Contents& contents, const std::optional<std::uint64_t>& verified) {
  std::vector<std::string> columns;
  for (const Column& column : contents.columns) {
    JsonObject object;
    object.add("name", column.name);
    object.add("unit", column.unit);
    columns.push_back(object.text());
  }
  JsonObject object;
  object.add("file", path);
  object.add("bytes", std::filesystem::file_size(path));
  add_verified(object, verified);
  object.add("unfinished", contents.unfinished);
  object.add("members", contents.members);
  object.add_raw("times", json_numbers(contents.times));
  object.add_raw("columns", json_array(columns));
  return object.text();
}

/// Describes a CSV file, which contains only its names and numbers.
std::string text_of(const std::string& path, const Contents& contents, const std::optional<std::uint64_t>& verified) {
  Rows rows;
  for (const Column& column : contents.columns) rows.push_back({column.name, column.unit});
  return fmt::format("{}: a table of {} member{}\n", path, grouped(contents.members),
                     contents.members == 1 ? "" : "s") +
         section("origin", table_text({{"size", size_text(path)}}) + verified_text(verified)) +
         section("unfinished", contents.unfinished.empty() ? "" : indented("this file " + contents.unfinished)) +
         section("time", time_text(contents.times)) +
         section("columns after member and time: unit if the catalogue states it", table_text(rows));
}

}  // namespace

Command add_info_command(const CommandWords& app) {
  const CommandWords words = app.add_command("info", "Show what an output file holds and where it comes from");
  struct Request {
    std::string path;
    bool json = false;
    bool verify = false;
  };
  const auto request = std::make_shared<Request>();
  words.add_option("FILE", request->path, "An output of kalaba run (.nc or .csv)").type_name("").required();
  words.add_flag("--json", request->json, "Print it as one JSON object, for scripts");
  words.add_flag("--verify", request->verify, "Read the whole file and verify its checksums");
  words.footer(
      "Every command verifies what it reads; --verify reads everything.\n"
      "Example:\n"
      "  kalaba info pendulum.nc");
  return {words, [request] {
            const std::string& path = request->path;
            const auto show = [&](const auto&... what) {
              if (request->json) return print_json(json_of(what...));
              std::fputs(shown_text(text_of(what...)).c_str(), stdout);
            };
            std::optional<std::uint64_t> verified;
            if (std::filesystem::path(path).extension() == ".csv") {
              const std::unique_ptr<Reader> reader = open_reader(path);
              if (request->verify) verified = check_table(path) ? std::filesystem::file_size(path) : 0;
              show(path, reader->contents(), verified);
            } else {
              const Archive archive(path, Archive::Unfinished::shown);
              if (request->verify) verified = archive.verify();
              show(archive, verified);
            }
            return ExitCode::ok;
          }};
}

}  // namespace kalaba
