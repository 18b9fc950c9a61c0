#include "output/csv/events_csv.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "kalaba/error.hpp"
#include "output/csv/csv_rows.hpp"
#include "output/durable/pending_file.hpp"

namespace kalaba {
namespace {

constexpr std::size_t read_ahead = std::size_t{1} << 16;  // members

std::string columns(const SystemInfo& system) {
  std::string text = "member,event,count,time,last_time";
  for (const auto* variables : {&system.coordinates, &system.rates}) {
    for (const Variable& each : *variables) text += "," + each.name;
  }
  for (const Variable& along : system.sensitivities) text += ",sensitivity_time_to_" + along.name;
  for (const auto* variables : {&system.coordinates, &system.rates}) {
    for (const Variable& along : system.sensitivities) {
      for (const Variable& each : *variables) text += ",sensitivity_" + each.name + "_to_" + along.name;
    }
  }
  return text + "\n";
}

/// Appends a row with the numbers `value(i)`: the count, the times, the state, its derivatives. The row of an event
/// that did not occur has the count 0 and NaN, as in netCDF.
template <class Value>
void append_row(std::string& text, long member, const std::string& event, int numbers, const Value& value) {
  fmt::format_to(std::back_inserter(text), FMT_COMPILE("{},{}"), member, event);
  for (int i = 0; i < numbers; ++i) append_number(text, value(i));
}

class EventsCsv final : public CsvRows {
 public:
  explicit EventsCsv(const std::string& path) : CsvRows(path) {}

  void write(const Frame& /*frame*/) override {}

  void end_block(const Block& block) override {
    const EventRows rows = block.event_rows();
    for (long member = 0; member < block.members; ++member) {
      for (int event = 0; event < block.event_count; ++event) {
        const double* const first = block.events.data() + rows.count(event) * block.stride + member;
        append_row(text_, block.first + member, names_[static_cast<std::size_t>(event)], rows.each(),
                   [&](int i) { return first[i * block.stride]; });
        end_row();
      }
    }
  }

 private:
  std::string heading(const RunInfo& run) override {
    names_.clear();
    for (const Event& event : run.options.events) names_.push_back(event.name);
    return columns(*run.system);
  }

  std::vector<std::string> names_;
};

}  // namespace

std::unique_ptr<FileSink> make_events_csv(const std::string& path) { return std::make_unique<EventsCsv>(path); }

void export_events_csv(const Archive& archive, const std::string& path) {
  const SystemInfo labels = archive.labels();
  const std::vector<std::string> names = archive.texts("event");
  const std::size_t coordinates = labels.coordinates.size();
  const std::size_t rates = labels.rates.size();
  const std::size_t along = labels.sensitivities.size();
  const EventRows rows = {static_cast<int>(coordinates), static_cast<int>(rates), static_cast<int>(along)};
  const FileVariable* counts = archive.inventory().find("event_count");
  if (counts == nullptr || counts->shape.size() != 2 || counts->shape[0] != names.size()) {
    throw Error(ExitCode::file_error, archive.path() + ": expected a variable event_count(event, member)");
  }
  const std::size_t members = counts->shape[1];
  PendingFile file(path);
  file.write(columns(labels));
  for (std::size_t first = 0; first < members; first += read_ahead) {
    const std::size_t count = std::min(read_ahead, members - first);
    std::vector<std::vector<double>> numbers(names.size());  // [event][number][member]
    for (std::size_t event = 0; event < names.size(); ++event) {
      const auto add = [&](const std::vector<double>& more) {
        numbers[event].insert(numbers[event].end(), more.begin(), more.end());
      };
      for (const char* name : {"event_count", "event_time", "event_last_time"}) {
        add(archive.numbers(name, {event, first}, {1, count}));
      }
      add(archive.numbers("event_q", {event, 0, first}, {1, coordinates, count}));
      add(archive.numbers("event_w", {event, 0, first}, {1, rates, count}));
      if (along == 0) continue;
      add(archive.numbers("event_time_sensitivity", {event, 0, first}, {1, along, count}));
      add(archive.numbers("event_q_sensitivity", {event, 0, 0, first}, {1, along, coordinates, count}));
      add(archive.numbers("event_w_sensitivity", {event, 0, 0, first}, {1, along, rates, count}));
    }
    std::string text;
    for (std::size_t member = 0; member < count; ++member) {
      for (std::size_t event = 0; event < names.size(); ++event) {
        const double* const own = numbers[event].data() + member;
        append_row(text, static_cast<long>(first + member), names[event], rows.each(),
                   [&](int i) { return own[static_cast<std::size_t>(i) * count]; });
        text += '\n';
      }
    }
    file.write(text);
  }
  file.publish();
}

}  // namespace kalaba
