// libcuda.so.1 with one sm_90 device that executes no kernel. Programs request, compile and load the cubins that an
// H100 or H200 would need, and every launch returns at once: `./dev gpu-pack` collects cubins with it, and tests bound
// the time that Kalaba itself adds to a kernel. Device memory is memory of the host, so that copies work. The CUDA
// runtime library finds no cuGetProcAddress here and reports that there is no device; statistics are then reduced on
// the host.

#include <cuda.h>
#include <elf.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace {

constexpr std::size_t total_memory = 150'000'000'000;
constexpr std::size_t free_memory = std::size_t{4} << 30;
constexpr int device_cc_major = 9;
constexpr int multiprocessors = 132;
constexpr int shared_memory_of_block = 232'448;

thread_local CUcontext current = nullptr;

/// Point in a stream. All work is done when it is requested, so that the time of the request is that of the work.
struct Event {
  std::chrono::steady_clock::time_point time;
};

struct Function {
  int registers = 0;
  int local_bytes = 0;
};

struct Module {
  std::map<std::string, Function> functions;
  std::map<std::string, std::vector<char>> globals;
};

/// Sections and symbols of a cubin, which is an ELF file. Reads beyond the end give zeros.
class Cubin {
 public:
  explicit Cubin(const char* image) : image_(image), header_(read<Elf64_Ehdr>(0)) {
    for (int i = 0; i < header_.e_shnum; ++i) {
      sections_.push_back(read<Elf64_Shdr>(header_.e_shoff + static_cast<std::size_t>(i) * header_.e_shentsize));
    }
  }

  Module module() {
    Module made;
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type == SHT_SYMTAB) read_symbols(section, made);
    }
    for (const Elf64_Shdr& section : sections_) {
      if (text(sections_[header_.e_shstrndx], section.sh_name) == ".nv.info") read_attributes(section, made);
    }
    return made;
  }

 private:
  template <class T>
  T read(std::size_t offset) const {
    T value;
    std::memcpy(&value, image_ + offset, sizeof value);
    return value;
  }
  std::string text(const Elf64_Shdr& strings, std::size_t offset) const { return image_ + strings.sh_offset + offset; }

  void read_symbols(const Elf64_Shdr& table, Module& made) {
    const Elf64_Shdr& strings = sections_[table.sh_link];
    for (std::size_t at = 0; at < table.sh_size; at += table.sh_entsize) {
      const auto symbol = read<Elf64_Sym>(table.sh_offset + at);
      names_.push_back(text(strings, symbol.st_name));
      const auto type = ELF64_ST_TYPE(symbol.st_info);
      if (type == STT_FUNC) made.functions[names_.back()];
      if (type != STT_OBJECT || symbol.st_shndx >= sections_.size()) continue;
      const Elf64_Shdr& holder = sections_[symbol.st_shndx];
      std::vector<char> value(symbol.st_size);
      if (holder.sh_type != SHT_NOBITS)
        std::memcpy(value.data(), image_ + holder.sh_offset + symbol.st_value, value.size());
      made.globals[names_.back()] = std::move(value);
    }
  }

  /// Entries of .nv.info: format, attribute, size of the value; those of functions are a symbol's number and a number.
  void read_attributes(const Elf64_Shdr& section, Module& made) {
    constexpr int sized_value = 4;
    constexpr int register_count = 0x2f;
    constexpr int least_stack = 0x12;
    for (std::size_t at = 0; at + 4 <= section.sh_size;) {
      const auto head = read<std::array<unsigned char, 4>>(section.sh_offset + at);
      at += 4;
      if (head[0] != sized_value) continue;
      const std::size_t size = head[2] | std::size_t{head[3]} << 8;
      const auto value = read<std::array<unsigned, 2>>(section.sh_offset + at);
      at += size;
      if (size != 8 || value[0] >= names_.size()) continue;
      const auto function = made.functions.find(names_[value[0]]);
      if (function == made.functions.end()) continue;
      if (head[1] == register_count) function->second.registers = static_cast<int>(value[1]);
      if (head[1] == least_stack) function->second.local_bytes = static_cast<int>(value[1]);
    }
  }

  const char* image_;
  Elf64_Ehdr header_;
  std::vector<Elf64_Shdr> sections_;
  std::vector<std::string> names_;
};

template <class Found, class Table>
Found* find(Table& table, const char* name) {
  const auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}

void* allocate(std::size_t bytes) { return bytes > free_memory ? nullptr : std::calloc(1, bytes + 256); }

}  // namespace

extern "C" {

CUresult CUDAAPI cuInit(unsigned /*flags*/) { return CUDA_SUCCESS; }
/// NVRTC and the CUDA runtime look for internal tables, and crash where this function itself is missing.
CUresult CUDAAPI cuGetExportTable(const void** table, const CUuuid* /*id*/) {
  static constexpr std::size_t empty[16] = {sizeof empty};  // the first entry is the size of a table
  *table = empty;
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult CUDAAPI cuDriverGetVersion(int* version) {
  *version = 13000;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuGetErrorName(CUresult result, const char** name) {
  *name = result == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_NOT_FOUND";
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuGetErrorString(CUresult /*result*/, const char** text) {
  *text = "the null driver";
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGetCount(int* count) {
  *count = 1;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult CUDAAPI cuDeviceGetName(char* name, int size, CUdevice /*device*/) {
  std::snprintf(name, static_cast<std::size_t>(size), "Null GPU");
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice /*device*/) {
  *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR            ? device_cc_major
           : attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT              ? multiprocessors
           : attribute == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN ? shared_memory_of_block
                                                                                : 0;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceTotalMem(std::size_t* bytes, CUdevice /*device*/) {
  *bytes = total_memory;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice /*device*/) {
  static int only = 0;
  *context = reinterpret_cast<CUcontext>(&only);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDevicePrimaryCtxRelease(CUdevice /*device*/) { return CUDA_SUCCESS; }
CUresult CUDAAPI cuCtxSetCurrent(CUcontext context) {
  current = context;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuCtxGetDevice(CUdevice* device) {
  *device = 0;
  return current != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}
CUresult CUDAAPI cuCtxGetId(CUcontext /*context*/, unsigned long long* number) {
  *number = 1;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = free_memory;
  *total = total_memory;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemAlloc(CUdeviceptr* address, std::size_t bytes) {
  *address = reinterpret_cast<CUdeviceptr>(allocate(bytes));
  return *address != 0 ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
CUresult CUDAAPI cuMemFree(CUdeviceptr address) {
  std::free(reinterpret_cast<void*>(address));
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemAllocHost(void** address, std::size_t bytes) {
  *address = allocate(bytes);
  return *address != nullptr ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
CUresult CUDAAPI cuMemFreeHost(void* address) {
  std::free(address);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t bytes, CUstream /*stream*/) {
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream /*stream*/) {
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemsetD8Async(CUdeviceptr to, unsigned char byte, std::size_t bytes, CUstream /*stream*/) {
  std::memset(reinterpret_cast<void*>(to), byte, bytes);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamCreate(CUstream* stream, unsigned /*flags*/) {
  *stream = reinterpret_cast<CUstream>(new Event);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuStreamDestroy(CUstream stream) {
  delete reinterpret_cast<Event*>(stream);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuStreamSynchronize(CUstream /*stream*/) { return CUDA_SUCCESS; }
CUresult CUDAAPI cuStreamWaitEvent(CUstream /*stream*/, CUevent /*event*/, unsigned /*flags*/) { return CUDA_SUCCESS; }
CUresult CUDAAPI cuEventCreate(CUevent* event, unsigned /*flags*/) {
  *event = reinterpret_cast<CUevent>(new Event);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuEventDestroy(CUevent event) {
  delete reinterpret_cast<Event*>(event);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuEventRecord(CUevent event, CUstream /*stream*/) {
  reinterpret_cast<Event*>(event)->time = std::chrono::steady_clock::now();
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuEventSynchronize(CUevent /*event*/) { return CUDA_SUCCESS; }
#undef cuEventElapsedTime  // Kalaba looks up the first version of the function, which every driver has
CUresult CUDAAPI cuEventElapsedTime(float* milliseconds, CUevent first, CUevent last) {
  const auto elapsed = reinterpret_cast<Event*>(last)->time - reinterpret_cast<Event*>(first)->time;
  *milliseconds = std::chrono::duration<float, std::milli>(elapsed).count();
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuModuleLoadData(CUmodule* module, const void* image) {
  if (std::memcmp(image, ELFMAG, SELFMAG) != 0) return CUDA_ERROR_INVALID_IMAGE;
  *module = reinterpret_cast<CUmodule>(new Module(Cubin(static_cast<const char*>(image)).module()));
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuModuleUnload(CUmodule module) {
  delete reinterpret_cast<Module*>(module);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  auto* const found = find<Function>(reinterpret_cast<Module*>(module)->functions, name);
  *function = reinterpret_cast<CUfunction>(found);
  return found != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
CUresult CUDAAPI cuModuleGetGlobal(CUdeviceptr* address, std::size_t* bytes, CUmodule module, const char* name) {
  auto* const found = find<std::vector<char>>(reinterpret_cast<Module*>(module)->globals, name);
  if (found == nullptr) return CUDA_ERROR_NOT_FOUND;
  *address = reinterpret_cast<CUdeviceptr>(found->data());
  *bytes = found->size();
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  const auto* const known = reinterpret_cast<const Function*>(function);
  *value = attribute == CU_FUNC_ATTRIBUTE_NUM_REGS           ? known->registers
           : attribute == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES ? known->local_bytes
                                                             : 0;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuFuncSetAttribute(CUfunction /*function*/, CUfunction_attribute /*attribute*/, int /*value*/) {
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuLaunchKernel(CUfunction /*function*/, unsigned /*grid_x*/, unsigned /*grid_y*/, unsigned /*grid_z*/,
                                unsigned /*block_x*/, unsigned /*block_y*/, unsigned /*block_z*/, unsigned /*shared*/,
                                CUstream /*stream*/, void** /*arguments*/, void** /*extra*/) {
  return CUDA_SUCCESS;
}

}  // extern "C"
