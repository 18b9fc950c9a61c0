#pragma once

#include <string>
#include <vector>

namespace kalaba::cuda {

/// Library of the CUDA toolkit that is opened at run time.
struct ToolkitLibrary {
  std::vector<std::string> names;  ///< file names, the preferred one first: "libnvrtc.so.13", "libnvrtc.so.12"
  std::string wheel;               ///< folder of its PyPI wheel for CUDA 12 below site-packages/nvidia: "cuda_nvrtc"
};

/// Returns the folders in which libraries of the toolkit are searched in addition to the loader's, in this order and
/// without duplicates: $CUDA_HOME and $CUDA_PATH; /usr/local/cuda; $CONDA_PREFIX; the folders nvidia/cu13 and
/// nvidia/WHEEL of PyPI's wheels in the Python environments: the one in which this library is installed, $VIRTUAL_ENV,
/// that of the first python3 of $PATH, and ~/.local. Folders that do not exist are omitted, except those of a toolkit.
std::vector<std::string> toolkit_folders(const std::string& wheel);

/// Returns arguments for the loader: the bare names, then every name in every folder that contains it.
std::vector<std::string> library_candidates(const ToolkitLibrary& library);

/// "in the search path of the loader, in /usr/local/cuda/lib64 and in the Python environments' nvidia folders": for
/// messages.
std::string searched_places();

}  // namespace kalaba::cuda
