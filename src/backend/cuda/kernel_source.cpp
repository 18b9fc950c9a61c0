#include "backend/cuda/kernel_source.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "backend/device_code.hpp"

namespace kalaba::cuda {
namespace {

/// Returns the exact value of a double as C++ text.
std::string exactly(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%a", value);
  return text;
}

std::string number(int value) { return std::to_string(value); }

/// Prints a Method as the C++ initializer that recreates it. Each overload prints one type; a field of another type
/// does not compile.
struct MethodText {
  std::string text;

  void operator()(double x) { text += exactly(x) + ", "; }
  void operator()(Integrator x) { add("Integrator", static_cast<int>(x)); }
  void operator()(PseudoInverse x) { add("PseudoInverse", static_cast<int>(x)); }
  void operator()(Stabilization::Kind x) { add("Stabilization::Kind", static_cast<int>(x)); }
  void operator()(const Stabilization& x) {
    text += "{";
    visit_fields(x, *this);
    text += "}, ";
  }

 private:
  void add(const std::string& type, int x) { text += type + "(" + number(x) + "), "; }
};

std::string method_text(const Method& method) {
  MethodText fields;
  visit_fields(method, fields);
  return "{" + fields.text + "}";
}

std::string instruction_text(const Instruction& each) {
  return "{Operation(" + number(static_cast<int>(each.operation)) + "), " + number(each.index) + ", " +
         exactly(each.value) + "}";
}

std::string expression_text(const Expression& expression) {
  std::string text = "{" + number(expression.size) + ", {";
  for (int i = 0; i < expression.size; ++i) text += instruction_text(expression.code[i]) + ", ";
  return text + "}}";
}

std::string truth(bool value) { return value ? "true" : "false"; }
template <class Enum>
std::string constant(const std::string& type, Enum value) {
  return type + "(" + number(static_cast<int>(value)) + ")";
}

/// Initializer of a list of texts.
std::string braces(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& each : texts) all += each + ", ";
  return "{" + all + "}";
}
/// Initializer of an array of the first `count` entries.
template <class T, class Text>
std::string braces(const T* entries, int count, const Text& text) {
  std::string all;
  for (int i = 0; i < count; ++i) all += "\n    " + text(entries[i]) + ", ";
  return "{" + all + "}";
}

std::string change_text(const Change& change) {
  return braces(
      {number(change.first), number(change.count), truth(change.moves), truth(change.settles), truth(change.observes)});
}

std::string event_text(const WatchedEvent& event) {
  return braces({constant("Crossing", event.direction), constant("EventAction", event.action),
                 expression_text(event.expression), expression_text(event.margin), change_text(event.change),
                 number(event.contact), truth(event.held)});
}

std::string friction_text(const WatchedFriction& friction) {
  return braces({number(friction.tangent), number(friction.second), number(friction.event), number(friction.sticks),
                 number(friction.slides), braces({number(friction.way[0]), number(friction.way[1])}),
                 number(friction.least), number(friction.slack), number(friction.force),
                 expression_text(friction.coefficient)});
}

std::string contact_text(const WatchedContact& contact) {
  return braces({number(contact.event), number(contact.row), number(contact.mode), number(contact.slack),
                 number(contact.force), number(contact.gap), number(contact.gap_rate),
                 constant("ImpactLaw", contact.law), expression_text(contact.restitution),
                 friction_text(contact.friction)});
}

std::string clock_text(const WatchedClock& clock) {
  return braces({exactly(clock.every), exactly(clock.offset), change_text(clock.change), number(clock.noise_key)});
}

std::string assignment_text(const Assignment& each) {
  return braces({constant("Settable", each.sort), number(each.index), number(each.first), number(each.size),
                 number(each.source)});
}

std::string operand_text(const WatchedOperand& each) {
  return braces({number(each.event), number(each.first), number(each.size)});
}

/// Numbers of the assignments of all changes, and of their instructions.
struct ChangeSizes {
  int assignments = 0;
  int instructions = 0;

  explicit ChangeSizes(const Watch& watch) {
    for (int i = 0; i < watch.count; ++i) add(watch, watch.events[i].change);
    for (int i = 0; i < watch.clock_count; ++i) add(watch, watch.clocks[i].change);
  }

 private:
  void add(const Watch& watch, const Change& change) {
    assignments = std::max(assignments, change.first + change.count);
    for (int i = 0; i < change.count; ++i) {
      const Assignment& each = watch.assignments[change.first + i];
      instructions = std::max(instructions, each.first + each.size);
    }
  }
};

/// Text of what happens to members, as a constant.
std::string watch_text(const Watch& watch) {
  const ChangeSizes sizes(watch);
  return "__device__ constexpr Watch kalaba_watch = " +
         braces({number(watch.count), braces(watch.events, watch.count, event_text), truth(watch.energy),
                 truth(watch.invariants), truth(watch.multipliers), number(watch.contact_count),
                 braces(watch.contacts, watch.contact_count, contact_text), constant("ImpactOrder", watch.impacts),
                 number(watch.clock_count), braces(watch.clocks, watch.clock_count, clock_text),
                 braces(watch.assignments, sizes.assignments, assignment_text),
                 braces(watch.code, sizes.instructions, instruction_text), exactly(watch.time_size),
                 exactly(watch.step), number(watch.first_discrete), truth(watch.events_change),
                 number(watch.operand_count), braces(watch.operands, watch.operand_count, operand_text)}) +
         ";\n";
}

std::string real_of(const Options& options) {
  return options.precision == Precision::single_precision ? "float" : "double";
}

std::string inverse_of(const Options& options) {
  const char* const type = facts_of(options.method.pseudo_inverse).type;
  return type == nullptr ? facts_of(PseudoInverse::svd).type : type;
}

/// Text of the variables of the sensitivity columns; empty if there are none.
std::string sensitivities_text(const SensitivityPlan& plan) {
  if (plan.of.empty()) return "";
  std::string of;
  for (const int each : plan.of) of += number(each) + ", ";
  std::string follows;
  for (const unsigned char each : plan.follows) follows += number(each) + ", ";
  return "__device__ const unsigned char kalaba_follows[] = {" + follows +
         "};\n"
         "KALABA_FN Sensitivities sensitivities() { return {" +
         number(static_cast<int>(plan.of.size())) + ", {" + of + "}, kalaba_follows}; }\n";
}

/// Optional last argument of the kernels' bodies.
std::string columns_of(const Options& options) { return options.sensitivities.of.empty() ? "" : ", sensitivities()"; }

/// Returns the macros that set the sizes of a Watch.
std::string watch_macros(const Watch& watch) {
  const std::string events = "#define KALABA_EVENTS " + number(std::max(watch.count, 1)) +
                             "\n#define KALABA_OPERANDS " + number(watch.operand_count) + "\n";
  return watch.changes() ? "#define KALABA_CHANGING_MEMBERS\n" + events : events;
}

std::string head(const DeviceCode& stated, const Options& options, int workers, const std::string& header,
                 const std::string& inverse, bool watches = false) {
  const DeviceCode model = code_for(stated, options);
  const std::string loop = "LoopOf<Integrator(" + number(static_cast<int>(options.method.integrator)) + ")>::Loop";
  return std::string(workers > 1 ? "#define KALABA_SHARED_MEMBERS\n" : "") +
         (watches ? watch_macros(options.watch) : "") + "#include \"kernels/" + header + "\"\n" + model.text +
         "using namespace kalaba;\n"
         "using Work = MemberWork<" +
         model.type + ", " + real_of(options) + ", " + inverse + ", " + loop + (watches ? ", true" : "") +
         ">;\n"
         "KALABA_FN constexpr Method method() { return " +
         method_text(options.method) + "; }\n" + sensitivities_text(options.sensitivities) +
         "constexpr int workers = " + number(workers) +
         ";\n"
         "extern \"C\" __device__ long kalaba_workspace = sizeof(Work);\n";
}

/// Beginning of a program that detects the events of the options, if there are any.
std::string member_head(const DeviceCode& model, const Options& options, int workers) {
  const bool watches = options.watch.any();
  return head(model, options, workers, "member_kernels.cuh", inverse_of(options), watches) +
         (watches ? watch_text(options.watch) : "");
}

/// Argument of the kernels' bodies for the events.
std::string watch_of(bool watches) { return watches ? "kalaba_watch" : "Unwatched{}"; }

std::string kernel(const std::string& signature, const std::string& body) {
  return "extern \"C\" __global__ void __launch_bounds__(" + number(block_threads) + ") " + signature + " {\n  " +
         body + "\n}\n";
}

}  // namespace

std::vector<std::string> compiler_options(const std::string& architecture) {
  // A product and a sum are contracted only where the code calls fma, so that a member's bits do not depend on other
  // code compiled with it.
  return {"--std=c++20", "--fmad=false", "--device-as-default-execution-space", "--gpu-architecture=" + architecture};
}

int tile_for(const SystemInfo& system) {
  int workers = 4;
  while (workers < 32 && 2 * workers < static_cast<int>(system.constraints.size())) workers *= 2;
  return workers;
}

bool needs_one_thread(const Options& options) {
  const IntegratorFacts& integrator = facts_of(options.method.integrator);
  return !options.sensitivities.of.empty() || options.watch.changes() || integrator.uses_series ||
         integrator.uses_slopes;
}

int first_choice_of_threads(const SystemInfo& system) {
  return system.rates.size() <= 8 && system.constraints.size() <= 6 ? 1 : tile_for(system);
}

std::string motion_source(const DeviceCode& model, const Options& options, int workers) {
  return member_head(model, options, workers) +
         kernel("kalaba_start(Batch batch, Method, double time, int project)",
                "start_members<Work, workers>(batch, method(), " + watch_of(options.watch.changes()) +
                    ", time, project != 0" + columns_of(options) + ");") +
         kernel("kalaba_advance(Batch batch, Method, TimeGrid time, long first_step, long steps)",
                "advance_members<Work, workers>(batch, method(), " + watch_of(options.watch.any()) +
                    ", time, first_step, steps" + columns_of(options) + ");");
}

std::string observation_source(const DeviceCode& model, const Options& options, int workers, FieldSet fields) {
  return head(model, options, workers, "member_kernels.cuh", inverse_of(options)) +
         kernel("kalaba_observe(Batch batch, Method, double time, unsigned, double* out)",
                "observe_members<Work, workers>(batch, method(), time, " + std::to_string(fields.bits()) + "U, out" +
                    columns_of(options) + ");");
}

std::string between_source(const DeviceCode& model, const Options& options, int workers, FieldSet fields) {
  return member_head(model, options, workers) +
         kernel(
             "kalaba_observe_between(Batch batch, Method, TimeGrid time, long step, double t, unsigned, double* out)",
             "observe_members_between<Work, workers>(batch, method(), " + watch_of(options.watch.any()) +
                 ", time, step, t, " + std::to_string(fields.bits()) + "U, out" + columns_of(options) + ");");
}

std::string pipeline_source(const DeviceCode& model, const Options& options, int workers) {
  const std::string real = real_of(options);
  std::string text = head(model, options, workers, "pipeline.cuh", "DeferredSvd") +
                     "using Inverse = decltype(Work::loop.rate.inverse);\n"
                     "extern \"C\" __device__ long kalaba_length = Inverse::length;\n"
                     "extern \"C\" __device__ long kalaba_extent = Inverse::extent;\n" +
                     kernel("kalaba_stage(Batch batch, TimeGrid time, const long* step, SvdExchange<" + real +
                                "> exchange, double* before)",
                            "advance_by_stages<Work, workers>(batch, method(), time, *step, exchange, before);") +
                     kernel("kalaba_set(long* step, long to)", "*step = to;") +
                     kernel("kalaba_tick(long* step)", "*step += 1;");
  if (!projects(options.method)) return text;
  return text + "using Projecting = MemberWork<" + code_for(model, options).type + ", " + real +
         ", JacobiSvd>;\n"
         "extern \"C\" __device__ long kalaba_projection_workspace = sizeof(Projecting);\n" +
         kernel("kalaba_project(Batch batch, TimeGrid time, const long* step, const double* before)",
                "project_members<Projecting, workers>(batch, method(), time, *step, before);");
}

}  // namespace kalaba::cuda
