// Profiles by GPU type.
#include <gtest/gtest.h>

#include "mosim/profile.hpp"
#include "support/command.hpp"

namespace mosim {
namespace {

std::unique_ptr<const ProfileSource> source(double iteration_s, double loading_s = 0) {
  JobProfile profile;
  profile.compute_s = iteration_s;
  profile.loading_s = loading_s;
  return std::make_unique<ProfileTable>(
      std::map<ProfileTable::Key, JobProfile>{{{"bert", 1}, profile}});
}

std::unique_ptr<const ProfileSource> nothing() {
  return std::make_unique<ProfileTable>(std::map<ProfileTable::Key, JobProfile>{});
}

struct Setting {
  ClusterSpec cluster;
  ClusterProfiles profiles;
  Trace trace;
  std::vector<JobHome> homes;
};

// A T4 and a V100 server, and two jobs of 100 s.
Setting setting(std::unique_ptr<const ProfileSource> t4,
                std::unique_ptr<const ProfileSource> v100) {
  Setting made;
  made.cluster.groups = {ServerGroup{.gpu = "T4"}, ServerGroup{.gpu = "V100"}};
  made.profiles.gpu_types = made.cluster.gpu_types();
  made.profiles.by_gpu.push_back(std::move(t4));
  made.profiles.by_gpu.push_back(std::move(v100));
  made.profiles.reference_gpu = made.profiles.gpu_types[0];
  TraceJob job;
  job.model = "bert";
  job.duration_s = 100;
  made.trace.jobs = {job, job};
  made.homes.resize(2);
  return made;
}

std::vector<Job> characterized(const Setting& made) {
  return characterize(made.trace, made.cluster, made.profiles, made.homes, {});
}

TEST(GpuTypeProfiles, IterationsAreThoseOfTheReferenceType) {
  Setting made = setting(source(5), source(2));
  std::vector<Job> jobs = characterized(made);
  EXPECT_EQ(jobs[0].iterations, 20);  // 100 / 5
  EXPECT_EQ(jobs[0].profile_on(GpuTypeId{1}).compute_s, 2);
  EXPECT_EQ(jobs[0].by_gpu, jobs[1].by_gpu);  // shared
  made.profiles.reference_gpu = made.profiles.gpu_types[1];
  EXPECT_EQ(characterized(made)[0].iterations, 50);
  made.profiles.reference_gpu = "H100";
  made.profiles.reference = source(4);
  EXPECT_EQ(characterized(made)[0].iterations, 25);
}

TEST(GpuTypeProfiles, OnlyTypesThatAJobMayRunOnAreNeeded) {
  Setting made = setting(source(5), nothing());
  made.homes = {{{}, GpuTypeId{0}}, {{}, GpuTypeId{0}}};
  EXPECT_EQ(characterized(made).size(), 2U);
  made.homes[1].gpu_type = kAnyGpuType;
  EXPECT_THROW((void)characterized(made), InputError);
}

TEST(GpuTypeProfiles, LoadingIsBoundedByTheDuration) {
  const std::vector<Job> jobs = characterized(setting(source(5, 60), source(2, 300)));
  EXPECT_EQ(jobs[0].iterations, 8);  // (100 - 60) / 5
  EXPECT_EQ(jobs[0].loading_s(jobs[0].profile_on(GpuTypeId{0})), 60);
  EXPECT_EQ(jobs[0].loading_s(jobs[0].profile_on(GpuTypeId{1})), 100);
}

TEST(GpuTypeProfiles, ATableRowForATypeComesBeforeOneForAll) {
  const test::TemporaryFolder folder;
  const ModelPool pool({});
  for (const std::string& file :
       {folder.write("t.csv",
                     "model,gpus,gpu,compute_s,network_s,volume_MB\n"
                     "bert,1,,1,0,0\nbert,1,V100,2,0,0\nbert,2,MISC,3,0,0\n"),
        folder.write("t.yaml",
                     "profiles:\n"
                     "  - {model: bert, gpus: 1, compute_s: 1, network_s: 0, volume_MB: 0}\n"
                     "  - {model: bert, gpus: 1, gpu: V100, compute_s: 2, network_s: 0, "
                     "volume_MB: 0}\n"
                     "  - {model: bert, gpus: 2, gpu: MISC, compute_s: 3, network_s: 0, "
                     "volume_MB: 0}\n")}) {
    const auto compute_s = [&](const std::string& gpu, std::uint32_t gpus) {
      const auto profile = read_profile_table(file, pool, gpu).find("bert", gpus);
      return profile ? profile->compute_s : 0;
    };
    EXPECT_EQ(compute_s("V100-SXM2-16GB", 1), 2) << file;  // of which V100 is an alias
    EXPECT_EQ(compute_s("T4", 1), 1) << file;
    EXPECT_EQ(compute_s("MISC", 2), 3) << file;
    EXPECT_EQ(compute_s("T4", 2), 0) << file;
    EXPECT_EQ(compute_s("", 1), 1) << file;
  }
}

}  // namespace
}  // namespace mosim
