#include "backend/cuda/device.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>

#include "backend/cuda/driver.hpp"
#include "backend/cuda/shared_library.hpp"

namespace kalaba::cuda {
namespace {

std::string label(int ordinal) { return "cuda " + std::to_string(ordinal); }

CUdevice handle_of(int ordinal) {
  CUdevice device = 0;
  check(driver().cuDeviceGet(&device, ordinal), "finding device " + label(ordinal));
  return device;
}

int attribute(CUdevice device, CUdevice_attribute which) {
  int value = 0;
  check(driver().cuDeviceGetAttribute(&value, which, device), "reading an attribute of a device");
  return value;
}

CUcontext retain(CUdevice device, int ordinal) {
  CUcontext context = nullptr;
  check(driver().cuDevicePrimaryCtxRetain(&context, device), "opening device " + label(ordinal));
  return context;
}

int device_count() {
  int count = 0;
  check(driver().cuDeviceGetCount(&count), "counting the devices");
  return count;
}

std::string numbers(int count) {
  std::string text = "0";
  for (int i = 1; i < count; ++i) text += ", " + std::to_string(i);
  return text;
}

std::string device_line(int ordinal) {
  const DeviceInfo info = device_info(ordinal);
  return label(ordinal) + ": " + info.name + ", " + std::to_string(info.total_memory >> 30) + " GiB, " +
         info.architecture() + ", " + std::to_string(info.multiprocessors) + " multiprocessors, driver " +
         driver_version();
}

/// Functions of the driver that only this file uses.
struct ContextDriver {
  decltype(&::cuCtxGetDevice) cuCtxGetDevice = nullptr;
  decltype(&::cuCtxGetId) cuCtxGetId = nullptr;
};

ContextDriver load_contexts() {
  driver();  // throws if the driver cannot be used
  ContextDriver functions;
  SharedLibrary library("libcuda.so.1");
  library.find("cuCtxGetDevice", functions.cuCtxGetDevice);
  library.find("cuCtxGetId", functions.cuCtxGetId);
  if (!library.missing().empty()) {
    throw Error(ExitCode::no_backend, "the CUDA driver has no " + library.missing());
  }
  return functions;
}

int ordinal_of(CUdevice device) {
  for (const int ordinal : device_ordinals({})) {
    CUdevice each = 0;
    check(driver().cuDeviceGet(&each, ordinal), "finding the current device");
    if (each == device) return ordinal;
  }
  throw Error(ExitCode::internal_error, "cuda: the current device is none of those that the driver counts");
}

}  // namespace

std::string DeviceInfo::architecture() const { return "sm_" + std::to_string(major * 10 + minor); }

DeviceInfo device_info(int ordinal) {
  const CUdevice device = handle_of(ordinal);
  DeviceInfo info;
  info.ordinal = ordinal;
  char name[256] = {};
  check(driver().cuDeviceGetName(name, sizeof name - 1, device), "reading the name of a device");
  info.name = name;
  check(driver().cuDeviceTotalMem(&info.total_memory, device), "reading the memory of a device");
  info.major = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  info.minor = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  info.multiprocessors = attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  info.shared_memory_per_block =
      static_cast<std::size_t>(attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  return info;
}

Device::Device(int ordinal) : info_(device_info(ordinal)) {
  const CUdevice device = handle_of(ordinal);
  context_ = {retain(device, ordinal), ReleasePrimaryContext{device}};
}

// A failure here is ignored: the end of the process releases the context anyway, and a destructor must not throw.
void ReleasePrimaryContext::operator()(CUcontext) const noexcept {
  static_cast<void>(driver().cuDevicePrimaryCtxRelease(device));
}

void Device::make_current() const {
  check(driver().cuCtxSetCurrent(context_.get()), "turning to device " + label(info_.ordinal));
}

std::size_t Device::free_memory() const {
  make_current();
  std::size_t free = 0;
  std::size_t total = 0;
  check(driver().cuMemGetInfo(&free, &total), "reading the free memory of device " + label(info_.ordinal));
  return free;
}

std::shared_ptr<const Device> held_device(int ordinal) {
  static std::mutex mutex;
  static auto* const held = new std::map<int, std::shared_ptr<const Device>>;  // never destroyed: the driver ends first
  const std::lock_guard lock(mutex);
  auto& device = (*held)[ordinal];
  if (device == nullptr) device = std::make_shared<const Device>(ordinal);
  return device;
}

std::vector<int> device_ordinals(const std::vector<int>& requested) {
  const int count = device_count();
  if (requested.empty()) {
    std::vector<int> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  for (auto it = requested.begin(); it != requested.end(); ++it) {
    const std::string number = std::to_string(*it);
    if (*it < 0 || *it >= count) {
      throw Error(ExitCode::bad_input,
                  "devices: there is no device " + number + "; this machine has " + numbers(count));
    }
    if (std::find(requested.begin(), it, *it) != it) {
      throw Error(ExitCode::bad_input, "devices: device " + number + " is named twice; name each once");
    }
  }
  return requested;
}

std::string devices_text() {
  std::string text;
  for (int ordinal : device_ordinals({})) text += (text.empty() ? "" : "\n") + device_line(ordinal);
  return text;
}

CurrentDevice current_device() {
  static const ContextDriver functions = load_contexts();
  CUdevice device = 0;
  const CUresult found = functions.cuCtxGetDevice(&device);
  if (found == CUDA_ERROR_INVALID_CONTEXT) {
    throw Error(ExitCode::bad_input,
                "no CUDA device is current to this thread; call cudaSetDevice (or cuCtxSetCurrent) first");
  }
  check(found, "finding the current device");
  CurrentDevice current;
  check(functions.cuCtxGetId(nullptr, &current.context), "finding the current context");
  current.ordinal = ordinal_of(device);
  return current;
}

}  // namespace kalaba::cuda
