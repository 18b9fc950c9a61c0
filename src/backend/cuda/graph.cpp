#include "backend/cuda/graph.hpp"

#include "backend/cuda/driver.hpp"
#include "backend/cuda/shared_library.hpp"

namespace kalaba::cuda {
namespace {

/// Functions of the driver that only this file uses.
struct GraphDriver {
  decltype(&::cuStreamBeginCapture_v2) cuStreamBeginCapture = nullptr;
  decltype(&::cuStreamEndCapture) cuStreamEndCapture = nullptr;
  decltype(&::cuGraphInstantiateWithFlags) cuGraphInstantiate = nullptr;
  decltype(&::cuGraphDestroy) cuGraphDestroy = nullptr;
  decltype(&::cuGraphLaunch) cuGraphLaunch = nullptr;
  decltype(&::cuGraphExecDestroy) cuGraphExecDestroy = nullptr;
  bool complete = false;
};

GraphDriver load_graphs() {
  GraphDriver functions;
  SharedLibrary library("libcuda.so.1");
  library.find("cuStreamBeginCapture_v2", functions.cuStreamBeginCapture);
  library.find("cuStreamEndCapture", functions.cuStreamEndCapture);
  library.find("cuGraphInstantiateWithFlags", functions.cuGraphInstantiate);
  library.find("cuGraphDestroy", functions.cuGraphDestroy);
  library.find("cuGraphLaunch", functions.cuGraphLaunch);
  library.find("cuGraphExecDestroy", functions.cuGraphExecDestroy);
  functions.complete = library.missing().empty();
  return functions;
}

const GraphDriver& graphs() {
  static const GraphDriver once = load_graphs();
  return once;
}

/// Returns null if the recording failed.
CUgraph recorded(const Stream& stream, const std::function<void()>& work) {
  // Captures calls of this thread only: other threads may allocate memory meanwhile.
  if (graphs().cuStreamBeginCapture(stream.get(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) != CUDA_SUCCESS) return nullptr;
  bool good = true;
  try {
    work();
  } catch (const Error&) {  // an error that recording did not cause occurs again when the work is executed
    good = false;
  }
  CUgraph graph = nullptr;
  const bool ended = graphs().cuStreamEndCapture(stream.get(), &graph) == CUDA_SUCCESS;
  if (good && ended) return graph;
  if (graph != nullptr) static_cast<void>(graphs().cuGraphDestroy(graph));
  return nullptr;
}

}  // namespace

Graph Graph::record(const Stream& stream, const std::function<void()>& work) {
  Graph result;
  if (!graphs().complete) return result;
  const CUgraph graph = recorded(stream, work);
  if (graph == nullptr) return result;
  CUgraphExec executable = nullptr;
  if (graphs().cuGraphInstantiate(&executable, graph, 0) == CUDA_SUCCESS) result.executable_.reset(executable);
  static_cast<void>(graphs().cuGraphDestroy(graph));  // the executable no longer needs it
  return result;
}

void Graph::launch(const Stream& stream) const {
  check(graphs().cuGraphLaunch(executable_.get(), stream.get()), "launching recorded work");
}

void Graph::Release::operator()(CUgraphExec executable) const noexcept {
  static_cast<void>(graphs().cuGraphExecDestroy(executable));
}

}  // namespace kalaba::cuda
