#pragma once

#include <memory>

#include "kalaba/options.hpp"
#include "kalaba/starts.hpp"
#include "kalaba/system.hpp"
#include "scenario/document/document.hpp"
#include "scenario/read_members.hpp"

namespace kalaba {

/// Returns the system with the columns that [sensitivities] lists; the system itself without such a table.
std::shared_ptr<const System> read_sensitivities(Document& document, std::shared_ptr<const System> system);

/// Adds the sensitivity fields to `fields` if none of them is named.
void add_sensitivity_fields(const SystemInfo& system, FieldSet& fields);

/// Throws Error for options that sensitivities do not support.
void check_sensitive_options(Document& document, const SystemInfo& system, const Options& options);
/// Throws Error for members whose starts or parameters sensitivities do not support.
void check_sensitive_members(Document& document, const SystemInfo& system, const Members& members, StartRule rule);

}  // namespace kalaba
