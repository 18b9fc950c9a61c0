#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kalaba::formula {

/// A fraction of small whole numbers.
struct Fraction {
  std::int64_t over = 0;
  std::int64_t under = 1;

  bool operator==(const Fraction&) const = default;
  bool is_zero() const { return over == 0; }
};
Fraction operator+(Fraction a, Fraction b);
Fraction operator*(Fraction a, Fraction b);

/// The fraction that a double is, with a small denominator; none where it is no such.
std::optional<Fraction> fraction_of(double value);

/// Powers of kg, m, s, A, K, mol, cd, and of units that are not known yet.
class Unit {
 public:
  static constexpr int bases = 7;

  static Unit unknown(int which);
  static Unit base(int which);  ///< 0: kg, 1: m, 2: s, ...
  static Unit seconds() { return base(2); }

  Unit raised(Fraction power) const;
  friend Unit operator*(const Unit& a, const Unit& b);
  friend Unit operator/(const Unit& a, const Unit& b) { return a * b.raised({-1, 1}); }
  bool operator==(const Unit&) const = default;

  bool is_one() const;
  /// True for a power of the second other than 1, such as 1/s^2.
  bool is_of_time() const;
  bool is_known() const { return unknowns_.empty(); }
  const std::vector<std::pair<int, Fraction>>& unknowns() const { return unknowns_; }
  /// "kg m^2/s^2", "1"; unknown units are not shown.
  std::string text() const;

 private:
  std::array<Fraction, bases> powers_{};
  std::vector<std::pair<int, Fraction>> unknowns_;  // ascending
};

/// A fault in the text of a unit.
struct UnitFault {
  std::string message;
  std::size_t begin = 0;  ///< the wrong part
  std::size_t end = 0;
};

/// "kg m^2/s^2", "N m/rad", "1/(m s)", "1", "". Throws UnitFault.
Unit parse_unit(const std::string& text);

/// Infers unknown units from the terms that they are added to or compared with.
class Units {
 public:
  /// Returns an unknown unit; messages call it "the unit of NAME", or "?".
  Unit fresh(std::string name = "");
  /// Returns the unit with all that has been inferred of it so far.
  Unit resolve(const Unit& unit) const;
  /// Infers that two units are equal; returns false if they differ.
  bool unify(const Unit& a, const Unit& b);
  bool make_one(const Unit& unit) { return unify(unit, Unit()); }
  std::string text(const Unit& unit) const;
  /// The unit in the words of a message: "in m", "without a unit".
  std::string said(const Unit& unit) const;

 private:
  std::vector<std::string> names_;
  std::vector<std::optional<Unit>> found_;
};

}  // namespace kalaba::formula
