// The driver's functions for streams and events.

#include "api.hpp"

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

CUresult CUDAAPI cuEventCreate(CUevent* handle, unsigned /*flags*/) {
  return answer_in_context("cuEventCreate", [&](Context& context) {
    need(handle);
    *handle = reinterpret_cast<CUevent>(context.events.add(std::make_shared<Event>()));
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
    event->number = push(context, *stream, {"cuEventRecord", [](BlockRunner& /*blocks*/) {}});
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

}  // extern "C"
