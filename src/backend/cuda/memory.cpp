#include "backend/cuda/memory.hpp"

#include <bit>

#include "backend/cuda/driver.hpp"

namespace kalaba::cuda {
namespace {

void* allocate_on_device(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  CUdeviceptr address = 0;
  check(driver().cuMemAlloc(&address, bytes), "taking " + std::to_string(bytes) + " bytes of the device's memory");
  return std::bit_cast<void*>(address);
}

void* allocate_pinned(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* address = nullptr;
  check(driver().cuMemAllocHost(&address, bytes), "taking " + std::to_string(bytes) + " bytes of pinned host memory");
  return address;
}

CUstream create_stream() {
  CUstream stream = nullptr;
  check(driver().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "creating a stream");
  return stream;
}

CUevent create_event(Event::Kind kind) {
  CUevent event = nullptr;
  const unsigned flags = kind == Event::Kind::timing ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING;
  check(driver().cuEventCreate(&event, flags), "creating an event");
  return event;
}

CUmodule load(const std::vector<char>& cubin) {
  if (cubin.empty()) throw Error(ExitCode::internal_error, "cuda: loading compiled kernels: the cubin is empty");
  CUmodule module = nullptr;
  check(driver().cuModuleLoadData(&module, cubin.data()), "loading compiled kernels into driver " + driver_version());
  return module;
}

}  // namespace

// Errors are ignored: the driver repeats here an earlier failure of the device, which was thrown where it happened, and
// the end of the process releases remaining resources.
void Release::operator()(CUstream stream) const noexcept { static_cast<void>(driver().cuStreamDestroy(stream)); }
void Release::operator()(CUevent event) const noexcept { static_cast<void>(driver().cuEventDestroy(event)); }
void Release::operator()(CUmodule module) const noexcept { static_cast<void>(driver().cuModuleUnload(module)); }
void ReleaseDeviceMemory::operator()(void* address) const noexcept {
  static_cast<void>(driver().cuMemFree(reinterpret_cast<CUdeviceptr>(address)));
}
void ReleasePinnedMemory::operator()(void* address) const noexcept {
  static_cast<void>(driver().cuMemFreeHost(address));
}

DeviceBuffer::DeviceBuffer(std::size_t bytes) : bytes_(bytes), memory_(allocate_on_device(bytes)) {}

PinnedBuffer::PinnedBuffer(std::size_t bytes) : bytes_(bytes), memory_(allocate_pinned(bytes)) {}

Stream::Stream() : stream_(create_stream()) {}

void Stream::synchronize() const { check(driver().cuStreamSynchronize(get()), "waiting for the device"); }

void Stream::wait(const Event& event) const {
  check(driver().cuStreamWaitEvent(get(), event.get(), CU_EVENT_WAIT_DEFAULT), "ordering work of the device");
}

Event::Event(Kind kind) : event_(create_event(kind)) {}

void Event::record(const Stream& stream) const {
  check(driver().cuEventRecord(get(), stream.get()), "marking a point in the work of the device");
}

void Event::synchronize() const { check(driver().cuEventSynchronize(get()), "waiting for the device"); }

double Event::seconds_since(const Event& earlier) const {
  float milliseconds = 0;
  check(driver().cuEventElapsedTime(&milliseconds, earlier.get(), get()), "reading the device's clock");
  return 1e-3 * static_cast<double>(milliseconds);
}

Module::Module(const std::vector<char>& cubin) : module_(load(cubin)) {}

CUfunction Module::function(const std::string& name) const {
  CUfunction function = nullptr;
  check(driver().cuModuleGetFunction(&function, module_.get(), name.c_str()), "finding the kernel " + name);
  return function;
}

Global Module::global(const std::string& name) const {
  Global global;
  check(driver().cuModuleGetGlobal(&global.address, &global.bytes, module_.get(), name.c_str()),
        "finding the variable " + name);
  return global;
}

}  // namespace kalaba::cuda
