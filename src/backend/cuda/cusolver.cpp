#include "backend/cuda/cusolver.hpp"

#include <vector>

#include "backend/cuda/library_places.hpp"
#include "backend/cuda/shared_library.hpp"
#include "kalaba/error.hpp"

namespace kalaba::cuda {
namespace {

struct LoadedCuSolver {
  CuSolver functions{};
  std::string problem;
};

const ToolkitLibrary cusolver_library = {{"libcusolver.so.12", "libcusolver.so.11"}, "cusolver"};  // CUDA 13, CUDA 12

void find_all(SharedLibrary& library, CuSolver& functions) {
  library.find("cusolverDnCreate", functions.cusolverDnCreate);
  library.find("cusolverDnDestroy", functions.cusolverDnDestroy);
  library.find("cusolverDnSetStream", functions.cusolverDnSetStream);
  library.find("cusolverDnCreateGesvdjInfo", functions.cusolverDnCreateGesvdjInfo);
  library.find("cusolverDnDestroyGesvdjInfo", functions.cusolverDnDestroyGesvdjInfo);
  library.find("cusolverDnXgesvdjSetSortEig", functions.cusolverDnXgesvdjSetSortEig);
  library.find("cusolverDnXgesvdjSetTolerance", functions.cusolverDnXgesvdjSetTolerance);
  library.find("cusolverDnSgesvdjBatched_bufferSize", functions.cusolverDnSgesvdjBatched_bufferSize);
  library.find("cusolverDnDgesvdjBatched_bufferSize", functions.cusolverDnDgesvdjBatched_bufferSize);
  library.find("cusolverDnSgesvdjBatched", functions.cusolverDnSgesvdjBatched);
  library.find("cusolverDnDgesvdjBatched", functions.cusolverDnDgesvdjBatched);
  library.find("cusolverDnSgesvdaStridedBatched_bufferSize", functions.cusolverDnSgesvdaStridedBatched_bufferSize);
  library.find("cusolverDnDgesvdaStridedBatched_bufferSize", functions.cusolverDnDgesvdaStridedBatched_bufferSize);
  library.find("cusolverDnSgesvdaStridedBatched", functions.cusolverDnSgesvdaStridedBatched);
  library.find("cusolverDnDgesvdaStridedBatched", functions.cusolverDnDgesvdaStridedBatched);
}

LoadedCuSolver load_cusolver() {
  std::string unusable;
  for (const auto& name : library_candidates(cusolver_library)) {
    SharedLibrary library(name);
    LoadedCuSolver loaded;
    if (library.problem().empty()) find_all(library, loaded.functions);
    if (library.problem().empty() && library.missing().empty()) return loaded;
    if (library.absent() || !unusable.empty()) continue;
    unusable = library.problem().empty() ? name + " has no " + library.missing() : library.problem();
  }
  const std::string why = unusable.empty() ? "" : " (" + unusable + ")";
  return {{},
          "pseudo_inverse = \"cusolver\" needs cuSOLVER, and there is no " +
              std::string(unusable.empty() ? "" : "usable ") + "libcusolver " + searched_places() + why +
              "; install PyPI's nvidia-cusolver or the CUDA toolkit, 12.0 or later, set CUDA_HOME to where it is, or "
              "use \"svd\""};
}

}  // namespace

const CuSolver& cusolver() {
  static const LoadedCuSolver once = load_cusolver();
  if (!once.problem.empty()) throw Error(ExitCode::no_backend, once.problem);
  return once.functions;
}

void check(cusolverStatus_t status, std::string_view doing) {
  if (status == CUSOLVER_STATUS_SUCCESS) return;
  throw Error(ExitCode::internal_error,
              "cuSOLVER: " + std::string(doing) + ": cusolverStatus_t " + std::to_string(static_cast<int>(status)));
}

}  // namespace kalaba::cuda
