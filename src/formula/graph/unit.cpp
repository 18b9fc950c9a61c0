#include "formula/graph/unit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "formula/graph/fault.hpp"

namespace kalaba::formula {
namespace {

constexpr std::array names = {"kg", "m", "s", "A", "K", "mol", "cd"};
constexpr std::int64_t largest = 1'000'000;  // numerator or denominator

Fraction reduced(std::int64_t over, std::int64_t under) {
  const std::int64_t common = std::max<std::int64_t>(std::gcd(over, under), 1);
  const Fraction result =
      under < 0 ? Fraction{-over / common, -under / common} : Fraction{over / common, under / common};
  if (std::abs(result.over) > largest || result.under > largest) throw std::overflow_error("the power of a unit");
  return result;
}

std::string power_text(const char* name, Fraction power) {
  if (power == Fraction{1, 1}) return name;
  const std::string number = power.under == 1
                                 ? std::to_string(power.over)
                                 : "(" + std::to_string(power.over) + "/" + std::to_string(power.under) + ")";
  return std::string(name) + "^" + number;
}

}  // namespace

Fraction operator+(Fraction a, Fraction b) { return reduced(a.over * b.under + b.over * a.under, a.under * b.under); }
Fraction operator*(Fraction a, Fraction b) { return reduced(a.over * b.over, a.under * b.under); }

std::optional<Fraction> fraction_of(double value) {
  constexpr int largest_denominator = 12;
  if (!(std::abs(value) <= 1000)) return std::nullopt;
  for (int under = 1; under <= largest_denominator; ++under) {
    const double over = std::round(value * under);
    if (std::abs(over - value * under) < 1e-12 * under) return Fraction{static_cast<std::int64_t>(over), under};
  }
  return std::nullopt;
}

Unit Unit::unknown(int which) {
  Unit unit;
  unit.unknowns_.push_back({which, {1, 1}});
  return unit;
}

Unit Unit::base(int which) {
  Unit unit;
  unit.powers_[static_cast<std::size_t>(which)] = {1, 1};
  return unit;
}

Unit Unit::raised(Fraction power) const {
  Unit result;
  if (power.is_zero()) return result;
  for (std::size_t i = 0; i < bases; ++i) result.powers_[i] = powers_[i] * power;
  for (const auto& [which, each] : unknowns_) result.unknowns_.push_back({which, each * power});
  return result;
}

Unit operator*(const Unit& a, const Unit& b) {
  Unit result = a;
  for (std::size_t i = 0; i < Unit::bases; ++i) result.powers_[i] = a.powers_[i] + b.powers_[i];
  for (const auto& [which, power] : b.unknowns_) {
    const auto at = std::ranges::lower_bound(result.unknowns_, which, {}, &std::pair<int, Fraction>::first);
    if (at == result.unknowns_.end() || at->first != which) {
      result.unknowns_.insert(at, {which, power});
    } else {
      at->second = at->second + power;
      if (at->second.is_zero()) result.unknowns_.erase(at);
    }
  }
  return result;
}

bool Unit::is_one() const { return *this == Unit(); }

bool Unit::is_of_time() const {
  Unit others = *this;
  others.powers_[2] = {};
  return others.is_one() && !is_one();
}

std::string Unit::text() const {
  std::string over;
  std::string under;
  int divisors = 0;
  for (std::size_t i = 0; i < bases; ++i) {
    if (powers_[i].over > 0) over += (over.empty() ? "" : " ") + power_text(names[i], powers_[i]);
    if (powers_[i].over >= 0) continue;
    under += (under.empty() ? "" : " ") + power_text(names[i], powers_[i] * Fraction{-1, 1});
    ++divisors;
  }
  if (over.empty()) over = "1";
  if (under.empty()) return over;
  return over + "/" + (divisors > 1 ? "(" + under + ")" : under);
}

Unit Units::fresh(std::string name) {
  names_.push_back(std::move(name));
  found_.push_back(std::nullopt);
  return Unit::unknown(static_cast<int>(names_.size()) - 1);
}

Unit Units::resolve(const Unit& unit) const {
  Unit result = unit;
  for (;;) {
    const auto known = std::ranges::find_if(
        result.unknowns(), [&](const auto& each) { return found_[static_cast<std::size_t>(each.first)].has_value(); });
    if (known == result.unknowns().end()) return result;
    const auto [which, power] = *known;
    result = result / Unit::unknown(which).raised(power) * found_[static_cast<std::size_t>(which)]->raised(power);
  }
}

bool Units::unify(const Unit& a, const Unit& b) {
  const Unit ratio = resolve(a / b);
  if (ratio.is_known()) return ratio.is_one();
  const auto [which, power] = ratio.unknowns().back();  // the youngest
  const Unit rest = ratio / Unit::unknown(which).raised(power);
  found_[static_cast<std::size_t>(which)] = rest.raised(Fraction{-1, 1} * Fraction{power.under, power.over});
  return true;
}

std::string Units::said(const Unit& unit) const {
  return resolve(unit).is_one() ? "without a unit" : "in " + text(unit);
}

std::string Units::text(const Unit& unit) const {
  const Unit resolved = resolve(unit);
  if (resolved.is_known()) return resolved.text();
  std::string unknown;
  for (const auto& [which, power] : resolved.unknowns()) {
    const std::string& name = names_[static_cast<std::size_t>(which)];
    unknown += (unknown.empty() ? "" : " ") +
               power_text(name.empty() ? "?" : ("(unit of " + shortened(name) + ")").c_str(), power);
  }
  const std::string known = resolved.text();
  return known == "1" ? unknown : unknown + " " + known;
}

}  // namespace kalaba::formula
