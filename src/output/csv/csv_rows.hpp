#pragma once

#include <string>

#include "output/base/sink.hpp"
#include "output/durable/checksum.hpp"
#include "output/durable/pending_file.hpp"

namespace kalaba {

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
