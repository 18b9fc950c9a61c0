// The driver's functions for streams and events.

#include "api.hpp"

#undef cuEventElapsedTime  // a macro for its second version, which drivers have since CUDA 12.8

using namespace kalaba::emulated;

namespace {

std::shared_ptr<Event> find_event(Context& context, CUevent handle) {
  return find(context, &Context::events, handle, "event");
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuStreamCreate(CUstream* handle, unsigned /*flags*/) {
  return answer_in_context("cuStreamCreate", [&](Context& context) {
    need(handle);
    *handle = reinterpret_cast<CUstream>(context.streams.add(std::make_shared<Stream>()));
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuStreamDestroy(CUstream handle) {
  return answer_with_end_of("cuStreamDestroy", [&](Context& context) {
    refuse_recording();
    find_stream(context, handle)->finish();
    context.streams.remove(handle);
  });
}

CUresult CUDAAPI cuStreamSynchronize(CUstream handle) {
  return answer_in_context("cuStreamSynchronize", [&](Context& context) {
    refuse_recording();
    find_stream(context, handle)->finish();
    return context.fault.load();
  });
}

CUresult CUDAAPI cuStreamWaitEvent(CUstream stream_handle, CUevent event_handle, unsigned /*flags*/) {
  return answer_in_context("cuStreamWaitEvent", [&](Context& context) {
    refuse_recording();
    const auto stream = find_stream(context, stream_handle);
    const auto event = find_event(context, event_handle);
    std::shared_ptr<Stream> other;
    long number = 0;
    {
      const std::lock_guard lock(event->mutex);  // a later record of the event does not move what is waited for
      other = event->stream;
      number = event->number;
    }
    if (other == nullptr || other == stream) return CUDA_SUCCESS;
    push(context, *stream, {"cuStreamWaitEvent", [other, number](BlockRunner& /*blocks*/) { other->finish(number); }});
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuEventCreate(CUevent* handle, unsigned flags) {
  return answer_in_context("cuEventCreate", [&](Context& context) {
    need(handle);
    auto event = std::make_shared<Event>();
    event->timed = (flags & CU_EVENT_DISABLE_TIMING) == 0;
    *handle = reinterpret_cast<CUevent>(context.events.add(std::move(event)));
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuEventDestroy(CUevent handle) {
  return answer_with_end_of("cuEventDestroy", [&](Context& context) {
    find_event(context, handle);
    context.events.remove(handle);
  });
}

CUresult CUDAAPI cuEventRecord(CUevent event_handle, CUstream stream_handle) {
  return answer_in_context("cuEventRecord", [&](Context& context) {
    refuse_recording();
    const auto event = find_event(context, event_handle);
    const auto stream = find_stream(context, stream_handle);
    const std::lock_guard lock(event->mutex);
    event->stream = stream;
    event->number = push(context, *stream, {"cuEventRecord", [reached = event](BlockRunner& /*blocks*/) {
                                              reached->time = std::chrono::steady_clock::now();
                                            }});
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuEventSynchronize(CUevent handle) {
  return answer_in_context("cuEventSynchronize", [&](Context& context) {
    refuse_recording();
    find_event(context, handle)->wait();
    return context.fault.load();
  });
}

CUresult CUDAAPI cuEventElapsedTime(float* milliseconds, CUevent first, CUevent last) {
  return answer_in_context("cuEventElapsedTime", [&](Context& context) {
    need(milliseconds);
    const auto begin = find_event(context, first);
    const auto end = find_event(context, last);
    for (const auto& event : {begin, end}) {
      if (!event->timed) throw Failure{CUDA_ERROR_INVALID_HANDLE, "the event was created without timing"};
      if (event->stream == nullptr) throw Failure{CUDA_ERROR_INVALID_HANDLE, "the event was never recorded"};
      if (!event->reached()) return CUDA_ERROR_NOT_READY;
    }
    *milliseconds = std::chrono::duration<float, std::milli>(end->time - begin->time).count();
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
