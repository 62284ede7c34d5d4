#include <gtest/gtest.h>

#include "support/traces.hpp"

namespace mosim {
namespace {

constexpr const char* kHeader =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
    "deletion_time,scheduled_time\n";

// A pod with a GPU that is deleted at the end of the trace, at 1000.
constexpr const char* kLast = "last,1000,1024,1,1000,,LS,Succeeded,900,1000,900\n";

Trace read(const std::string& rows, const TraceOptions& options = {}) {
  return test::read_trace_text(kHeader + rows + kLast, options);
}

TEST(Openb, AllPodsAreAccountedFor) {
  const std::string file =
      test::shared_path("traces/alibaba-openb-2023/openb_pod_list_default.csv");
  MOSIM_NEEDS(file);
  const Trace trace = read_trace({.file = file});
  EXPECT_EQ(trace.format, "openb");
  // The counts, of rows that are looked at in this order, are those of
  //   awk -F, 'NR==1{next} {if($10>m)m=$10; r[NR]=$0} END{for(i in r){split(r[i],f,",");
  //     if(f[11]==""){never++;continue} if(f[8]=="Running"&&f[10]==m){unf++;continue}
  //     if(f[8]=="Failed")failed++; if(f[4]==0){zero++;continue} kept++;
  //     if(f[4]==1&&f[5]<1000)frac++; s+=(f[10]-f[11])*f[4]; if(f[8]=="Failed")kf++;
  //     if(f[8]=="Succeeded")ks++; c+=int((f[2]+999)/1000)}
  //     print never,unf,failed,zero,kept,frac,s,kf,ks,c}'
  // which prints 897 34 1870 1050 6171 2562 87535866 1869 185 60100.
  EXPECT_EQ(trace.account.jobs_read, 8152U);
  EXPECT_EQ(test::dropped(trace, Finding::never_started), 897U);
  EXPECT_EQ(test::dropped(trace, Finding::unfinished), 34U);
  EXPECT_EQ(test::found(trace, Finding::failed), 1870U);
  EXPECT_EQ(test::dropped(trace, Finding::zero_gpus), 1050U);
  EXPECT_EQ(trace.jobs.size(), 6171U);
  EXPECT_EQ(test::found(trace, Finding::fractional_gpus), 2562U);
  EXPECT_EQ(test::found(trace, Finding::missing_time), 0U);
  EXPECT_EQ(test::found(trace, Finding::negative_duration), 0U);
  double gpu_seconds = 0;
  std::uint64_t cpus = 0;
  std::size_t failed = 0;
  std::size_t completed = 0;
  for (const TraceJob& job : trace.jobs) {
    gpu_seconds += job.duration_s * static_cast<double>(job.gpus());
    cpus += job.cpus_per_worker;
    failed += job.status == JobStatus::failed ? 1 : 0;
    completed += job.status == JobStatus::completed ? 1 : 0;
  }
  EXPECT_EQ(gpu_seconds, 87535866);
  EXPECT_EQ(failed, 1869U);
  EXPECT_EQ(completed, 185U);
  EXPECT_EQ(cpus, 60100U);
}

TEST(Openb, PodsThatRunToTheEndOfTheTraceEndWithIt) {
  const std::string file =
      test::shared_path("traces/alibaba-openb-2023/openb_pod_list_default.csv");
  MOSIM_NEEDS(file);
  TraceOptions options = test::treating(Finding::unfinished, Treatment::as_ended);
  options.file = file;
  const Trace trace = read_trace(options);
  // openb-pod-0001,6000,12288,1,460,,LS,Running,427061,12902960,427061
  const TraceJob& job = trace.jobs[1];
  EXPECT_EQ(job.id, "openb-pod-0001");
  EXPECT_EQ(job.duration_s, 12902960 - 427061);
  EXPECT_EQ(job.gpu_share, 0.46);
  EXPECT_EQ(job.cpus_per_worker, 6U);
  EXPECT_EQ(job.memory_mb_per_worker, 12885U);  // 12288 MiB of 1.048576 MB
}

TEST(Openb, ASharedGpuIsAFractionAndSeveralAreOnOneServer) {
  const Trace trace = read(
      "a,3152,5600,1,590,V100M16|V100M32,BE,Failed,5,21,7\n"
      "b,88000,327680,8,1000,P100,Burstable,Succeeded,3,20,4\n");
  ASSERT_EQ(trace.jobs.size(), 3U);
  const TraceJob& b = trace.jobs[0];  // created first
  EXPECT_EQ(b.workers, 1U);
  EXPECT_EQ(b.gpus_per_worker, 8U);
  EXPECT_EQ(b.gpu_share, 1);
  const TraceJob& a = trace.jobs[1];
  EXPECT_EQ(a.gpus(), 1U);
  EXPECT_EQ(a.gpu_share, 0.59);
  EXPECT_EQ(a.gpu_type, "V100M16|V100M32");
  EXPECT_EQ(a.cpus_per_worker, 4U);
  EXPECT_EQ(a.submit_s, 5);
  EXPECT_EQ(a.start_s, 7);
  EXPECT_EQ(a.duration_s, 14);  // from its scheduling
  EXPECT_EQ(a.status, JobStatus::failed);
}

TEST(Openb, PhasesAndBlankTimes) {
  const Trace trace = read(
      "waiting,1000,1,1,1000,,BE,Pending,5,21,\n"
      "deleted,1000,1,1,1000,,LS,Running,5,21,7\n"
      "running,1000,1,1,1000,,LS,Running,5,,7\n"
      "blank,1000,1,1,1000,,LS,Failed,5,,7\n"
      "unborn,1000,1,1,1000,,LS,Failed,,9,7\n"
      "cpu,1000,1,0,0,,LS,Succeeded,5,9,7\n");
  ASSERT_EQ(trace.jobs.size(), 2U);
  EXPECT_EQ(trace.jobs[0].id, "deleted");
  EXPECT_EQ(trace.jobs[0].status, JobStatus::unknown);
  EXPECT_EQ(trace.jobs[0].duration_s, 14);
  EXPECT_EQ(test::dropped(trace, Finding::never_started), 1U);
  EXPECT_EQ(test::dropped(trace, Finding::unfinished), 1U);
  EXPECT_EQ(test::dropped(trace, Finding::missing_time), 2U);
  EXPECT_EQ(test::dropped(trace, Finding::zero_gpus), 1U);
  EXPECT_EQ(trace.account.jobs_read, 7U);
}

TEST(Openb, DeletionBeforeSchedulingOrCreationIsANegativeDuration) {
  const std::string rows =
      "a,1000,1,1,1000,,LS,Failed,50,60,70\n"   // deleted before it was scheduled
      "b,1000,1,1,1000,,LS,Failed,50,40,30\n";  // and before it was created
  EXPECT_EQ(test::dropped(read(rows), Finding::negative_duration), 2U);
  const Trace trace = read(rows, test::treating(Finding::negative_duration, Treatment::zero));
  ASSERT_EQ(trace.jobs.size(), 3U);
  EXPECT_EQ(trace.jobs[0].duration_s, 0);
  EXPECT_EQ(trace.jobs[1].duration_s, 0);
}

TEST(Openb, WrongRowsAreRefusedOrCounted) {
  const std::string rows =
      "a,1000,1,1,0,,LS,Failed,50,60,55\n"
      "b,1000,1,1,1000,,LS,Gone,50,60,55\n";
  const std::string error = test::input_error([&] { (void)read(rows); });
  EXPECT_NE(error.find(":2:12: gpu_milli is '0'"), std::string::npos) << error;
  EXPECT_NE(error.find(":3:21: pod_phase is 'Gone'"), std::string::npos) << error;
  const Trace trace = read(rows, {.file = "", .lenient = true});
  EXPECT_EQ(trace.jobs.size(), 1U);
  EXPECT_EQ(test::dropped(trace, Finding::bad_row), 2U);
  EXPECT_EQ(trace.account.jobs_read, 3U);
}

}  // namespace
}  // namespace mosim
