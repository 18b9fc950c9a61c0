#pragma once

#include <string>

#include "output/netcdf/archive.hpp"

namespace kalaba {

/// Writes every variable of a file as an array of numpy's: `numpy.load(path)["q"]` has the shape of the netCDF
/// variable, (time, coordinate, member), and the labels of its dimensions are arrays of their own. Units, dimensions
/// and global attributes are in the entry `about.json`. Numbers keep every bit. The file appears complete or not at
/// all. Throws Error(file_error) where it cannot be written.
void export_npz(const Archive& archive, const std::string& path);

}  // namespace kalaba
