#pragma once

#include <cuda.h>

#include <cstdio>
#include <memory>

#include "context.hpp"
#include "failure.hpp"

// Common code of the driver's functions in *_api.cpp.

namespace kalaba::emulated {

/// Runs the body of a call; converts Failure to its code, and prints its message, if any, on stderr.
template <class Body>
CUresult answer(const char* call, const Body& body) {
  try {
    if (!driver().ready) throw Failure{CUDA_ERROR_NOT_INITIALIZED, "cuInit was not called"};
    return body();
  } catch (const Failure& failure) {
    if (!failure.words.empty()) std::fprintf(stderr, "emulated CUDA: %s: %s\n", call, failure.words.c_str());
    return failure.code;
  }
}

inline Context& usable_context() {
  Context* context = current_context();
  if (context == nullptr) throw Failure{CUDA_ERROR_INVALID_CONTEXT, "no context is current in this thread"};
  if (context->retained == 0) throw Failure{CUDA_ERROR_INVALID_CONTEXT, "the current context was released"};
  return *context;
}

/// Wrapper of a call in the current context; once the context has a fault, the call returns only that fault.
template <class Body>
CUresult answer_in_context(const char* call, const Body& body) {
  return answer(call, [&] {
    Context& context = usable_context();
    const CUresult fault = context.fault;
    return fault != CUDA_SUCCESS ? fault : body(context);
  });
}

/// Wrapper of a call that releases a resource, which it does also after a fault.
template <class Body>
CUresult answer_with_end_of(const char* call, const Body& body) {
  return answer(call, [&] {
    Context& context = usable_context();
    body(context);
    return context.fault.load();
  });
}

/// Throws Failure if the pointer to the result is null.
template <class T>
void need(const T* out) {
  if (out == nullptr) throw Failure{CUDA_ERROR_INVALID_VALUE, "a pointer for the result is null"};
}

/// Returns the object of a handle in a context; throws Failure if the handle is invalid or belongs to another context.
template <class Object>
std::shared_ptr<Object> find(Context& context, Table<Object> Context::*table, const void* handle, const char* kind) {
  if (auto object = (context.*table).find(handle)) return object;
  for (Context& other : driver().contexts) {
    if ((other.*table).find(handle)) {
      throw Failure{CUDA_ERROR_INVALID_CONTEXT, std::string("the ") + kind + " is of another context"};
    }
  }
  throw Failure{CUDA_ERROR_INVALID_HANDLE, std::string("there is no such ") + kind};
}

inline std::shared_ptr<Stream> find_stream(Context& context, CUstream handle) {
  if (handle == nullptr) throw Failure{CUDA_ERROR_INVALID_HANDLE, "the default stream is not emulated"};
  return find(context, &Context::streams, handle, "stream");
}

/// Throws Failure unless the bytes are device memory of this context.
void check_device_memory(Context& context, CUdeviceptr address, std::size_t size);

/// Throws Failure in a thread that records a stream (graph_api.cpp) and invalidates the recording: for calls that a
/// graph cannot contain.
void refuse_recording();

/// Appends work that is skipped once the context has a fault.
long push(Context& context, Stream& stream, Work work);

}  // namespace kalaba::emulated
