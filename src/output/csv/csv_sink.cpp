#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "output/base/format.hpp"
#include "output/base/layout.hpp"
#include "output/csv/csv_reader.hpp"
#include "output/csv/csv_rows.hpp"
#include "output/durable/disk_space.hpp"
#include "output/durable/plain_file.hpp"

namespace kalaba {
namespace {

constexpr std::size_t tile = 64;  // members transposed from columns to rows at once

/// Rows are ordered by member, frames arrive by time: the frames of a block are stored until its end, in a file beside
/// the output, because many frames of a large block would not fit in memory.
class CsvSink final : public CsvRows {
 public:
  explicit CsvSink(const std::string& path)
      : CsvRows(path), frames_(std::in_place, path, partial_path(path) + ".frames") {}

  void begin(const RunInfo& run) override {
    heading(run);  // for the number of columns
    check_space(file_, least_bytes(run));
    CsvRows::begin(run);
  }

  void write(const Frame& frame) override {
    times_.push_back(frame.time);
    for (const FieldLayout& layout : layouts_) {
      for (std::size_t i = 0; i < layout.size(); ++i) {
        const auto row = number_row(frame, layout, i);
        frames_->write({reinterpret_cast<const char*>(row.data()), row.size_bytes()});
      }
    }
  }

  void end_block(const Block& block) override {
    const auto members = static_cast<std::size_t>(block.members);
    const MappedFile frames(frames_->temporary_path());
    const auto* values = reinterpret_cast<const double*>(frames.bytes().data());  // [frame][column][member]
    for (std::size_t member = 0; agents_ > 0 && member < members; ++member) {
      append_swarm(block.first + static_cast<long>(member), values + member, members);
    }
    for (std::size_t first = 0; agents_ == 0 && first < members; first += tile) {
      const std::size_t count = std::min(tile, members - first);
      const std::vector<double> rows = rows_of(values + first, members, count);
      for (std::size_t i = 0; i < count; ++i) append_member(block.first + static_cast<long>(first + i), rows, i);
    }
    times_.clear();
    frames_->clear();
  }

  void finish(const Summary& summary) override {
    frames_.reset();
    CsvRows::finish(summary);
  }

 private:
  std::string heading(const RunInfo& run) override {
    frames_->clear();
    layouts_ = saved_layouts(*run.system, run.options.fields);
    agents_ = run.system->agents;
    columns_ = 0;
    std::string text = agents_ > 0 ? "member,time,agent" : "member,time";
    for (const FieldLayout& layout : layouts_) {
      for (const std::string& name : layout.components) text += "," + name;
      columns_ += layout.size();
    }
    return text + '\n';
  }

  /// Lower bound of the file's size: a number and its comma take two bytes or more.
  double least_bytes(const RunInfo& run) const {
    return 2.0 * static_cast<double>(run.members) * static_cast<double>(run.times.size()) *
           static_cast<double>(columns_ + 2);
  }

  /// Returns the rows of `count` members as [member][frame][column]; `values`: those of the first, members `stride`
  /// apart.
  std::vector<double> rows_of(const double* values, std::size_t stride, std::size_t count) const {
    const std::size_t size = times_.size() * columns_;
    std::vector<double> rows(count * size);
    for (std::size_t number = 0; number < size; ++number) {
      for (std::size_t i = 0; i < count; ++i) rows[i * size + number] = values[number * stride + i];
    }
    return rows;
  }

  void append_member(long member, const std::vector<double>& rows, std::size_t index) {
    const double* value = rows.data() + index * times_.size() * columns_;
    for (double time : times_) {
      fmt::format_to(std::back_inserter(text_), FMT_COMPILE("{}"), member);
      append_number(time);
      for (std::size_t column = 0; column < columns_; ++column) append_number(*value++);
      end_row();
    }
  }

  /// Appends one row per frame and agent; columns without a value per agent contain the swarm's value.
  void append_swarm(long member, const double* values, std::size_t stride) {
    for (std::size_t frame = 0; frame < times_.size(); ++frame) {
      for (long agent = 0; agent < agents_; ++agent) {
        fmt::format_to(std::back_inserter(text_), FMT_COMPILE("{}"), member);
        append_number(times_[frame]);
        fmt::format_to(std::back_inserter(text_), FMT_COMPILE(",{}"), agent);
        const double* value = values + frame * columns_ * stride;
        for (const FieldLayout& layout : layouts_) {
          const std::size_t copies = layout.size() / layout.components.size();
          for (std::size_t i = 0; i < layout.components.size(); ++i, value += copies * stride) {
            append_number(copies > 1 ? value[static_cast<std::size_t>(agent) * stride] : *value);
          }
        }
        end_row();
      }
    }
  }

  void append_number(double value) { kalaba::append_number(text_, value); }

  std::optional<PendingFile> frames_;  // frames of the current block, as doubles; never published
  std::vector<FieldLayout> layouts_;
  std::size_t columns_ = 0;    // numbers per member and frame
  long agents_ = 0;            // per swarm
  std::vector<double> times_;  // of the frames
};

}  // namespace

const Format csv_format = {".csv",
                           [](const std::string& path, const Provenance&) -> std::unique_ptr<FileSink> {
                             return std::make_unique<CsvSink>(path);
                           },
                           open_csv};

}  // namespace kalaba
