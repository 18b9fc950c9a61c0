#include "output/csv/csv_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "kalaba/error.hpp"
#include "kalaba/state.hpp"
#include "output/durable/checksum.hpp"
#include "output/durable/disk_space.hpp"
#include "output/durable/plain_file.hpp"

namespace kalaba {
namespace {

Checksum checksum_of(const PendingFile& file, std::uint64_t size) {
  Checksum sum;
  std::vector<char> piece(std::size_t{1} << 20);
  while (sum.size() < size) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), size - sum.size()));
    read_bytes(file.descriptor(), file.temporary_path(), sum.size(), piece.data(), count);
    sum.add({piece.data(), count});
  }
  return sum;
}

}  // namespace

void CsvRows::begin(const RunInfo& run) {
  text_ = heading(run);
  file_.clear();
  sum_ = {};
  flush();
}

std::string CsvRows::save() {
  flush();
  file_.sync();
  StateWriter state;
  state.put(sum_.size());
  state.put(sum_.value());
  saved_size_ = sum_.size();
  return std::move(state).bytes();
}

void CsvRows::resume(const RunInfo& run, const std::string& state) {
  heading(run);
  text_.clear();
  StateReader reader(state);
  saved_size_ = reader.get<std::uint64_t>();
  const auto saved_sum = reader.get<std::uint64_t>();
  check_size(file_, saved_size_);
  sum_ = checksum_of(file_, saved_size_);
  if (sum_.value() != saved_sum) {
    throw Error(ExitCode::file_error,
                fmt::format("{}: is damaged: its first {} bytes are not those that were saved; --restart begins the "
                            "run anew",
                            file_.temporary_path(), saved_size_));
  }
  file_.cut(saved_size_);
}

void CsvRows::finish(const Summary& summary) {
  flush();
  if (summary.interrupted) published_path_ = partial_path(published_path_);
  file_.publish_as(published_path_);
  // An interrupted table has its checksum in the checkpoint.
  if (!summary.interrupted) write_table_checksum(published_path_, sum_);
}

void CsvRows::end_row() {
  constexpr std::size_t much = std::size_t{1} << 20;
  text_ += '\n';
  if (text_.size() > much) flush();
}

void CsvRows::flush() {
  file_.write(text_);
  sum_.add(text_);
  text_.clear();
}

}  // namespace kalaba
