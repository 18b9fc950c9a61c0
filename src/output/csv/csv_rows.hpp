#pragma once

#include <string>

#include <fmt/compile.h>
#include <fmt/format.h>
#include <cmath>
#include <iterator>
#include "output/base/sink.hpp"
#include "output/durable/checksum.hpp"
#include "output/durable/pending_file.hpp"

namespace kalaba {

/// Appends a comma and the number in the format of all tables: 17 significant digits, or NaN, Inf and -Inf, which R,
/// pandas and Kalaba read. (The sign of a NaN is omitted: it has no meaning and differs between machines.)
inline void append_number(std::string& text, double value) {
  if (std::isfinite(value)) {
    fmt::format_to(std::back_inserter(text), FMT_COMPILE(",{}"), value);
  } else {
    text += std::isnan(value) ? ",NaN" : value > 0 ? ",Inf" : ",-Inf";
  }
}

/// Text table under one heading that grows by rows.
class CsvRows : public FileSink {
 public:
  void begin(const RunInfo& run) override;
  std::string save() override;
  void resume(const RunInfo& run, const std::string& state) override;
  void keep() override { file_.keep(); }
  void leave_existing() override { file_.leave_existing(); }
  bool is_intact() const override {
    return file_.is_published() || (file_.is_in_place() && file_.size() >= saved_size_);
  }
  void finish(const Summary& summary) override;
  std::string published_path() const override { return published_path_; }

 protected:
  explicit CsvRows(const std::string& path) : file_(path, partial_path(path)), published_path_(path) {}

  /// First line, with its end; called before any row, also when a run is resumed.
  virtual std::string heading(const RunInfo& run) = 0;
  /// Called after each row: writes the buffered text to the file if it is large.
  void end_row();

  PendingFile file_;
  std::string text_;  ///< rows not yet written to the file

 private:
  void flush();

  std::string published_path_;
  Checksum sum_;                  // of the bytes in the file
  std::uint64_t saved_size_ = 0;  // bytes
};

}  // namespace kalaba
