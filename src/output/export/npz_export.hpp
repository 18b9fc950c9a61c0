#pragma once

#include <string>

#include "output/netcdf/archive.hpp"

namespace kalaba {

/// Writes every variable of a file as a NumPy array: `numpy.load(path)["q"]` has the shape of the netCDF variable,
/// (time, coordinate, member); the labels of dimensions are arrays too. Units, dimensions and global attributes are in
/// the entry `about.json`. Numbers are bitwise identical. The file appears atomically. Throws Error(file_error) if it
/// cannot be written.
void export_npz(const Archive& archive, const std::string& path);

}  // namespace kalaba
