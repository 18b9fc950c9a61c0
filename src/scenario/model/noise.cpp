#include "scenario/model/noise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formula/text/watched.hpp"
#include "scenario/model/declarations.hpp"
#include "scenario/model/mechanics.hpp"
#include "scenario/sampling/random.hpp"

namespace kalaba::text_model {
namespace {

/// Requirements on an intensity along a rate: the unit of the force times s^(1/2).
Wanted intensity(const Draft& draft, int rate) {
  Wanted wanted;
  wanted.rules.allowed = formula::on_positions;
  wanted.rules.whose = "an intensity of noise";
  wanted.rules.made_of = "t and coordinates";
  wanted.rules.rates = draft.rates_word;
  wanted.unit = draft.force_unit(rate) * draft.second.raised({1, 2});
  wanted.what = "the intensity of the noise along " + draft.statement.info.rates[static_cast<std::size_t>(rate)].name;
  return wanted;
}

/// Adds the terms of one entry of the table or of a source: one for each variable that its key names. `source`: of all
/// of them; empty: each variable has a source of its own.
void add_terms(Draft& draft, const Node& entry, const std::string& source, Noise& noise) {
  const Written written = read_written(entry);
  const std::size_t length = entry.is_text() ? entry.text().size() : 1;
  for (const Target& target : targets_of(draft, entry, directions(draft), "the noise")) {
    const std::string& rate = draft.statement.info.rates[static_cast<std::size_t>(target.index)].name;
    const auto number = static_cast<int>(stream_of("noise." + (source.empty() ? rate : source)) & 0x7fffffffU);
    const auto is_same = [&](const Noise::Term& term) { return term.source == number && term.rate == target.index; };
    if (std::ranges::any_of(noise.terms, is_same)) entry.fail("this is stated already");
    if (noise.terms.size() == Watch::most_set) {
      entry.fail(fmt::format("expected at most {} intensities of noise", Watch::most_set));
    }
    const formula::Id id = take(draft, written, target.bindings, intensity(draft, target.index)).id;
    noise.terms.push_back({number, target.index, placed(entry, [&] {
                             return formula::watched_program(draft.graph, id, {0, length});
                           })});
  }
}

}  // namespace

void declare_noise(Draft& draft) {
  if (!draft.section("noise")) return;
  Noise noise;
  noise.key = add_discrete(draft, "noise@key", "", draft.units.fresh());
  draft.statement.info.noise = std::move(noise);
  name_parameters(draft);
}

void read_noise(Draft& draft) {
  const auto table = draft.section("noise");
  if (!table) return;
  if (!table->is_table()) table->expected("a table such as { every = 0.01, x = \"s\" }");
  if (!draft.statement.actuation.empty()) table->fail("noise does not go with [model.actuation] yet");
  if (draft.statement.singular_metric) table->fail("noise does not go with singular_metric yet");
  Noise& noise = *draft.statement.info.noise;
  for (const Node& entry : table->entries()) {
    if (entry.name() == "every") {
      noise.every = entry.number();
      if (!(noise.every > 0)) entry.expected("a positive number of seconds");
    } else if (entry.is_table()) {
      if (entry.entries().empty())
        entry.expected("the intensities of a source along coordinates, such as { x = \"s\" }");
      for (const Node& each : entry.entries()) add_terms(draft, each, entry.name(), noise);
    } else {
      add_terms(draft, entry, "", noise);
    }
  }
  if (noise.every == 0) {
    table->fail("every is missing; add every = 0.01, the time in s between two impulses of the noise");
  }
  if (noise.terms.empty()) table->fail("expected intensities of noise, such as x = \"s\"; found none");
}

}  // namespace kalaba::text_model
