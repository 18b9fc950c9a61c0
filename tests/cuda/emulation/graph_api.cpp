// The driver's functions for graphs: work of one stream that one thread records, in its order.

#include <utility>

#include "api.hpp"
#include "environment.hpp"

using namespace kalaba::emulated;

namespace {

/// Recording of the calling thread.
struct Recording {
  std::shared_ptr<Stream> stream;
  bool spoiled = false;
};
thread_local Recording recording;

std::shared_ptr<Graph> find_graph(Context& context, CUgraph handle) {
  return find(context, &Context::graphs, handle, "graph");
}
std::shared_ptr<Graph> find_executable(Context& context, CUgraphExec handle) {
  return find(context, &Context::executable_graphs, handle, "executable graph");
}

}  // namespace

namespace kalaba::emulated {

void refuse_recording() {
  if (!recording.stream) return;
  recording.spoiled = true;
  throw Failure{CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, ""};
}

}  // namespace kalaba::emulated

extern "C" {

CUresult CUDAAPI cuStreamBeginCapture(CUstream handle, CUstreamCaptureMode mode) {
  return answer_in_context("cuStreamBeginCapture", [&](Context& context) {
    if (mode != CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) {
      throw Failure{CUDA_ERROR_INVALID_VALUE, "only recording for one thread is emulated"};
    }
    if (recording.stream) throw Failure{CUDA_ERROR_ILLEGAL_STATE, "this thread records a stream already"};
    recording = {find_stream(context, handle)};
    recording.stream->record();
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuStreamEndCapture(CUstream handle, CUgraph* graph) {
  return answer_in_context("cuStreamEndCapture", [&](Context& context) {
    need(graph);
    *graph = nullptr;
    const auto [stream, spoiled] = std::exchange(recording, {});
    if (!stream || stream != find_stream(context, handle)) {
      throw Failure{CUDA_ERROR_ILLEGAL_STATE, "this thread does not record that stream"};
    }
    auto work = stream->recorded();
    if (spoiled) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    *graph = reinterpret_cast<CUgraph>(context.graphs.add(std::make_shared<Graph>(Graph{std::move(work)})));
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph, unsigned long long /*flags*/) {
  return answer_in_context("cuGraphInstantiateWithFlags", [&](Context& context) {
    need(executable);
    const auto copy = std::make_shared<Graph>(*find_graph(context, graph));
    *executable = reinterpret_cast<CUgraphExec>(context.executable_graphs.add(copy));
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuGraphDestroy(CUgraph graph) {
  return answer_with_end_of("cuGraphDestroy", [&](Context& context) {
    find_graph(context, graph);
    context.graphs.remove(graph);
  });
}

CUresult CUDAAPI cuGraphLaunch(CUgraphExec executable, CUstream stream_handle) {
  return answer_in_context("cuGraphLaunch", [&](Context& context) {
    refuse_recording();
    const auto stream = find_stream(context, stream_handle);
    for (const Work& work : find_executable(context, executable)->work) stream->push(work);
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuGraphExecDestroy(CUgraphExec executable) {
  return answer_with_end_of("cuGraphExecDestroy", [&](Context& context) {
    find_executable(context, executable);
    context.executable_graphs.remove(executable);
  });
}

/// For the emulated cuSOLVER (library_call.hpp).
CUresult kalaba_emulated_library_call(CUstream stream_handle, const char* name, void (*run)(void*), void (*drop)(void*),
                                      void* data) {
  const std::shared_ptr<void> kept(data, drop);
  return answer_in_context("kalaba_emulated_library_call", [&](Context& context) {
    if (fault() == "unrecordable") refuse_recording();
    push(context, *find_stream(context, stream_handle), {name, [&context, run, kept](BlockRunner& /*blocks*/) {
                                                           const DeviceMemory::Window window(context.memory);
                                                           run(kept.get());
                                                         }});
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
