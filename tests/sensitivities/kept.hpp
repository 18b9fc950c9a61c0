#pragma once

#include <array>
#include <vector>

#include "kalaba/run.hpp"

namespace kalaba {

/// Last values that a run writes for a member, by field.
class Kept final : public Sink {
 public:
  explicit Kept(std::size_t member = 0) : member_(member) {}

  void begin(const RunInfo&) override {}
  void write(const Frame& frame) override {
    for (const Field field : all_fields) {
      const auto values = frame.values(field);
      std::vector<double>& row = fields[static_cast<std::size_t>(field)];
      row.clear();
      for (std::size_t i = 0; i < values.size(); i += static_cast<std::size_t>(frame.block.stride)) {
        row.push_back(values[i + member_]);
      }
    }
  }
  void end_block(const Block&) override {}
  void finish(const Summary&) override {}

  const std::vector<double>& of(Field field) const { return fields[static_cast<std::size_t>(field)]; }

  std::array<std::vector<double>, field_count> fields;

 private:
  std::size_t member_;
};

}  // namespace kalaba
