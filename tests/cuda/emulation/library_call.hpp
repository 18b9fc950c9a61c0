#pragma once

#include <cuda.h>

namespace kalaba::emulated {

/// The emulated driver's way for an emulated library to put work of its own on a stream: run(data) is called when the
/// stream comes to it, with the device's memory open, once or (recorded in a graph) often; drop(data) when it cannot
/// come any more. The driver exports it as "kalaba_emulated_library_call".
using LibraryCall = CUresult(CUstream stream, const char* name, void (*run)(void*), void (*drop)(void*), void* data);

}  // namespace kalaba::emulated
