// Runs the bead, or writes its compiled source.
#include <cstdio>
#include <cstring>
#include <kalaba/compiled_source.hpp>

#include "bead.hpp"

int main(int count, char** words) {
  const kalaba::System system = kalaba::make_system<Bead>();
  kalaba::Options options = kalaba::default_options(system);
  options.backend = kalaba::Backend::cpu;
  if (count > 1 && std::strcmp(words[1], "write") == 0) {
    std::fputs(kalaba::compiled_source(system, options).c_str(), stdout);
    return 0;
  }
  const kalaba::Ensemble ensemble(system, 10);
  const kalaba::Result result = kalaba::run(ensemble, options);
  std::printf("%s\n%.17g\n", result.summary.compiled.c_str(), result.values("x", result.times().size() - 1)[9]);
  return result.summary.failed() == 0 ? 0 : 1;
}
