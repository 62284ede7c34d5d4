// The formats helios and acme.
#include <gtest/gtest.h>

#include "mosim/trace.hpp"
#include "support/command.hpp"

namespace mosim {
namespace {

std::uint64_t found(const Trace& trace, Finding finding) {
  return trace.account.found[static_cast<std::size_t>(finding)];
}

class ClusterLog : public testing::Test {
 protected:
  // The trace of a header and rows; the format is told by the columns.
  Trace read(const std::string& rows, TraceOptions options = {}) {
    options.file = folder_.write("t.csv", header_ + rows);
    return read_trace(options);
  }

  std::string failure(const std::string& rows) {
    try {
      (void)read(rows);
    } catch (const InputError& error) {
      const std::string what = error.what();
      return what.substr(folder_.path("t.csv").size());
    }
    return "";
  }

  test::TemporaryFolder folder_;
  std::string header_;
};

class Helios : public ClusterLog {
 protected:
  Helios() {
    header_ =
        "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,"
        "queue\n";
  }
  // Two real rows.
  const std::string failed_ =
      "1425512,uVMrF,vchbv,4,16,1,FAILED,2020-06-09 18:41:27,2020-06-09 18:41:27,"
      "2020-06-09 18:45:36,249,0\n";
  const std::string cancelled_ =
      "1425513,uzqls,vcpDC,1,1,1,CANCELLED,2020-06-09 18:41:28,2020-06-09 18:41:28,"
      "2020-06-17 14:15:21,675233,0\n";
};

TEST_F(Helios, TheSampleOfTheDataSet) {
  const std::string file = test::shared_path("traces/helios/cluster_log.sample.csv");
  MOSIM_NEEDS(file);
  const Trace trace = read_trace({.file = file});
  EXPECT_EQ(trace.format, "helios");
  ASSERT_EQ(trace.jobs.size(), 3U);
  const TraceJob& second = trace.jobs[1];
  EXPECT_EQ(second.id, "1425512");
  EXPECT_EQ(second.user, "uVMrF");
  EXPECT_EQ(second.virtual_cluster, "vchbv");
  EXPECT_EQ(second.workers, 4U);
  EXPECT_EQ(second.gpus_per_worker, 1U);
  EXPECT_EQ(second.cpus_per_worker, 0U);
  EXPECT_EQ(second.status, JobStatus::failed);
  EXPECT_EQ(second.submit_s, 26);  // after 18:41:01
  EXPECT_EQ(second.start_s, 26);
  EXPECT_EQ(second.duration_s, 249);
  EXPECT_EQ(trace.jobs[0].duration_s, 36848);
  EXPECT_EQ(trace.jobs[0].status, JobStatus::completed);
  EXPECT_EQ(trace.jobs[2].status, JobStatus::cancelled);
}

TEST_F(Helios, StatesAreMapped) {
  const auto row = [](const std::string& id, const std::string& state) {
    return id + ",u,v,1,1,1," + state +
           ",2020-06-09 18:41:00,2020-06-09 18:41:00,2020-06-09 18:42:00,60,0\n";
  };
  const Trace trace = read(row("a", "COMPLETED") + row("b", "CANCELLED") + row("c", "FAILED") +
                           row("d", "TIMEOUT") + row("e", "NODE_FAIL") + row("f", "SUSPENDED"));
  ASSERT_EQ(trace.jobs.size(), 5U);
  EXPECT_EQ(trace.jobs[0].status, JobStatus::completed);
  EXPECT_EQ(trace.jobs[1].status, JobStatus::cancelled);
  EXPECT_EQ(trace.jobs[2].status, JobStatus::failed);
  EXPECT_EQ(trace.jobs[3].status, JobStatus::timed_out);
  EXPECT_EQ(trace.jobs[4].status, JobStatus::node_failed);
  EXPECT_EQ(found(trace, Finding::failed), 3U);
  EXPECT_EQ(found(trace, Finding::unfinished), 1U);  // a suspended job has not ended
  EXPECT_EQ(failure(row("a", "DONE")).substr(0, 28), ":2:13: state is 'DONE'; expe");
}

TEST_F(Helios, CpuJobsAreDroppedAndCounted) {
  const std::string cpu_job =
      "7,u,v,0,8,1,COMPLETED,2020-06-09 18:41:00,2020-06-09 18:41:00,2020-06-09 18:42:00,60,0\n";
  const Trace trace = read(cpu_job + failed_);
  ASSERT_EQ(trace.jobs.size(), 1U);
  EXPECT_EQ(found(trace, Finding::zero_gpus), 1U);
  EXPECT_EQ(trace.jobs[0].submit_s, 27);  // the CPU job was the first of the log
  TraceOptions options;
  options.treatments[static_cast<std::size_t>(Finding::zero_gpus)] = Treatment::one_gpu;
  const Trace kept = read(cpu_job + failed_, options);
  ASSERT_EQ(kept.jobs.size(), 2U);
  EXPECT_EQ(kept.jobs[0].workers, 1U);
}

TEST_F(Helios, JobsThatNeverStartedHaveNoTimes) {
  const Trace trace = read(
      "1,u,v,1,1,1,CANCELLED,2020-06-09 18:41:00,,2020-06-09 18:41:30,,30\n"
      "2,u,v,1,1,1,CANCELLED,2020-06-09 18:41:00,None,None,None,None\n"
      "3,u,v,1,1,1,COMPLETED,2020-06-09 18:41:00,,2020-06-09 18:41:30,0,30\n"
      "4,u,v,1,1,1,COMPLETED,2020-06-09 18:41:00,2020-06-09 18:41:30,,60,30\n"
      "5,u,v,1,1,1,COMPLETED,,2020-06-09 18:41:30,2020-06-09 18:42:00,30,0\n" +
      failed_);
  EXPECT_EQ(trace.jobs.size(), 1U);
  EXPECT_EQ(found(trace, Finding::never_started), 2U);
  EXPECT_EQ(found(trace, Finding::missing_time), 3U);
  EXPECT_EQ(trace.account.jobs_read, 6U);
}

TEST_F(Helios, AnUnfinishedJobMayEndWithTheTrace) {
  TraceOptions options;
  options.treatments[static_cast<std::size_t>(Finding::unfinished)] = Treatment::as_ended;
  const Trace trace =
      read("1,u,v,1,1,1,RUNNING,2020-06-09 18:41:00,2020-06-09 18:44:36,,,0\n" + failed_, options);
  ASSERT_EQ(trace.jobs.size(), 2U);
  EXPECT_EQ(trace.jobs[0].duration_s, 60);  // to 18:45:36, the last time of the log
}

TEST_F(Helios, ADurationThatIsNotEndMinusStartIsRefused) {
  EXPECT_EQ(failure("1,u,v,1,1,1,COMPLETED,2020-06-09 18:41:00,2020-06-09 18:41:30,"
                    "2020-06-09 18:42:00,60,30\n"),
            ":2:83: duration is '60'; expected 30, the seconds from start_time to end_time");
  const std::string backwards =
      "1,u,v,1,1,1,COMPLETED,2020-06-09 18:41:00,2020-06-09 18:41:30,2020-06-09 18:41:20,-10,30\n";
  EXPECT_EQ(found(read(backwards + failed_), Finding::negative_duration), 1U);
}

TEST_F(Helios, BadFieldsAreRefusedWithTheirPlace) {
  EXPECT_EQ(failure("1,u,v,x,1,1,FAILED,2020-06-09 18:41:00,,,,\n"),
            ":2:7: gpu_num is 'x'; expected an integer from 0 to 1000000");
  EXPECT_EQ(failure("1,u,v,1,1,1,FAILED,yesterday,,,,\n"),
            ":2:20: submit_time is 'yesterday'; expected a time such as 2020-06-09 18:41:01, or "
            "nothing");
  EXPECT_EQ(failure(failed_ + failed_),
            ":3:1: job id '1425512' was used on line 2 already; expected each id once");
  TraceOptions lenient;
  lenient.lenient = true;
  EXPECT_EQ(read(failed_ + "1,u,v,1,1,1,FAILED,yesterday,,,,\n" + cancelled_, lenient).jobs.size(),
            2U);
}

class Acme : public ClusterLog {};

TEST_F(Acme, TheSampleOfSeren) {
  const std::string file = test::shared_path("traces/acme/trace_seren.sample.csv");
  MOSIM_NEEDS(file);
  const Trace trace = read_trace({.file = file});
  EXPECT_EQ(trace.format, "acme");
  ASSERT_EQ(trace.jobs.size(), 2U);
  EXPECT_EQ(trace.jobs[0].id, "5778432");
  EXPECT_EQ(trace.jobs[0].workers, 8U);
  EXPECT_EQ(trace.jobs[0].start_s, 32);
  EXPECT_EQ(trace.jobs[0].duration_s, 117);
  EXPECT_EQ(trace.jobs[0].status, JobStatus::failed);
  EXPECT_EQ(trace.jobs[1].submit_s, 336);  // 00:18:22 to 00:23:58
  EXPECT_EQ(trace.jobs[1].duration_s, 2693);
}

TEST_F(Acme, TheSampleOfKalosWhoseDurationHoldsTheQueue) {
  const std::string file = test::shared_path("traces/acme/trace_kalos.sample.csv");
  MOSIM_NEEDS(file);
  const Trace trace = read_trace({.file = file});
  EXPECT_EQ(trace.format, "acme");
  ASSERT_EQ(trace.jobs.size(), 2U);
  EXPECT_EQ(trace.jobs[0].id, "dlctk696s0jbvitv");
  EXPECT_EQ(trace.jobs[0].workers, 64U);
  EXPECT_EQ(trace.jobs[0].memory_mb_per_worker, 0U);
  EXPECT_EQ(trace.jobs[0].duration_s, 8);   // the file says 18
  EXPECT_EQ(trace.jobs[1].duration_s, 70);  // the file says 82
  EXPECT_EQ(trace.jobs[1].status, JobStatus::cancelled);
}

TEST_F(Acme, OffsetsOfTheClockAreFollowed) {
  header_ =
      "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,"
      "queue,gpu_time\n";
  const Trace trace = read(
      "1,u,1,8,128,Other,COMPLETED,2023-03-01 00:00:00+08:00,2023-02-28 16:00:30+00:00,"
      "2023-03-01 00:01:00+08:00,30,30,240.0\n"
      "2,u,1,8,128,Pretrain,CANCELLED,2023-03-01 00:00:10+08:00,,,,,\n");
  ASSERT_EQ(trace.jobs.size(), 1U);
  EXPECT_EQ(trace.jobs[0].start_s, 30);
  EXPECT_EQ(trace.jobs[0].duration_s, 30);
  EXPECT_EQ(found(trace, Finding::never_started), 1U);
}

}  // namespace
}  // namespace mosim
