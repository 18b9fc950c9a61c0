#pragma once

#include <memory>
#include <string>

#include "kalaba/system.hpp"
#include "scenario/document/document.hpp"
#include "scenario/model/read_model.hpp"

namespace kalaba {

/// A system whose model is a text.
struct TextSystem {
  System system;
  text_model::Model model;
};

/// Its sizes, what of it is constant, where A is zero, its operations.
std::string structure_text(const TextSystem& text);
/// Its derived equations as LaTeX, the lines of an align* environment.
std::string equations_latex(const TextSystem& text);

/// Whether a word names a file in place of a system.
bool names_a_file(const std::string& source);

/// The model of a scenario: its table [model], or that of the file which `system` names; null where it has neither.
/// Throws Error.
std::shared_ptr<const TextSystem> read_text_system(Document& document);

}  // namespace kalaba
