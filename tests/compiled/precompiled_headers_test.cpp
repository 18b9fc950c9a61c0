// Precompiled headers save time if there are several models, and have no other effect.

#include "backend/compiled/precompiled_headers.hpp"

#include <gtest/gtest.h>

#include "backend/compiled/model_source.hpp"
#include "backend/compiled/object.hpp"
#include "compiled_help.hpp"

namespace kalaba {
namespace {

constexpr double most_seconds = 120;

class HeadersThatArePrecompiled : public testing::Test {
 protected:
  void SetUp() override {
    const FoundCompiler found = find_compiler();
    if (!found.problem.empty()) GTEST_SKIP() << found.problem;
    compiler_ = found.compiler;
    if (!compiler_.is_gcc) GTEST_SKIP() << "g++ alone takes them";
  }
  void make() const { PrecompiledHeaders(compiler_, folder_.path(), most_seconds).make_where_worth_it(); }
  void make_beside_a_model() const {
    write_file(folder_ / "some.so", {});
    make();
  }
  PrecompiledHeaders found() const { return {compiler_, folder_.path(), most_seconds}; }
  Bytes compiled(const PrecompiledHeaders* headers) const {
    const DeviceCode incline = {"#include \"" KALABA_SOURCE_DIR "/include/kalaba/systems/two_particles_incline.hpp\"\n",
                                "kalaba::TwoParticlesIncline"};
    const CompiledObject object = compile_object(compiler_, model_source(incline, {}).text, most_seconds, headers);
    EXPECT_EQ(object.problem, "");
    return object.bytes;
  }

  TestFolder folder_;
  HostCompiler compiler_;
};

TEST_F(HeadersThatArePrecompiled, AreNotMadeForOneModel) {
  make();
  EXPECT_EQ(folder_.files(), std::set<std::string>{});
  EXPECT_EQ(found().path(), "");
}

TEST_F(HeadersThatArePrecompiled, GiveTheSameObject) {
  make_beside_a_model();
  const PrecompiledHeaders headers = found();
  ASSERT_NE(headers.path(), "");
  EXPECT_EQ(folder_.files().size(), 2U) << "nothing half written is left";
  const Bytes by_text = compiled(nullptr);
  EXPECT_FALSE(by_text.empty());
  EXPECT_TRUE(compiled(&headers) == by_text);
  EXPECT_TRUE(std::filesystem::exists(headers.path()));
}

TEST_F(HeadersThatArePrecompiled, MayBeDamaged) {
  make_beside_a_model();
  const PrecompiledHeaders headers = found();
  ASSERT_NE(headers.path(), "");
  std::filesystem::resize_file(headers.path(), 1 << 20);
  EXPECT_TRUE(compiled(&headers) == compiled(nullptr));
  EXPECT_EQ(found().path(), "") << "they would fail again";
}

TEST_F(HeadersThatArePrecompiled, AreOfOneCompilerAndItsFlags) {
  make_beside_a_model();
  compiler_.flags.emplace_back("-DOTHER");
  EXPECT_EQ(found().path(), "");
}

TEST_F(HeadersThatArePrecompiled, AreNotTakenFromWhereOthersMayWrite) {
  make_beside_a_model();
  std::filesystem::permissions(found().path(), std::filesystem::perms::others_write,
                               std::filesystem::perm_options::add);
  EXPECT_EQ(found().path(), "");
}

}  // namespace
}  // namespace kalaba
