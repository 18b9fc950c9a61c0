#pragma once

#include <memory>
#include <string>

#include "kalaba/system.hpp"
#include "scenario/document/document.hpp"
#include "scenario/model/read_model.hpp"

namespace kalaba {

/// System whose model was read from a text.
struct TextSystem {
  System system;
  text_model::Model model;
};

/// Its sizes, its constant terms, the zeros of A, and its operation counts.
std::string structure_text(const TextSystem& text);
/// Its derived equations as LaTeX: the lines of an align* environment.
std::string equations_latex(const TextSystem& text);

/// Returns true if a word names a file rather than a system.
bool names_a_file(const std::string& source);

/// Reads the model of a scenario: its table [model], or the table in the file that `system` names; null if it has
/// neither. Throws Error.
std::shared_ptr<const TextSystem> read_text_system(Document& document);

}  // namespace kalaba
