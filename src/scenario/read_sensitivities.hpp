#pragma once

#include <memory>

#include "kalaba/options.hpp"
#include "kalaba/starts.hpp"
#include "kalaba/system.hpp"
#include "scenario/document/document.hpp"
#include "scenario/read_members.hpp"

namespace kalaba {

/// The system with the columns that [sensitivities] asks for; itself where there is no such table.
std::shared_ptr<const System> read_sensitivities(Document& document, std::shared_ptr<const System> system);

/// Its fields are wanted, too, where none was named.
void add_sensitivity_fields(const SystemInfo& system, FieldSet& fields);

/// Refuses what cannot be differentiated yet.
void check_sensitive_options(Document& document, const SystemInfo& system, const Options& options);
/// Refuses members whose starts or parameters cannot be differentiated yet.
void check_sensitive_members(Document& document, const SystemInfo& system, const Members& members, StartRule rule);

}  // namespace kalaba
