#pragma once

#include <cuda.h>

namespace kalaba::emulated {

/// Function for emulated libraries to add work to a stream: run(data) is called when the stream executes it, with the
/// device's memory open, once or (recorded in a graph) repeatedly; drop(data) when it can no longer be executed. The
/// driver exports it as "kalaba_emulated_library_call".
using LibraryCall = CUresult(CUstream stream, const char* name, void (*run)(void*), void (*drop)(void*), void* data);

}  // namespace kalaba::emulated
