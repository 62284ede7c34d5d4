#include "mosim/profile.hpp"

#include <gtest/gtest.h>

#include "support/command.hpp"

namespace mosim {
namespace {

TEST(ArtifactProfile, DemandIsVolumeOverNetworkingTime) {
  const std::string dir = test::shared_path("mosim-artifact/data/single_job_simulation");
  MOSIM_NEEDS(dir);
  const ProfileTable table = read_artifact_profile(
      dir + "/itertime_simulated-ar-v100-8gpu-ar-loading-time.csv",
      dir + "/network_chakra_ar_v100_8gpu_network_summary.csv", read_pool("default"));
  // BERT on 4 GPUs: 1439586428 B/s in all, so D = 2 x 1439586428 / 4, and v = D x 0.912881349 s is
  // 2 x 3/4 x 438.0572 MB = 657.0858 MB.
  const auto bert = table.find("bert", 4);
  ASSERT_TRUE(bert.has_value());
  EXPECT_DOUBLE_EQ(bert->demand(), 719793214);
  EXPECT_NEAR(bert->volume, 657.0858e6, 100);
  // On 2 GPUs c, not 2c: v = 438.0572 MB.
  EXPECT_NEAR(table.find("bert", 2)->volume, 438.0572e6, 100);
  EXPECT_EQ(table.find("bert", 1)->volume, 0);
  EXPECT_EQ(table.find("bert", 1)->loading_s, 53.20520544);
  EXPECT_FALSE(table.find("bert", 3).has_value());
}

TEST(ProfileTable, UnitsStandInTheColumnNames) {
  const test::TemporaryFolder folder;
  const ModelPool pool = read_pool("default");
  const std::string csv = folder.write("p.csv",
                                       "gpus,model,loading_s,volume_MiB,network_ms,compute_ms\n"
                                       "2,workload_02,3,2,250,1500\n");
  const std::string yaml = folder.write(
      "p.yaml",
      "profiles:\n  - {model: bert, gpus: 2, compute_s: 1.5, network_s: 0.25, volume_B: 2097152,"
      " loading_s: 3}\n");
  for (const std::string& file : {csv, yaml}) {
    const auto profile = read_profile_table(file, pool).find("bert", 2);
    ASSERT_TRUE(profile.has_value()) << file;
    EXPECT_DOUBLE_EQ(profile->compute_s, 1.5);
    EXPECT_DOUBLE_EQ(profile->network_s, 0.25);
    EXPECT_DOUBLE_EQ(profile->volume, 2097152);
    EXPECT_DOUBLE_EQ(profile->loading_s, 3);
  }
}

TEST(ProfileTable, MistakesAreRefused) {
  const test::TemporaryFolder folder;
  const ModelPool pool = read_pool("default");
  for (const char* content :
       {"model,gpus,compute_s,network_s\nbert,2,1,1\n",                  // no volume
        "model,gpus,compute_s,network_s,volume_parsec\nbert,2,1,1,1\n",  // no such unit
        "model,gpus,compute_s,network_s,volume_B\nbert,2,0,0,1\n",       // takes no time
        "model,gpus,compute_s,network_s,volume_B\nbert,2,1,1,1\nworkload_02,2,1,1,1\n"}) {  // twice
    EXPECT_THROW((void)read_profile_table(folder.write("p.csv", content), pool), InputError)
        << content;
  }
}

Trace one_job(double duration_s, std::optional<double> iterations = {}) {
  Trace trace;
  TraceJob& job = trace.jobs.emplace_back();
  job.model = "m";
  job.duration_s = duration_s;
  job.iterations = iterations;
  return trace;
}

// T_comp 1.5 s, T_net 0.5 s, loading 20 s, d = 100 s.
TEST(Characterize, IterationsFromDurationAndLoading) {
  const ProfileTable table({{{"m", 1}, {1.5, 0.5, 0, 20}}});
  // Included: (100 - 20) / 2. Added: 100 / 2. None: the same, without loading.
  EXPECT_EQ(characterize(one_job(100), table, {})[0].iterations, 40);
  EXPECT_EQ(characterize(one_job(100), table, {LoadingMode::added})[0].iterations, 50);
  const Job none = characterize(one_job(100), table, {LoadingMode::none})[0];
  EXPECT_EQ(none.iterations, 50);
  EXPECT_EQ(none.profile.loading_s, 0);
  // The trace's iterations count unless the duration is asked for.
  EXPECT_EQ(characterize(one_job(100, 7), table, {})[0].iterations, 7);
  const CharacterizeOptions duration{LoadingMode::added, IterationsFrom::duration};
  EXPECT_EQ(characterize(one_job(100, 7), table, duration)[0].iterations, 50);
  // Shorter than its loading: it loads for its 5 s and runs no iteration.
  const Job brief = characterize(one_job(5), table, {})[0];
  EXPECT_EQ(brief.profile.loading_s, 5);
  EXPECT_EQ(brief.iterations, 0);
}

// A part of a GPU is asked for in thousandths, at least one, where GPUs are shared; its length is
// what the trace measured on the part.
TEST(Characterize, APartOfAGpuIsTakenWhereGpusAreShared) {
  const ProfileTable table({{{"m", 1}, {1, 0, 0, 0}}, {{"m", 2}, {1, 0, 0, 0}}});
  CharacterizeOptions sharing;
  sharing.share_gpus = true;
  Trace trace = one_job(100);
  const auto milli = [&](double share, const CharacterizeOptions& options) {
    trace.jobs[0].gpu_share = share;
    const Job job = characterize(trace, table, options)[0];
    EXPECT_EQ(job.iterations, 100);
    return job.request.gpu_milli;
  };
  EXPECT_EQ(milli(0.4604, sharing), 460U);
  EXPECT_EQ(milli(0.0001, sharing), 1U);
  EXPECT_EQ(milli(1, sharing), 1000U);
  EXPECT_EQ(milli(0.46, {}), 1000U);
  trace.jobs[0].gpus_per_worker = 2;  // parts of several GPUs are whole ones
  EXPECT_EQ(milli(0.46, sharing), 1000U);
}

TEST(Catalogues, ModelsAndGpusLoad) {
  const ModelPool pool = read_pool("default");
  std::size_t in_pool = 0;
  for (const ModelConfig& model : pool.models()) in_pool += model.in_pool ? 1 : 0;
  EXPECT_EQ(in_pool, 12U);  // Table I
  EXPECT_EQ(pool.canonical("workload_16"), "vgg16");
  EXPECT_EQ(pool.canonical("workload_03"), "workload_03");
  ASSERT_NE(find_gpu("V100"), nullptr);
  EXPECT_DOUBLE_EQ(find_gpu("V100")->speed(Precision::fp32).peak, 15.7e12);
  EXPECT_EQ(find_gpu("Abacus"), nullptr);
}

}  // namespace
}  // namespace mosim
