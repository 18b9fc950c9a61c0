#include "output/netcdf/data_sums.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

#include "kalaba/error.hpp"
#include "kalaba/state.hpp"
#include "output/durable/checksum.hpp"
#include "output/durable/plain_file.hpp"

namespace kalaba {
namespace {

constexpr std::uint64_t piece_bytes = 1U << 20;

[[noreturn]] void refuse_numbers(const std::string& path, const std::string& name) {
  throw Error(ExitCode::file_error,
              fmt::format("{}: is damaged: the numbers of {} are not those that were written; --restart begins the run "
                          "anew",
                          path, name));
}

template <class Bits>
std::uint64_t sum_as(const void* numbers, std::uint64_t place, std::uint64_t count) {
  const auto* bytes = static_cast<const char*>(numbers);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, bytes + i * sizeof bits, sizeof bits);
    sum += checksum_term(bits, place + i);
  }
  return sum;
}

/// Offset of a variable's numbers in the file, or HADDR_UNDEF.
haddr_t offset_of(hid_t file, const std::string& name) {
  const hid_t variable = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  if (variable < 0) return HADDR_UNDEF;
  const haddr_t offset = H5Dget_offset(variable);
  H5Dclose(variable);
  return offset;
}

}  // namespace

std::uint64_t sum_of(const void* numbers, std::uint64_t width, std::uint64_t place, std::uint64_t count) {
  if (width == sizeof(std::uint64_t)) return sum_as<std::uint64_t>(numbers, place, count);
  return sum_as<std::uint32_t>(numbers, place, count);
}

long DataSums::index_of(int id) const {
  const auto found = std::ranges::find(extents_, id, &Extent::id);
  return found == extents_.end() ? -1 : found - extents_.begin();
}

void SummedNumbers::save(StateWriter& state) const {
  state.put(name);
  state.put(width);
  state.put(count);
  state.put(offset);
  state.put(sums);
}

SummedNumbers SummedNumbers::restored(StateReader& state) {
  SummedNumbers numbers;
  numbers.name = state.get_text();
  numbers.width = state.get<std::uint64_t>();
  numbers.count = state.get<std::uint64_t>();
  numbers.offset = state.get<std::uint64_t>();
  numbers.sums = state.get_all<std::uint64_t>();
  return numbers;
}

void DataSums::add_variable(int id, const std::string& name, std::size_t width, const std::vector<std::size_t>& shape) {
  if (shape.empty()) return;
  SummedNumbers& numbers = variables_.emplace_back();
  numbers.name = name;
  numbers.width = width;
  numbers.count = std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies());
  numbers.sums.assign((numbers.count + SummedNumbers::each - 1) / SummedNumbers::each, 0);
  extents_.push_back({id, {shape.begin(), shape.end()}});
}

void DataSums::put(int id, const std::vector<std::size_t>& start, const std::vector<std::size_t>& count,
                   const void* numbers) {
  const long found = index_of(id);
  if (found < 0) return;
  const auto variable = static_cast<std::size_t>(found);
  const std::uint64_t width = variables_[variable].width;
  const auto* from = static_cast<const char*>(numbers);
  for_each_row(extents_[variable].shape, start, count, [&](std::uint64_t place, std::uint64_t left) {
    while (left > 0) {
      const std::uint64_t size = std::min(left, SummedNumbers::each - place % SummedNumbers::each);
      const std::uint64_t sum = sum_of(from, width, place, size);
      Run* const before = unsettled_.empty() ? nullptr : &unsettled_.back();
      if (before != nullptr && before->variable == variable && before->place + before->count == place &&
          place % SummedNumbers::each != 0) {
        before->count += size;
        before->sum += sum;
      } else {
        unsettled_.push_back({variable, place, size, sum});
      }
      from += size * width;
      place += size;
      left -= size;
    }
  });
}

void DataSums::settle() {
  for (const auto& [variable, place, count, sum] : unsettled_) {
    variables_[variable].sums[place / SummedNumbers::each] += sum;
  }
  unsettled_.clear();
}

void DataSums::locate(const std::string& path) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) throw Error(ExitCode::file_error, path + ": cannot be read again to find where its numbers lie");
  for (std::size_t i = variables_.size(); i-- > 0;) {
    const haddr_t offset = offset_of(file, variables_[i].name);
    variables_[i].offset = offset;
    if (offset != HADDR_UNDEF) continue;
    variables_.erase(variables_.begin() + static_cast<std::ptrdiff_t>(i));
    extents_.erase(extents_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  H5Fclose(file);
}

std::string DataSums::state() const {
  StateWriter state;
  state.put(variables_.size());
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    variables_[i].save(state);
    state.put(extents_[i].id);
    state.put(extents_[i].shape);
  }
  state.put(unsettled_);
  return std::move(state).bytes();
}

void DataSums::restore(const std::string& state) {
  StateReader reader(state);
  variables_.clear();
  extents_.clear();
  for (auto left = reader.get<std::size_t>(); left > 0; --left) {
    variables_.push_back(SummedNumbers::restored(reader));
    const int id = reader.get<int>();
    extents_.push_back({id, reader.get_all<std::uint64_t>()});
  }
  unsettled_ = reader.get_all<Run>();
}

void DataSums::verify(int descriptor, const std::string& path, std::size_t members) const {
  for (std::size_t i = 0; i < variables_.size(); ++i) verify_rows(descriptor, path, i, members);
  std::vector<char> numbers;
  for (const auto& [variable, place, count, sum] : unsettled_) {
    const SummedNumbers& of = variables_[variable];
    numbers.resize(count * of.width);
    read_bytes(descriptor, path, of.offset + place * of.width, numbers.data(), numbers.size());
    if (sum_of(numbers.data(), of.width, place, count) != sum) refuse_numbers(path, of.name);
  }
}

/// Reads several short rows at once.
void DataSums::verify_rows(int descriptor, const std::string& path, std::size_t variable, std::uint64_t members) const {
  const SummedNumbers& of = variables_[variable];
  const std::uint64_t length = extents_[variable].shape.back();
  std::vector<std::uint64_t> sums(of.sums.size(), 0);
  const std::uint64_t rows = members == 0 || length == 0 ? 0 : of.count / length;
  const std::uint64_t at_once =
      std::max<std::uint64_t>(piece_bytes / (std::max<std::uint64_t>(length, 1) * of.width), 1);
  std::vector<char> numbers;
  for (std::uint64_t first = 0; first < rows; first += at_once) {
    const std::uint64_t behind = std::min(first + at_once, rows);
    numbers.resize(((behind - first - 1) * length + members) * of.width);
    read_bytes(descriptor, path, of.offset + first * length * of.width, numbers.data(), numbers.size());
    for (std::uint64_t row = first; row < behind; ++row) {
      const char* from = numbers.data() + (row - first) * length * of.width;
      for (std::uint64_t place = row * length, left = members; left > 0;) {
        const std::uint64_t size = std::min(left, SummedNumbers::each - place % SummedNumbers::each);
        sums[place / SummedNumbers::each] += sum_of(from, of.width, place, size);
        from += size * of.width;
        place += size;
        left -= size;
      }
    }
  }
  if (sums != of.sums) refuse_numbers(path, of.name);
}

}  // namespace kalaba
