#include "scenario/model/text_system.hpp"

#include <fmt/format.h>

#include <utility>

#include "formula/describe_terms.hpp"
#include "formula/make_system.hpp"

namespace kalaba {
namespace {

std::shared_ptr<const TextSystem> system_of(Document& document, const text_model::AskedStructure& asked,
                                            const std::optional<Node>& clocks) {
  auto text = std::make_shared<TextSystem>();
  text->model = text_model::read_model(document, asked, clocks);
  text->system = formula::make_system(text->model.graph, text->model.statement);
  return text;
}

/// Derives the terms of the model's graph again, for output as text.
template <class Print>
std::string printed(const TextSystem& text, const Print& print) {
  formula::Graph graph = text.model.graph;
  const formula::Terms terms = formula::derive(graph, text.model.statement);
  return print(graph, terms, text.system.info);
}

/// Fails for other tables: the file of a model contains the model only.
void refuse_other_tables(Document& document, const Node& system) {
  document.find("model");
  for (const Node& entry : document.entries()) {
    if (entry.key() == "model") continue;
    entry.fail(
        fmt::format("{} names this file as a model, which has [model] alone; found {}", system.where(), entry.key()));
  }
}

}  // namespace

std::string structure_text(const TextSystem& text) {
  return printed(text, [](const auto&... parts) { return formula::structure_text(parts...); });
}

std::string equations_latex(const TextSystem& text) {
  return printed(text, [](const auto&... parts) { return formula::equations_latex(parts...); });
}

bool names_a_file(const std::string& source) {
  return source.find('/') != std::string::npos || source.ends_with(".toml");
}

std::shared_ptr<const TextSystem> read_text_system(Document& document) {
  const text_model::AskedStructure asked = [&](const std::string& name) { return document.find("structure." + name); };
  const std::optional<Node> clocks = document.find("clocks");
  const auto system = document.find("system");
  if (document.find("model")) {
    auto text = system_of(document, asked, clocks);
    if (system && system->text() != text->system.info.name) {
      system->fail(
          fmt::format("expected \"{}\", the model that is here, found {}", text->system.info.name, system->found()));
    }
    return text;
  }
  if (!system || !system->is_text() || !names_a_file(system->text())) return nullptr;
  const std::string path = (system->folder() / system->text()).string();
  Document file = Document::read_file(path);
  refuse_other_tables(file, *system);
  return system_of(file, asked, clocks);
}

}  // namespace kalaba
