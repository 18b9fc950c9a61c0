#include "output/netcdf/growing_netcdf.hpp"

#include <fmt/format.h>

#include "kalaba/error.hpp"
#include "kalaba/state.hpp"
#include "output/durable/disk_space.hpp"
#include "output/durable/plain_file.hpp"
#include "output/netcdf/seal.hpp"

namespace kalaba {
namespace {

/// Size of a run's numbers in the file, bytes; other data is small.
double bytes_of_numbers(const RunInfo& run, const NetcdfVariables& variables) {
  const auto members = static_cast<double>(run.members);
  const auto events = static_cast<double>(run.options.events.size());
  const auto state = static_cast<double>(run.system->coordinates.size() + run.system->rates.size());
  const double of_members =
      8 * members * static_cast<double>(variables.parameters.size() + variables.starts.size() + 1);
  const auto columns = static_cast<double>(run.system->sensitivities.size());
  const double of_events = 8 * members * events * (3 + columns + (1 + columns) * state) + (events > 0 ? of_members : 0);
  if (!run.options.trajectories) return of_events;
  double components = 0;
  for (const FieldLayout& layout : variables.layouts) components += static_cast<double>(layout.size());
  constexpr double status_bytes = 4;
  const auto numbers = components * static_cast<double>(run.times.size()) +
                       static_cast<double>(variables.parameters.size() + variables.starts.size()) +
                       static_cast<double>(variables.counters.size() + 1);  // and failure_time
  return of_events + members * (8 * numbers + status_bytes);
}

/// Returns true if a file begins with this image, except for its superblock, which also states if the file is open and
/// has a checksum of its own.
bool begins_with(int descriptor, const std::string& path, std::uint64_t size, const std::string& image) {
  constexpr std::size_t superblock = 48;
  if (size < image.size()) return false;
  std::string found(image.size(), '\0');
  read_bytes(descriptor, path, 0, found.data(), found.size());
  return image.size() > superblock &&
         std::string_view(found).substr(superblock) == std::string_view(image).substr(superblock);
}

/// Allocates the complete storage of a variable over members: the library does so when its first number is written.
void make_room(NetcdfFile& file, int variable, double first) {
  const std::size_t dimensions = file.shape(variable).size();
  file.put(variable, std::vector<std::size_t>(dimensions, 0), std::vector<std::size_t>(dimensions, 1), &first);
}

}  // namespace

double netcdf_bytes(const RunInfo& run, const Provenance& provenance) {
  NetcdfFile layout = NetcdfFile::create_in_memory("what is laid out");
  const NetcdfVariables variables = write_schema(layout, run, provenance);
  double bytes = bytes_of_numbers(run, variables);
  for (const auto& each : variables.statistics.variables) {
    double numbers = 8;
    for (const std::size_t size : each.shape) numbers *= static_cast<double>(size);
    bytes += numbers;
  }
  return bytes;
}

void GrowingNetcdf::begin(const RunInfo& run, const Provenance& provenance) {
  {
    // In memory first, so that the disk is not written if its space is insufficient.
    NetcdfFile layout = NetcdfFile::create_in_memory(pending_.final_path());
    check_space(pending_, bytes_of_numbers(run, write_schema(layout, run, provenance)));
  }
  NetcdfFile file = NetcdfFile::create(pending_.temporary_path(), pending_.final_path());
  variables_ = write_schema(file, run, provenance);
  file.close();
  const std::size_t metadata = pending_.size();
  if (const std::vector<int> over_members = variables_.over_members(); !over_members.empty()) {
    file = NetcdfFile::reopen(pending_.temporary_path(), pending_.final_path());
    sums_ = {};
    for (const int variable : over_members) {
      file.add_to(sums_, variable);
      const auto unknown = static_cast<double>(static_cast<int>(Status::interrupted));
      make_room(file, variable, variable == variables_.status ? unknown : 0);
    }
    file.close();
    sums_.locate(pending_.temporary_path());
  }
  take_image(metadata);
  file_.emplace(NetcdfFile::reopen(pending_.temporary_path(), pending_.final_path()));
  file_->sum_into(sums_);
}

void GrowingNetcdf::take_image(std::size_t metadata) {
  pending_.sync();
  size_ = pending_.size();
  image_.resize(metadata);
  read_bytes(pending_.descriptor(), pending_.final_path(), 0, image_.data(), image_.size());
}

void GrowingNetcdf::resume(const RunInfo& run, const Provenance& provenance, const std::string& state) {
  {
    NetcdfFile layout = NetcdfFile::create_in_memory(pending_.final_path());
    variables_ = write_schema(layout, run, provenance);
  }
  StateReader reader(state);
  size_ = reader.get<std::size_t>();
  image_ = reader.get_text();
  sums_.restore(reader.get_text());
  check_size(pending_, size_);
  pending_.cut(size_);
  pending_.overwrite(0, image_);
  file_.emplace(NetcdfFile::reopen(pending_.temporary_path(), pending_.final_path()));
  file_->sum_into(sums_);
}

void GrowingNetcdf::verify(std::size_t members) const {
  sums_.verify(pending_.descriptor(), pending_.temporary_path(), members);
}

bool GrowingNetcdf::has_metadata(int descriptor, const std::string& path, std::uint64_t size,
                                 const std::string& state) {
  StateReader reader(state);
  reader.get<std::size_t>();
  return begins_with(descriptor, path, size, reader.get_text());
}

bool GrowingNetcdf::is_intact() const {
  if (pending_.is_published()) return true;
  if (!pending_.is_in_place() || pending_.size() < size_) return false;
  return is_ending_ || begins_with(pending_.descriptor(), pending_.final_path(), pending_.size(), image_);
}

void GrowingNetcdf::begin_end() {
  pending_.require_in_place();
  is_ending_ = is_intact();
  if (is_ending_) return;
  throw Error(ExitCode::file_error, fmt::format("{}: {} was changed by another program while it was written",
                                                pending_.final_path(), pending_.temporary_path()));
}

std::string GrowingNetcdf::save() {
  file_->flush();
  pending_.sync();
  StateWriter state;
  state.put(size_);
  state.put(image_);
  state.put(sums_.state());
  return std::move(state).bytes();
}

void GrowingNetcdf::publish_as(const std::string& path) {
  file_->close();
  sums_.settle();
  Seal::put(pending_, sums_);
  pending_.publish_as(path);
}

}  // namespace kalaba
