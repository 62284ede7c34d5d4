// What a format holds comes back; what it does not is told.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "mosim/trace.hpp"
#include "support/command.hpp"

namespace mosim {
namespace {

std::string written(const Trace& trace, const std::string& format) {
  std::string text;
  write_trace(trace, format, [&](std::string_view piece) { text += piece; });
  return text;
}

using Lines = std::vector<std::string>;

// A job that has everything, and one that has nothing beyond the paper's <a, g, d>.
Trace two_jobs() {
  TraceJob full;
  full.id = "a,1";
  full.submit_s = 10.5;
  full.duration_s = 100;
  full.start_s = 12;
  full.iterations = 7;
  full.deadline_s = 500;
  full.estimate_s = 150;
  full.priority = -1.5;
  full.model = "bert";
  full.user = "ann";
  full.virtual_cluster = "vc \"x\"";
  full.gpu_type = "V100";
  full.status = JobStatus::timed_out;
  full.workers = 2;
  full.gpus_per_worker = 4;
  full.gpu_share = 0.46;
  full.cpus_per_worker = 8;
  full.memory_mb_per_worker = 1000;
  full.batch_size = 64;
  TraceJob plain;
  plain.id = "b";
  plain.submit_s = 60;
  plain.duration_s = 30.25;
  plain.workers = 3;
  // 2017-10-09 07:01:55
  return {.file = "t", .format = "x", .jobs = {full, plain}, .epoch_s = 1507532515};
}

TEST(WriteTrace, MosimHoldsEverything) {
  const Trace trace = two_jobs();
  EXPECT_EQ(written(trace, "mosim"),
            "job_id,model,arrival_time,duration,gpu_workers,num_iteration,gpu_per_worker,gpu_share,"
            "gpu_type,cpu_per_gpu_worker,memory_mb_per_worker,batch_size,start_time,deadline,"
            "estimate_s,priority,status,user,virtual_cluster,time_zero\n"
            "\"a,1\",bert,10.5,100,2,7,4,0.46,V100,8,1000,64,12,500,150,-1.5,timed-out,ann,\"vc "
            "\"\"x\"\"\","
            "2017-10-09 07:01:55\n"
            "b,,60,30.25,3,,1,1,,0,0,0,,,,,unknown,,,2017-10-09 07:01:55\n");
  EXPECT_EQ(losses_of(trace, "mosim"), Lines{});
}

TEST(WriteTrace, MosimHasOnlyTheColumnsThatJobsNeed) {
  Trace trace = two_jobs();
  trace.jobs.erase(trace.jobs.begin());
  trace.epoch_s.reset();
  EXPECT_EQ(written(trace, "mosim"),
            "job_id,model,arrival_time,duration,gpu_workers\nb,,60,30.25,3\n");
}

TEST(WriteTrace, PhillyCsv) {
  // 10.5 s is rounded to 11 s.
  EXPECT_EQ(written(two_jobs(), "philly-csv"),
            "timestamp,duration,num_gpus,gpu_time,cluster\n"
            "2017-10-09 07:02:06,100,8,800,\"vc \"\"x\"\"\"\n"
            "2017-10-09 07:02:55,30.25,3,90.75,\n");
  EXPECT_EQ(losses_of(two_jobs(), "philly-csv"),
            (Lines{"ids of 2 jobs (changed)", "submission times of 1 job (changed)",
                   "start times of 1 job", "deadlines of 1 job", "estimates of 1 job",
                   "priorities of 1 job", "iterations of 1 job", "models of 1 job",
                   "users of 1 job", "GPU types of 1 job", "statuses of 1 job",
                   "workers of several GPUs of 1 job", "GPU shares of 1 job", "CPU cores of 1 job",
                   "memory sizes of 1 job", "batch sizes of 1 job"}));
}

TEST(WriteTrace, Philly) {
  Trace trace = two_jobs();
  trace.jobs[0].workers = 3;
  EXPECT_EQ(written(trace, "philly"),
            "[\n"
            R"({"status":"Failed","vc":"vc \"x\"","jobid":"a,1","attempts":[{)"
            R"("start_time":"2017-10-09 07:02:07","end_time":"2017-10-09 07:03:47","detail":[)"
            R"({"ip":"m0","gpus":["gpu0","gpu1","gpu2","gpu3","gpu4","gpu5","gpu6","gpu7"]},)"
            R"({"ip":"m1","gpus":["gpu0","gpu1","gpu2","gpu3"]}]}],)"
            R"("submitted_time":"2017-10-09 07:02:06","user":"ann"})"
            ",\n"
            R"({"status":"Pass","vc":"","jobid":"b","attempts":[{)"
            R"("start_time":"2017-10-09 07:02:55","end_time":"2017-10-09 07:03:25","detail":[)"
            R"({"ip":"m0","gpus":["gpu0","gpu1","gpu2"]}]}],)"
            R"("submitted_time":"2017-10-09 07:02:55","user":""})"
            "\n]\n");
}

TEST(WriteTrace, HeliosAndAcme) {
  EXPECT_EQ(written(two_jobs(), "helios"),
            "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,"
            "duration,queue\n"
            "\"a,1\",ann,\"vc \"\"x\"\"\",8,16,1,TIMEOUT,2017-10-09 07:02:06,2017-10-09 07:02:07,"
            "2017-10-09 07:03:47,100,1\n"
            "b,,,3,0,1,COMPLETED,2017-10-09 07:02:55,2017-10-09 07:02:55,2017-10-09 07:03:25,30,"
            "0\n");
  EXPECT_EQ(written(two_jobs(), "acme"),
            "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,"
            "duration,queue,gpu_time\n"
            "\"a,1\",ann,1,8,16,Other,TIMEOUT,2017-10-09 07:02:06,2017-10-09 07:02:07,"
            "2017-10-09 07:03:47,100,1,800\n"
            "b,,1,3,0,Other,COMPLETED,2017-10-09 07:02:55,2017-10-09 07:02:55,"
            "2017-10-09 07:03:25,30,0,90\n");
  EXPECT_EQ(
      losses_of(two_jobs(), "helios"),
      (Lines{"submission times of 1 job (changed)", "durations of 1 job (changed)",
             "start times of 1 job (made up)", "deadlines of 1 job", "estimates of 1 job",
             "priorities of 1 job", "iterations of 1 job", "models of 1 job", "GPU types of 1 job",
             "statuses of 1 job (made up)", "workers of several GPUs of 1 job",
             "GPU shares of 1 job", "memory sizes of 1 job", "batch sizes of 1 job"}));
}

TEST(WriteTrace, FormatsOfSimulators) {
  EXPECT_EQ(written(two_jobs(), "elasticflow"),
            "job_id,submission_time,num_iteration,model_name,deadline,batch_size,num_gpu,duration\n"
            "\"a,1\",11,7,bert,500,64,8,100\nb,60,,,,,3,30\n");
  EXPECT_EQ(written(two_jobs(), "tiresias"),
            "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n"
            "\"a,1\",8,11,7,bert,100,0\nb,3,60,,,30,49\n");
  EXPECT_EQ(written(two_jobs(), "pollux"),
            "name,time,application,num_replicas,batch_size\n\"a,1\",11,bert,8,64\n");
  EXPECT_EQ(losses_of(two_jobs(), "pollux").front(), "1 job: they name no model");
  // 2 x 1000 MB are 1907.3 MiB.
  EXPECT_EQ(written(two_jobs(), "openb"),
            "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
            "deletion_time,scheduled_time\n"
            "\"a,1\",16000,1907,8,460,V100,LS,Failed,11,112,12\n"
            "b,0,0,3,1000,,LS,Succeeded,60,90,60\n");
}

TEST(WriteTrace, ElasticflowHasItsRawColumnsWhereThereIsNoMore) {
  Trace trace = two_jobs();
  trace.jobs.erase(trace.jobs.begin());
  EXPECT_EQ(written(trace, "elasticflow"), "job_id,submission_time,duration,num_gpu\nb,60,30,3\n");
}

TEST(WriteTrace, JobsThatCannotBeWrittenAreLeftOutAndTold) {
  Trace trace = two_jobs();
  trace.jobs[0].duration_known = false;
  EXPECT_EQ(losses_of(trace, "tiresias").front(), "1 job: their durations are not known");
  EXPECT_EQ(write_trace(trace, "tiresias", [](std::string_view) {}), 1U);
  trace.jobs[1].duration_known = false;
  std::string text;
  EXPECT_THROW(write_trace(trace, "tiresias", [&](std::string_view piece) { text += piece; }),
               InputError);
  EXPECT_EQ(text, "");
  EXPECT_THROW((void)losses_of(trace, "generic"), InputError);
}

TEST(WriteTrace, ATraceWithoutACalendarGetsOne) {
  Trace trace = two_jobs();
  trace.epoch_s.reset();
  EXPECT_NE(written(trace, "philly-csv").find("\n1970-01-01 00:00:11,"), std::string::npos);
  EXPECT_EQ(losses_of(trace, "philly-csv").front(),
            "calendar times (made up: time 0 becomes 1970-01-01 00:00:00)");
  EXPECT_EQ(losses_of(two_jobs(), "tiresias").front(), "calendar times of all jobs");
}

TEST(MosimTrace, TimeZeroIsOneForAFile) {
  const test::TemporaryFolder folder;
  const std::string header = "job_id,model,arrival_time,duration,gpu_workers,time_zero\n";
  const auto read = [&](const std::string& rows) {
    return read_trace({.file = folder.write("t.csv", header + rows), .format = "mosim"});
  };
  EXPECT_EQ(read("a,,5,1,1,2017-10-09 07:01:55.25\nb,,6,1,1,\n").epoch_s, 1507532515.25);
  EXPECT_EQ(read("a,,5,1,1,\n").epoch_s, std::nullopt);
  EXPECT_THROW(read("a,,5,1,1,2017-10-09 07:01:55\nb,,6,1,1,2017-10-09 07:01:56\n"), InputError);
  EXPECT_THROW(read("a,,5,1,1,soon\n"), InputError);
}

TEST(MosimTrace, OptionalColumnsAreChecked) {
  const test::TemporaryFolder folder;
  const auto refused = [&](const std::string& column, const std::string& value) {
    const std::string text =
        "job_id,model,arrival_time,duration,gpu_workers," + column + "\na,,0,1,1," + value + "\n";
    EXPECT_THROW((void)read_trace({.file = folder.write("t.csv", text), .format = "mosim"}),
                 InputError)
        << column;
  };
  refused("status", "complete");
  refused("gpu_share", "0");
  refused("gpu_share", "1.5");
  refused("batch_size", "1.5");
  refused("memory_mb_per_worker", "-1");
  refused("start_time", "now");
  refused("deadline", "1e300");
  refused("estimate_s", "-1");
  refused("priority", "high");
}

TEST(MosimTrace, ABlankDurationIsNotKnown) {
  const test::TemporaryFolder folder;
  const std::string file =
      folder.write("t.csv", "job_id,model,arrival_time,duration,gpu_workers\na,bert,0,,1\n");
  const Trace trace = read_trace({.file = file});
  EXPECT_FALSE(trace.jobs[0].duration_known);
  EXPECT_EQ(trace.jobs[0].duration_s, 0);
}

}  // namespace
}  // namespace mosim
