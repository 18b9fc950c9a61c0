#include "backend/cuda/matrix_kernels.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "backend/cuda/cubin_cache.hpp"
#include "backend/cuda/kernel_source.hpp"
#include "backend/cuda/memory.hpp"

namespace kalaba::cuda {
namespace {

constexpr int most_matrix_bytes = 512;  ///< of a thread, above which a tile of threads is faster than local memory

/// Half as many threads as rows: in a round of Jacobi rotations, each thread rotates one pair.
int tile_for(int rows) {
  int workers = 4;
  while (workers < 32 && 2 * workers < rows) workers *= 2;
  return workers;
}

/// A program loaded into one context, and its kernel.
struct LoadedMatrices {
  Module module;
  Kernel kernel;
};

LoadedMatrices load(const MatrixProgram& program, int workers, const Device& device) {
  Module module(
      cached_or_compiled({program.name(), program.text(workers), compiler_options(device.info().architecture())}));
  const auto workspace = static_cast<std::size_t>(number_of(module, "kalaba_workspace"));
  const Kernel kernel = shaped(module.function("kalaba_factorize"), workers, workspace, device);
  return {std::move(module), kernel};
}

LoadedMatrices load_as_fits(const MatrixProgram& program, int workers, const Device& device) {
  if (workers != 0) return load(program, workers, device);
  if (program.may_fit_a_thread()) {
    LoadedMatrices alone = load(program, 1, device);
    if (resources(alone.kernel.function).local_bytes <= most_matrix_bytes) return alone;
  }
  return load(program, tile_for(program.rows_to_share()), device);
}

/// Programs that this process has loaded. Never destroyed: at the end of the process the driver may be destroyed first.
struct Known {
  std::mutex mutex;
  std::map<std::pair<unsigned long long, std::string>, LoadedMatrices>
      programs;  // by context, text and requested workers
};

Known& known() {
  static auto* const all = new Known;
  return *all;
}

std::string outputs_text(const MatrixOutputs& requested) {
  const auto word = [](bool value) { return value ? std::string("true") : std::string("false"); };
  return "{" + word(requested.x) + ", " + word(requested.inverse) + ", " + word(requested.singular_values) + ", " +
         word(requested.rank) + ", " + word(requested.status) + "}";
}

}  // namespace

int MatrixProgram::rows_to_share() const {
  return method == PseudoInverse::svd ? std::min(shape.rows, shape.columns) : shape.rows;
}

bool MatrixProgram::may_fit_a_thread() const {
  return std::max(shape.rows, shape.columns) <= 8 && std::min(shape.rows, shape.columns) <= 6;
}

std::string MatrixProgram::name() const {
  return "matrices " + std::to_string(shape.rows) + "x" + std::to_string(shape.columns) +
         (method == PseudoInverse::svd ? " (svd)" : " (qr)");
}

std::string MatrixProgram::text(int workers) const {
  const bool svd = method == PseudoInverse::svd;
  const int columns = svd ? std::max(shape.rows, shape.columns) : shape.columns;
  const std::string work = real + (svd ? ", JacobiSvd, " : ", PivotedQr, ") + std::to_string(rows_to_share()) + ", " +
                           std::to_string(columns);
  const std::string extents = "{" + std::to_string(shape.rows) + ", " + std::to_string(shape.columns) + "}";
  return std::string(workers > 1 ? "#define KALABA_SHARED_MEMBERS\n" : "") +
         "#include \"kernels/pseudo_inverse.cuh\"\n"
         "using namespace kalaba;\n"
         "using Work = MatrixWork<" +
         work +
         ">;\n"
         "extern \"C\" __device__ long kalaba_workspace = sizeof(Work);\n"
         "extern \"C\" __global__ void __launch_bounds__(" +
         std::to_string(block_threads) +
         ")\n"
         "kalaba_factorize(MatrixArrays<" +
         real + "> arrays, " + real +
         " tolerance) {\n"
         "  factorize_matrices<Work, " +
         std::to_string(workers) + ">(arrays, " + extents + ", " + outputs_text(requested) +
         ", tolerance);\n"
         "}\n";
}

Kernel matrix_kernel(const MatrixProgram& program, int workers) {
  const CurrentDevice current = current_device();
  Known& all = known();
  const std::lock_guard lock(all.mutex);
  const std::pair key(current.context, program.text(workers));
  if (const auto found = all.programs.find(key); found != all.programs.end()) return found->second.kernel;
  return all.programs.emplace(key, load_as_fits(program, workers, *held_device(current.ordinal))).first->second.kernel;
}

}  // namespace kalaba::cuda
