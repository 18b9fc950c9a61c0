#include <gtest/gtest.h>

#include <span>
#include <string>

#include "scenarios/failure.hpp"

namespace kalaba {
namespace {

/// Text below `system = "pendulum"`, which is line 1, and the message it must come to.
struct FileCase {
  const char* text;
  const char* message;
};

void expect_messages(std::span<const FileCase> cases) {
  const ScratchFolder folder;
  for (const FileCase& c : cases) {
    const std::string file = folder.write("s.toml", std::string("system = \"pendulum\"\n") + c.text);
    const Failure failure = failure_of(folder, file);
    EXPECT_EQ(failure.message, c.message) << c.text;
    EXPECT_EQ(failure.code, ExitCode::bad_input) << c.text;
  }
}

const FileCase unknown_words[] = {
    {"[time]\n\nedn = 3", "s.toml:4: time.edn: unknown key; did you mean time.end?"},
    {"[tiem]\nend = 3", "s.toml:2: tiem: unknown table; did you mean time?"},
    {"[output]\nstatistics = ['mean', 'qantiles']",
     "s.toml:3: output.statistics: unknown statistic \"qantiles\"; did you mean quantiles? (there are mean, std, min, "
     "max, quantiles, histogram, correlation, gradient)"},
    {"[output]\nstatistic = ['mean']", "s.toml:3: output.statistic: unknown key; did you mean output.statistics?"},
    {"members = 5", "s.toml:2: members: unknown key; did you mean ensemble.members?"},
    {"[parameters]\nl = 5", "s.toml:3: parameters.l: unknown key; did you mean parameters.L?"},
    {"[parameters]\nx = 5", "s.toml:3: parameters.x: unknown key; did you mean initial.x?"},
    {"[initial]\np_y = 5", "s.toml:3: initial.p_y: unknown key; did you mean initial.p_x?"},
    {"[structure]\nagents = 5",
     "s.toml:2: structure: unknown table (there are clocks, correlated, ensemble, events, initial, model, output, "
     "parameters, "
     "sensitivities, solver, system, time)"},
    {"[parameters]\nradius = 5", "s.toml:3: parameters.radius: unknown key (there are L, g, m)"},
    {"[parameters]\nL = { unifrom = [1, 2] }", "s.toml:3: parameters.L.unifrom: unknown key; did you mean uniform?"},
    {"[solver]\nbackend = 'gpu'",
     "s.toml:3: solver.backend: expected one of auto, cuda, cpu, reference, found \"gpu\"; did you mean cuda?"},
    {"[solver]\ncompile = 'allways'",
     "s.toml:3: solver.compile: expected one of auto, never, always, found \"allways\"; did you mean always?"},
    {"[solver]\nintegrator = 'rk45'",
     "s.toml:3: solver.integrator: expected one of rk4, dopri5, dop853, taylor, rodas5p, found \"rk45\"; did you mean "
     "rk4?"},
    {"[time]\nsave_every = 'finale'",
     "s.toml:3: time.save_every: expected a whole number from 1 to 1000000000000, or \"final\", found \"finale\"; did "
     "you mean final?"},
    {"[solver]\npseudo_inverse = 'lu'",
     "s.toml:3: solver.pseudo_inverse: expected one of svd, qr, ldlt, cusolver, auto, found \"lu\""},
    {"[solver]\nprecision = 'dobule'",
     "s.toml:3: solver.precision: expected one of double, single, found \"dobule\"; did you mean double?"},
    {"[solver]\nstabilization = 'projektion'",
     "s.toml:3: solver.stabilization: expected projection, none, { baumgarte = [alpha, beta] } or { feedback = kappa "
     "}, found \"projektion\"; did you mean projection?"},
    {"[solver]\nstabilization = { baumgart = [1, 2] }",
     "s.toml:3: solver.stabilization.baumgart: unknown key; did you mean baumgarte?"},
    {"[output]\nfields = ['z', 'q']", "s.toml:3: output.fields: expected each once, found \"z\", which \"q\" contains"},
    {"[output]\nfields = ['lambda_1', 'multipliers_rod']",
     "s.toml:3: output.fields: expected each once, found \"multipliers_rod\", which \"lambda_1\" contains"},
    {"[sensitivities]\nof = ['parameters.L']\n[output]\nfields = ['sensitivity_z_to_parameters.L']",
     "s.toml:5: output.fields: expected fields, found \"sensitivity_z_to_parameters.L\", a component of the field "
     "\"q_sensitivity\", which is saved as a whole"},
    {"[output]\nfields = ['q', 'lamda_1']",
     "s.toml:3: output.fields: unknown field \"lamda_1\"; did you mean lambda_1? (there are q, w, constraint_force, "
     "ideal_force, non_ideal_force, constraint_rate, balance_rate, multipliers, constraints, residual, violation, "
     "rank, sigma_kept, sigma_dropped, energy, and the components of each)"},
    {"[output]\nfields = ['q', 'ranks']",
     "s.toml:3: output.fields: unknown field \"ranks\"; did you mean rank? (there are q, w, constraint_force, "
     "ideal_force, non_ideal_force, constraint_rate, balance_rate, multipliers, constraints, residual, violation, "
     "rank, "
     "sigma_kept, sigma_dropped, energy, and the components of each)"},
    {"[output]\nfields = ['q', 'rank', 'q']", "s.toml:3: output.fields: expected each once, found \"q\" twice"},
    {"[output]\nstatistics = ['mean', 'mean']",
     "s.toml:3: output.statistics: expected each once, found \"mean\" twice"},
};
TEST(FileError, NamesUnknownWords) { expect_messages(unknown_words); }

const FileCase wrong_types[] = {
    {"parameters = 3", "s.toml:2: parameters: expected a table, found 3"},
    {"[[parameters]]\nL = 3", "s.toml:2: parameters: expected a table, found an array"},
    {"[parameters]\nL = true",
     "s.toml:3: parameters.L: expected a number, an expression or a table such as { uniform = [0.5, 2] }, "
     "found true"},
    {"[parameters]\nL = { uniform = 3 }", "s.toml:3: parameters.L.uniform: expected an array of numbers, found 3"},
    {"[parameters]\nL = { values = [1, 'a'] }",
     "s.toml:3: parameters.L.values: item 2: expected a finite number, found \"a\""},
    {"[parameters]\nL = { file = 3 }", "s.toml:3: parameters.L.file: expected text, found 3"},
    {"[initial]\nproject = 1",
     "s.toml:3: initial.project: expected true, false, \"keep_given\", \"keep_varied\" or \"refuse\", found 1"},
    {"[time]\nend = 2024-01-01", "s.toml:3: time.end: expected a number, found a date or time"},
    {"[ensemble]\nmembers = 'ten'",
     "s.toml:3: ensemble.members: expected a whole number from 1 to 1000000000000, found \"ten\""},
    {"[solver]\nbackend = 3", "s.toml:3: solver.backend: expected one of auto, cuda, cpu, reference, found 3"},
    {"[solver]\nstabilization = []",
     "s.toml:3: solver.stabilization: expected projection, none, { baumgarte = [alpha, beta] } or { feedback = kappa "
     "}, found an empty array"},
    {"[output]\nfile = ''", "s.toml:3: output.file: expected text that is not empty, found \"\""},
    {"[output]\nfields = [1]", "s.toml:3: output.fields: item 1: expected text, found 1"},
};
TEST(FileError, NamesWrongTypes) { expect_messages(wrong_types); }

const FileCase wrong_numbers[] = {
    {"[time]\nend = nan", "s.toml:3: time.end: expected a finite number, found nan"},
    {"[time]\nstart = -inf", "s.toml:3: time.start: expected a finite number, found -inf"},
    {"[parameters]\nL = inf", "s.toml:3: parameters.L: expected a finite number, found inf"},
    {"[parameters]\nL = { normal = [0, inf] }",
     "s.toml:3: parameters.L.normal: item 2: expected a finite number, found inf"},
    {"[time]\ndt = 0", "s.toml:3: time.dt: expected a step greater than 0, found 0"},
    {"[time]\ndt = -1e-3", "s.toml:3: time.dt: expected a step greater than 0, found -0.001"},
    {"[time]\nstart = 5", "s.toml:3: time.start: expected an end after the start, found start 5 and end 5"},
    {"[time]\nstart = 1\nend = 0.5", "s.toml:4: time.end: expected an end after the start, found start 1 and end 0.5"},
    {"[time]\nend = 1\ndt = 0.3",
     "s.toml:3: time.end: the time from 0 to 1 is not a whole number of steps of 0.3; "
     "the nearest ends are 0.9 and 1.2"},
    {"[time]\nstart = 2\nend = 2.1\ndt = 0.3",
     "s.toml:4: time.end: the time from 2 to 2.1 is not a whole number of "
     "steps of 0.3; the nearest end is 2.3"},
    {"[time]\nend = 1.0000001\ndt = 0.1",
     "s.toml:3: time.end: the time from 0 to 1.0000001 is not a whole number of "
     "steps of 0.1; the nearest ends are 1 and 1.1"},
    {"[time]\ndt = 1e-11\nsave_every = 2",
     "s.toml:4: time.save_every: 2.5e+11 saved times are too many; at most 100000000 can be held"},
    {"[time]\ndt = 1e-11", "s.toml:3: time.dt: 1e+10 saved times are too many; at most 100000000 can be held"},
    {"[time]\ndt = 1e-12",
     "s.toml:3: time.dt: 5e+12 steps of 1e-12 from 0 to 5 are too many; at most 1000000000000 "
     "can be taken"},
    {"[time]\nstart = -1e308\nend = 1e308",
     "s.toml:4: time.end: inf steps of 0.001 from -1e+308 to 1e+308 are too "
     "many; at most 1000000000000 can be taken"},
    {"[time]\nsave_at = []", "s.toml:3: time.save_at: expected an array of times, found an empty array"},
    {"[time]\nsave_at = [1, 6]", "s.toml:3: time.save_at: expected times from the start, 0, to the end, 5; found 6"},
    {"[time]\nsave_at = [1, 3, 2]", "s.toml:3: time.save_at: expected ascending times; found 2 behind 3"},
    {"[time]\nsave_at = [1, 1.0000000000001]",
     "s.toml:3: time.save_at: expected times further apart than rounding; 1 and 1.0000000000001 both are the step at 1 "
     "s"},
    {"[time]\nsave_every = 5\nsave_at = [1]",
     "s.toml:4: time.save_at: time.save_every determines the saved times too; remove one of the two"},
    {"[solver]\nrelative_tolerance = 1e-6",
     "s.toml:3: solver.relative_tolerance: is for integrator = \"dopri5\" or \"dop853\" or \"taylor\" or \"rodas5p\", "
     "and this run "
     "has \"rk4\""},
    {"[solver]\nintegrator = 'dopri5'\nrelative_tolerance = 1e-15",
     "s.toml:4: solver.relative_tolerance: expected a number from 2.2e-14 (100 epsilon of double precision) to 1, "
     "found "
     "1e-15"},
    {"[solver]\nintegrator = 'dopri5'\nabsolute_tolerance = 0",
     "s.toml:4: solver.absolute_tolerance: expected a number greater than 0, found 0"},
    {"[solver]\nintegrator = 'dopri5'\nlargest_step = -1",
     "s.toml:4: solver.largest_step: expected a number of seconds greater than 0, found -1"},
    {"[solver]\nintegrator = 'dopri5'\nlargest_step = 1e-3\nsmallest_step = 1e-2",
     "s.toml:5: solver.smallest_step: expected at most solver.largest_step, 0.001, found 0.01"},
    {"[solver]\nintegrator = 'dopri5'\nmax_steps = 0",
     "s.toml:4: solver.max_steps: expected a whole number from 1 to 9007199254740992, found 0"},
    {"[solver]\nintegrator = 'dop853'\nprecision = 'single'\nmax_steps = 20000000",
     "s.toml:5: solver.max_steps: expected a whole number from 1 to 16777216, found 20000000"},
    {"[time]\nsave_every = 0", "s.toml:3: time.save_every: expected a whole number from 1 to 1000000000000, found 0"},
    {"[time]\nsave_every = 1.5",
     "s.toml:3: time.save_every: expected a whole number from 1 to 1000000000000, found 1.5"},
    {"[ensemble]\nmembers = 0", "s.toml:3: ensemble.members: expected a whole number from 1 to 1000000000000, found 0"},
    {"[ensemble]\nmembers = -3",
     "s.toml:3: ensemble.members: expected a whole number from 1 to 1000000000000, found -3"},
    {"[ensemble]\nmembers = 1_000_000_000_001",
     "s.toml:3: ensemble.members: expected a whole number from 1 to 1000000000000, found 1000000000001"},
    {"[ensemble]\nmembers = 1e300",
     "s.toml:3: ensemble.members: expected a whole number from 1 to 1000000000000, found 1e+300"},
    {"[ensemble]\nseed = -1",
     "s.toml:3: ensemble.seed: expected a whole number from 0 to 9223372036854775807, found -1"},
    {"[solver]\nrank_tolerance = 0", "s.toml:3: solver.rank_tolerance: expected a number between 0 and 1, found 0"},
    {"[solver]\nrank_tolerance = 1.0", "s.toml:3: solver.rank_tolerance: expected a number between 0 and 1, found 1"},
    {"[solver]\nconsistency_tolerance = -1e-3",
     "s.toml:3: solver.consistency_tolerance: expected a number between 0 and 1, found -0.001"},
    {"[solver]\nthreads = -1", "s.toml:3: solver.threads: expected a whole number from 0 to 4096, found -1"},
    {"[solver]\nblock_members = -1",
     "s.toml:3: solver.block_members: expected a whole number from 0 to 1000000000000, found -1"},
    {"[solver]\nmemory = 0", "s.toml:3: solver.memory: expected a number of bytes of at least 1, found 0"},
    {"[solver]\nstabilization = { feedback = -1 }",
     "s.toml:3: solver.stabilization.feedback: expected a number of at least 0, found -1"},
    {"[solver]\nstabilization = { baumgarte = [1] }",
     "s.toml:3: solver.stabilization.baumgarte: expected [alpha, beta], found an array of 1"},
    {"[solver]\nstabilization = { baumgarte = [1, 1e200] }",
     "s.toml:3: solver.stabilization.baumgarte: expected [alpha, beta] of at least 0 whose 2 alpha and beta^2 are "
     "finite, found [1, 1e+200]"},
    {"[solver]\nstabilization = { baumgarte = [1, 2], feedback = 3 }",
     "s.toml:3: solver.stabilization: expected { baumgarte = [alpha, beta] } or { feedback = kappa }, found 2 keys"},
};
TEST(FileError, NamesWrongNumbers) { expect_messages(wrong_numbers); }

const FileCase wrong_distributions[] = {
    {"[parameters]\nL = { uniform = [2, 1] }",
     "s.toml:3: parameters.L.uniform: expected [low, high] with low <= high, found [2, 1]"},
    {"[parameters]\nL = { uniform = [1, 2, 3] }",
     "s.toml:3: parameters.L.uniform: expected [low, high] with low <= high, found an array of 3"},
    {"[parameters]\nL = { normal = [1, -2] }",
     "s.toml:3: parameters.L.normal: expected [mean, sd] with sd >= 0, found [1, -2]"},
    {"[parameters]\nL = { log_uniform = [0, 2] }",
     "s.toml:3: parameters.L.log_uniform: expected [low, high] with 0 < low <= high, found [0, 2]"},
    {"[parameters]\nL = { values = [] }",
     "s.toml:3: parameters.L.values: expected at least one number, found an empty array"},
    {"[parameters]\nL = { linspace = [1, 2] }",
     "s.toml:3: parameters.L.linspace: expected [first, last, points], found an array of 2"},
    {"[parameters]\nL = { linspace = [1, 2, 2.5] }",
     "s.toml:3: parameters.L.linspace: expected [first, last, points] with a whole number of points from 1 to "
     "1000000000000, found 2.5"},
    {"[parameters]\nL = { linspace = [1, 2, 0] }",
     "s.toml:3: parameters.L.linspace: expected [first, last, points] with a whole number of points from 1 to "
     "1000000000000, found 0"},
    {"[parameters]\nL = {}",
     "s.toml:3: parameters.L: expected one of uniform, normal, log_uniform, discrete, values, linspace, file, found an "
     "empty table"},
    {"[parameters]\nL = { uniform = [1, 2], normal = [1, 2] }",
     "s.toml:3: parameters.L: both uniform and normal are given"},
    {"[parameters]\nL = { uniform = [1, 2], column = 'a' }", "s.toml:3: parameters.L.column: only a file has a column"},
    {"[parameters]\nL = { linspace = [0, 1, 1e7] }\nm = { linspace = [0, 1, 1e7] }",
     "s.toml:3: parameters.L: the grid has more than 1000000000000 members"},
    {"[ensemble]\nmembers = 5\n[parameters]\nL = { values = [1, 2] }",
     "s.toml:3: ensemble.members: expected a whole multiple of the 2 points of the grid (parameters.L is an axis), "
     "found 5 members"},
};
TEST(FileError, NamesWrongDistributions) { expect_messages(wrong_distributions); }

const FileCase broken_files[] = {
    {"[time\nend = 1", "s.toml:2:6: Error while parsing table header: expected ']', saw '\\n'"},
    {"[parameters]\nL = { uniform = [1, 2", "s.toml:3:22: Error while parsing array: encountered end-of-file"},
    {"x = [1, }", "s.toml:2:9: Error while parsing value: could not determine value type"},
    {"[,a]", "s.toml:2:2: Error while parsing key: expected bare key starting character or string delimiter, saw ','"},
    {"[time]\nend = 1\nend = 2",
     "s.toml:4:7: Error while parsing key-value pair: cannot redefine existing integer "
     "'end'"},
    {"# caf\xE9 noir", "s.toml:2:5: Encountered invalid utf-8 sequence"},
};
TEST(FileError, NamesBrokenFiles) { expect_messages(broken_files); }

}  // namespace
}  // namespace kalaba
