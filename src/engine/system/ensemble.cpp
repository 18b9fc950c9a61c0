#include "kalaba/ensemble.hpp"

#include <algorithm>

namespace kalaba {

namespace {

std::size_t index_of(const std::vector<Variable>& variables, std::string_view name) {
  const auto found = std::find_if(variables.begin(), variables.end(), [&](const auto& v) { return v.name == name; });
  return static_cast<std::size_t>(found - variables.begin());
}

[[noreturn]] void unknown(const SystemInfo& info, std::string_view kind, std::string_view name,
                          const std::vector<Variable>& known) {
  std::string message = info.name + " has no " + std::string(kind) + " '" + std::string(name) + "'; it has";
  for (const auto& variable : known) message += ' ' + variable.name;
  throw Error(ExitCode::bad_input, message);
}

}  // namespace

Ensemble::Ensemble(const System& system, long members) : system_(&system), members_(members) {
  if (members < 1) throw Error(ExitCode::bad_input, "an ensemble has at least one member");
  const auto count = static_cast<std::size_t>(members);
  const auto fill_from = [&](std::vector<double>& values, const std::vector<Variable>& variables) {
    for (const Variable& variable : variables) values.insert(values.end(), count, variable.value);
  };
  fill_from(parameters_, system.info.parameters);
  if (system.info.agents > 0) {
    const auto numbers = count * static_cast<std::size_t>(system.info.agents);
    q_.resize(system.info.coordinates.size() * numbers);
    w_.resize(system.info.rates.size() * numbers);
    restart();
  } else {
    fill_from(q_, system.info.coordinates);
    fill_from(w_, system.info.rates);
  }
}

std::span<double> Ensemble::parameter(std::string_view name) {
  const auto& info = system_->info;
  const std::size_t i = index_of(info.parameters, name);
  if (i == info.parameters.size()) unknown(info, "parameter", name, info.parameters);
  return row(parameters_, i, 1);
}

std::span<double> Ensemble::initial(std::string_view name) {
  const auto& info = system_->info;
  if (const std::size_t i = index_of(info.coordinates, name); i < info.coordinates.size()) {
    return row(q_, i, info.copies());
  }
  const std::size_t i = index_of(info.rates, name);
  if (i == info.rates.size()) {
    auto known = info.coordinates;
    known.insert(known.end(), info.rates.begin(), info.rates.end());
    unknown(info, "coordinate or rate", name, known);
  }
  return row(w_, i, info.copies());
}

void Ensemble::restart() {
  const auto& info = system_->info;
  std::vector<double> p(info.parameters.size());
  std::vector<double> q(info.coordinates.size() * static_cast<std::size_t>(info.copies()));
  std::vector<double> w(info.rates.size() * static_cast<std::size_t>(info.copies()));
  for (std::size_t member = 0; member < static_cast<std::size_t>(members_); ++member) {
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = row(parameters_, i, 1)[member];
    system_->default_start(p.data(), q.data(), w.data());
    for (std::size_t i = 0; i < q.size(); ++i) row(q_, i, 1)[member] = q[i];
    for (std::size_t i = 0; i < w.size(); ++i) row(w_, i, 1)[member] = w[i];
  }
}

void Ensemble::fill(Block& block) const {
  const auto copy = [&](const std::vector<double>& from, std::vector<double>& to) {
    const std::size_t rows = from.size() / static_cast<std::size_t>(members_);
    for (std::size_t i = 0; i < rows; ++i) {
      const auto begin = from.begin() + static_cast<std::ptrdiff_t>(i) * members_ + block.first;
      std::copy(begin, begin + block.members, to.begin() + static_cast<std::ptrdiff_t>(i) * block.stride);
    }
  };
  copy(parameters_, block.parameters);
  copy(q_, block.q);
  copy(w_, block.w);
}

}  // namespace kalaba
