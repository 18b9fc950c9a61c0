#include "output/netcdf/compressed_file.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

#include "output/durable/pending_file.hpp"
#include "output/netcdf/data_sums.hpp"
#include "output/netcdf/netcdf_file.hpp"
#include "output/netcdf/seal.hpp"

namespace kalaba {
namespace {

constexpr std::size_t numbers_of_chunk = std::size_t{1} << 16;
constexpr std::size_t least_numbers = 512;  // of a variable that is compressed

std::size_t product(const std::vector<std::size_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::size_t{1}, std::multiplies());
}

/// Extents of the chunks of a variable: as many members as fit, then as many of the dimension before.
std::vector<std::size_t> chunk_of(const std::vector<std::size_t>& shape) {
  std::vector<std::size_t> chunk(shape.size(), 1);
  std::size_t left = numbers_of_chunk;
  for (std::size_t d = shape.size(); d-- > 0;) {
    chunk[d] = std::clamp<std::size_t>(shape[d], 1, left);
    left /= chunk[d];
  }
  return chunk;
}

/// Calls `copy(start, count)` for every chunk of a variable.
template <class Copy>
void for_each_chunk(const std::vector<std::size_t>& shape, const std::vector<std::size_t>& chunk, const Copy& copy) {
  if (product(shape) == 0) return;
  std::vector<std::size_t> start(shape.size(), 0);
  std::vector<std::size_t> count(shape.size());
  while (true) {
    for (std::size_t d = 0; d < shape.size(); ++d) count[d] = std::min(chunk[d], shape[d] - start[d]);
    copy(start, count);
    std::size_t d = shape.size();
    while (d-- > 0) {
      start[d] += chunk[d];
      if (start[d] < shape[d]) break;
      start[d] = 0;
      if (d == 0) return;
    }
    if (shape.empty()) return;
  }
}

}  // namespace

void NetcdfFile::copy_to(NetcdfFile& copy, int level) const {
  for (const std::string& name : dimension_names()) copy.add_dimension(name, dimension_size(name));
  const std::vector<std::string> names = variable_names();
  std::vector<std::vector<std::size_t>> chunks;
  for (int variable = 0; variable < static_cast<int>(names.size()); ++variable) {
    const std::string& name = names[static_cast<std::size_t>(variable)];
    const int copied = copy.add_variable(name, type(variable), dimensions_of(variable));
    check(copied == variable ? NC_NOERR : NC_EINVAL, "copying the variable " + name);
    const std::vector<std::string> attributes = attribute_names(variable);
    const bool is_text = type(variable) == NC_STRING;
    // Every number is written, so that none is filled in.
    if (!is_text && std::ranges::count(attributes, "_FillValue") == 0) {
      check(nc_def_var_fill(copy.id_, variable, NC_NOFILL, nullptr), "setting the fill value");
    }
    for (const std::string& each : attributes) {
      check(nc_copy_att(id_, variable, each.c_str(), copy.id_, variable), "copying the attribute " + each);
    }
    const std::vector<std::size_t> sizes = shape(variable);
    chunks.push_back(chunk_of(sizes));
    if (is_text || sizes.empty() || product(sizes) < least_numbers) continue;
    check(nc_def_var_chunking(copy.id_, variable, NC_CHUNKED, chunks.back().data()), "setting the storage");
    check(nc_def_var_deflate(copy.id_, variable, 1, 1, level), "setting the compression");
  }
  for (const std::string& each : attribute_names()) {
    check(nc_copy_att(id_, NC_GLOBAL, each.c_str(), copy.id_, NC_GLOBAL), "copying the attribute " + each);
  }
  check(nc_enddef(copy.id_), "laying out the file");
  std::vector<char> numbers;
  for (int variable = 0; variable < static_cast<int>(names.size()); ++variable) {
    if (type(variable) == NC_STRING) {
      copy.put_strings(variable, get_strings(variable));
      continue;
    }
    std::size_t width = 0;
    check(nc_inq_type(id_, type(variable), nullptr, &width), "reading a variable's type");
    const auto copy_box = [&](const std::vector<std::size_t>& start, const std::vector<std::size_t>& count) {
      numbers.resize(product(count) * width);
      verify(variable, start, count);
      check(nc_get_vara(id_, variable, start.data(), count.data(), numbers.data()), "reading");
      copy.check(nc_put_vara(copy.id_, variable, start.data(), count.data(), numbers.data()), "writing");
    };
    for_each_chunk(shape(variable), chunks[static_cast<std::size_t>(variable)], copy_box);
  }
}

void compress_netcdf(const std::string& path, int level) {
  const NetcdfFile file = NetcdfFile::open(path);
  PendingFile pending(path);
  NetcdfFile copy = NetcdfFile::create(pending.temporary_path(), path);
  file.copy_to(copy, level);
  copy.close();
  Seal::put(pending, {});
  pending.publish();
}

}  // namespace kalaba
