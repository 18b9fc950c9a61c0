#include "backend/cuda/library_places.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace kalaba::cuda {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

void add(std::vector<std::string>& folders, const fs::path& folder) {
  if (std::ranges::find(folders, folder.string()) == folders.end()) folders.push_back(folder.string());
}

void add_existing(std::vector<std::string>& folders, const fs::path& folder) {
  if (is_folder(folder)) add(folders, folder);
}

/// Adds the package folders of a Python installation: PREFIX/lib/python3.12/site-packages.
void add_packages(std::vector<std::string>& packages, const fs::path& prefix) {
  std::error_code error;
  for (fs::directory_iterator it(prefix / "lib", error), end; !error && it != end; it.increment(error)) {
    if (!it->path().filename().string().starts_with("python3")) continue;
    add_existing(packages, it->path() / "site-packages");
    add_existing(packages, it->path() / "dist-packages");
  }
}

/// Folder above the package of this code if it is a Python module: site-packages/kalaba/_kalaba.so.
fs::path packages_of_this_module() {
  Dl_info info = {};
  if (::dladdr(reinterpret_cast<void*>(&packages_of_this_module), &info) == 0 || info.dli_fname == nullptr) return {};
  return fs::path(info.dli_fname).parent_path().parent_path();
}

/// Returns the environment of the first python3 of $PATH. A symbolic link is not followed: in a virtual environment it
/// leads out of it.
fs::path prefix_of_python() {
  std::istringstream path(variable("PATH"));
  std::error_code error;
  for (std::string folder; std::getline(path, folder, ':');) {
    if (!folder.empty() && fs::exists(fs::path(folder) / "python3", error)) return fs::path(folder).parent_path();
  }
  return {};
}

std::vector<std::string> python_packages() {
  std::vector<std::string> packages;
  if (const fs::path own = packages_of_this_module(); is_folder(own / "nvidia")) add(packages, own);
  if (const std::string active = variable("VIRTUAL_ENV"); !active.empty()) add_packages(packages, active);
  if (const fs::path prefix = prefix_of_python(); !prefix.empty()) add_packages(packages, prefix);
  if (const std::string home = variable("HOME"); !home.empty()) add_packages(packages, fs::path(home) / ".local");
  return packages;
}

std::vector<std::string> toolkits() {
  std::vector<std::string> roots;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string root = variable(name); !root.empty()) add(roots, root);
  }
  add(roots, "/usr/local/cuda");
  return roots;
}

}  // namespace

std::vector<std::string> toolkit_folders(const std::string& wheel) {
  std::vector<std::string> folders;
  for (const std::string& root : toolkits()) {
    add(folders, fs::path(root) / "lib64");
    add_existing(folders, fs::path(root) / "lib");
  }
  if (const std::string conda = variable("CONDA_PREFIX"); !conda.empty()) {
    add_existing(folders, fs::path(conda) / "lib");
    add_existing(folders, fs::path(conda) / "targets" / "x86_64-linux" / "lib");
  }
  for (const std::string& packages : python_packages()) {
    add_existing(folders, fs::path(packages) / "nvidia" / "cu13" / "lib");
    add_existing(folders, fs::path(packages) / "nvidia" / wheel / "lib");
  }
  return folders;
}

std::vector<std::string> library_candidates(const ToolkitLibrary& library) {
  std::vector<std::string> all = library.names;
  std::error_code error;
  for (const std::string& folder : toolkit_folders(library.wheel)) {
    for (const std::string& name : library.names) {
      const fs::path file = fs::path(folder) / name;
      if (fs::exists(file, error)) all.push_back(file.string());
    }
  }
  return all;
}

std::string searched_places() {
  std::string places;
  for (const std::string& root : toolkits()) places += root + ", ";
  return "in the search path of the loader, in " + places + "and in the nvidia folders of Python environments";
}

}  // namespace kalaba::cuda
