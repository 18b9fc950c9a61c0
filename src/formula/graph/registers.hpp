#pragma once

#include <vector>

namespace kalaba::formula {

/// Hands registers out, from `first` on, and takes them back.
class Registers {
 public:
  explicit Registers(int first = 0) : end_(first) {}
  int take() {
    if (free_.empty()) return end_++;
    const int index = free_.back();
    free_.pop_back();
    return index;
  }
  void give_back(int index) { free_.push_back(index); }
  /// Behind the last one that was ever handed out.
  int end() const { return end_; }

 private:
  std::vector<int> free_;
  int end_;
};

}  // namespace kalaba::formula
