#include "output/csv/csv_rows.hpp"

#include "output/csv/csv_text.hpp"
#include "output/durable/disk_space.hpp"

namespace kalaba {

void CsvRows::begin(const RunInfo& run) {
  text_ = heading(run);
  file_.clear();
  flush();
}

std::string CsvRows::save() {
  flush();
  return saved_size(file_);
}

void CsvRows::resume(const RunInfo& run, const std::string& state) {
  heading(run);
  text_.clear();
  cut_back(file_, state);
}

void CsvRows::finish(const Summary& summary) {
  flush();
  if (summary.interrupted) published_path_ = partial_path(published_path_);
  file_.publish_as(published_path_);
}

void CsvRows::end_row() {
  constexpr std::size_t much = std::size_t{1} << 20;
  text_ += '\n';
  if (text_.size() > much) flush();
}

void CsvRows::flush() {
  file_.write(text_);
  text_.clear();
}

}  // namespace kalaba
