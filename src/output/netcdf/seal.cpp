#include "output/netcdf/seal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "kalaba/error.hpp"
#include "kalaba/state.hpp"
#include "output/durable/checksum.hpp"

namespace kalaba {
namespace {

constexpr std::string_view mark = "\nKalaba's checksums end here. 1\r\n";
constexpr std::size_t tail_size = 2 * sizeof(std::uint64_t) + mark.size();
constexpr std::size_t like_enough = 8;  // correct bytes in a damaged mark; other data has fewer
constexpr std::size_t piece_size = std::size_t{1} << 20;

[[noreturn]] void refuse_damaged(const std::string& path, const std::string& why) {
  throw Error(ExitCode::file_error, fmt::format("{}: is damaged: {}", path, why));
}

/// Bytes from `first` to before `end`.
struct Range {
  std::uint64_t first, end;
};

/// All bytes of a file except the numbers of the variables. Throws if the variables overlap or exceed the file.
std::vector<Range> ranges_between(std::vector<SummedNumbers> variables, std::uint64_t size, const std::string& path) {
  std::ranges::sort(variables, {}, &SummedNumbers::offset);
  std::vector<Range> ranges;
  std::uint64_t at = 0;
  for (const SummedNumbers& each : variables) {
    const bool fits = each.offset >= at && each.offset <= size && (each.width == 4 || each.width == 8) &&
                      each.count <= (size - each.offset) / each.width &&
                      each.sums.size() == (each.count + SummedNumbers::each - 1) / SummedNumbers::each;
    if (!fits) refuse_damaged(path, "its checksums are of another file");
    ranges.push_back({at, each.offset});
    at = each.offset + each.count * each.width;
  }
  ranges.push_back({at, size});
  return ranges;
}

std::uint64_t sum_between(int descriptor, const std::string& path, const std::vector<Range>& ranges) {
  Checksum sum;
  std::vector<char> piece;
  for (auto [first, end] : ranges) {
    while (first < end) {
      piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(piece_size, end - first)));
      read_bytes(descriptor, path, first, piece.data(), piece.size());
      sum.add({piece.data(), piece.size()});
      first += piece.size();
    }
  }
  return sum.value();
}

}  // namespace

void Seal::put(PendingFile& file, const DataSums& sums) {
  const std::uint64_t size = file.size();
  const std::vector<SummedNumbers>& variables = sums.variables();
  StateWriter content;
  content.put(size);
  content.put(sum_between(file.descriptor(), file.final_path(), ranges_between(variables, size, file.final_path())));
  content.put(variables.size());
  for (const SummedNumbers& each : variables) each.save(content);
  const std::string bytes = std::move(content).bytes();
  StateWriter tail;
  tail.put(Checksum::of(bytes));
  tail.put(static_cast<std::uint64_t>(bytes.size()));
  file.overwrite(size, bytes + std::move(tail).bytes() + std::string(mark));
}

std::shared_ptr<Seal> Seal::read(const PlainFile& file) {
  const std::string& path = file.path();
  if (file.size() < tail_size) return nullptr;
  std::array<char, tail_size> tail = {};
  read_bytes(file.descriptor(), path, file.size() - tail_size, tail.data(), tail.size());
  const std::string_view found(tail.data() + tail_size - mark.size(), mark.size());
  std::size_t alike = 0;
  for (std::size_t i = 0; i < mark.size(); ++i) alike += found[i] == mark[i] ? 1 : 0;
  if (alike < like_enough) return nullptr;
  StateReader numbers({tail.data(), tail_size});
  const auto sum = numbers.get<std::uint64_t>();
  const auto size = numbers.get<std::uint64_t>();
  if (found != mark || size > file.size() - tail_size) refuse_damaged(path, "its checksums are");
  std::string content(size, '\0');
  read_bytes(file.descriptor(), path, file.size() - tail_size - size, content.data(), content.size());
  if (Checksum::of(content) != sum) refuse_damaged(path, "its checksums are");

  StateReader reader(content);
  const auto own_size = reader.get<std::uint64_t>();
  const auto own_sum = reader.get<std::uint64_t>();
  auto seal = std::make_shared<Seal>();
  for (auto left = reader.get<std::size_t>(); left > 0; --left) {
    seal->variables_.push_back(SummedNumbers::restored(reader));
    seal->verified_.emplace_back(seal->variables_.back().sums.size(), false);
  }
  if (own_size != file.size() - tail_size - size) refuse_damaged(path, "it is not as long as it was");
  if (sum_between(file.descriptor(), path, ranges_between(seal->variables_, own_size, path)) != own_sum) {
    refuse_damaged(path, "its texts, statistics or structures are not those that were written");
  }
  return seal;
}

long Seal::find(const std::string& variable) const {
  const auto found = std::ranges::find(variables_, variable, &SummedNumbers::name);
  return found == variables_.end() ? -1 : found - variables_.begin();
}

void Seal::verify(const PlainFile& file, std::size_t variable, std::uint64_t place, std::uint64_t count) {
  const SummedNumbers& of = variables_[variable];
  if (count == 0) return;
  std::vector<char> numbers;
  for (std::uint64_t i = place / SummedNumbers::each; i <= (place + count - 1) / SummedNumbers::each; ++i) {
    if (verified_[variable][i]) continue;
    const std::uint64_t first = i * SummedNumbers::each;
    const std::uint64_t size = std::min(SummedNumbers::each, of.count - first);
    numbers.resize(size * of.width);
    read_bytes(file.descriptor(), file.path(), of.offset + first * of.width, numbers.data(), numbers.size());
    if (sum_of(numbers.data(), of.width, first, size) != of.sums[i]) {
      refuse_damaged(file.path(), fmt::format("the numbers of {} are not those that were written", of.name));
    }
    verified_[variable][i] = true;
  }
}

std::uint64_t Seal::verify_all(const PlainFile& file) {
  for (std::size_t i = 0; i < variables_.size(); ++i) verify(file, i, 0, variables_[i].count);
  return file.size();
}

void require_no_rest(const PlainFile& file) {
  constexpr std::string_view magic = "\x89HDF\r\n\x1a\n";
  std::array<unsigned char, 48> head = {};
  if (file.size() < head.size()) return;
  read_bytes(file.descriptor(), file.path(), 0, head.data(), head.size());
  if (std::memcmp(head.data(), magic.data(), magic.size()) != 0) return;
  // HDF5 file format specification, superblocks 0 and 1, or 2 and 3; with addresses of 8 bytes.
  const bool is_old = head[8] <= 1;
  if (head[is_old ? 13 : 9] != 8) return;
  std::uint64_t end = 0;
  std::memcpy(&end, head.data() + (head[8] == 0 ? 40 : is_old ? 44 : 28), sizeof end);
  if (end < file.size()) refuse_damaged(file.path(), "its checksums were cut off or overwritten");
}

}  // namespace kalaba
