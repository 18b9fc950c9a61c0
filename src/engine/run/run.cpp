#include "kalaba/run.hpp"

#include "backend/interruption.hpp"
#include "engine/run/engine.hpp"
#include "kalaba/check_options.hpp"
#include "kalaba/saved_times.hpp"
#include "kalaba/statistics.hpp"

namespace kalaba {

std::string backend_text(Backend backend, bool interpreted) {
  return std::string(backend_name(backend)) + (interpreted ? ", interpreted" : "");
}

Summary run(const System& system, const MemberSource& source, const Options& options, std::span<Sink* const> sinks,
            const std::function<void(const Progress&)>& progress, std::stop_token stop, RunPart part,
            const std::function<void(const RunInfo&)>& begun) {
  check_options(system, options);
  if (options.statistics.any()) {  // statistics that do not fit are refused before memory is allocated
    plan_statistics(system.info, options, source.members(), saved_count(options));
  }
  const Interruptible interruptible([&stop] { return stop.stop_requested(); });
  return Engine(system, source, options, sinks, progress, stop, part).run(begun);
}

}  // namespace kalaba
