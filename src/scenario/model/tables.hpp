#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "formula/text/names.hpp"
#include "scenario/document/document.hpp"

namespace kalaba::text_model {

/// Tables that expressions use: entries of [model.tables], and files of two columns in the model's folder.
class Tables {
 public:
  /// `stated`: the table [model.tables], if present. Throws Error.
  Tables(const std::optional<Node>& stated, std::filesystem::path folder);

  /// Table of that name. Throws Fault at the place of the name.
  formula::TableMeaning find(const std::string& name, formula::Interpolation between, formula::Span at,
                             formula::Units& units);

  /// Contents of the files that were read, as lines of [model.tables]: a text with these lines does not need the files.
  std::string read_files() const;

 private:
  struct Columns {
    std::string unit_of_places;
    std::string unit;
    std::vector<double> places;
    std::vector<double> values;
    bool is_file = false;
  };
  static Columns stated_columns(const Node& node);
  Columns file_columns(const std::string& name, formula::Span at) const;

  std::filesystem::path folder_;
  std::map<std::string, Columns> columns_;
  std::map<std::pair<std::string, formula::Interpolation>, formula::TableMeaning> known_;
};

}  // namespace kalaba::text_model
