#include <gtest/gtest.h>

#include "support/traces.hpp"

namespace mosim {
namespace {

// The published tables have no header row.
struct Tables {
  std::string jobs;       // job_name,inst_id,user,status,start_time,end_time
  std::string tasks;      // job_name,task_name,inst_num,status,start_time,end_time,
                          // plan_cpu,plan_mem,plan_gpu,gpu_type
  std::string instances;  // job_name,task_name,inst_name,worker_name,inst_id,status,
                          // start_time,end_time,machine
};

Trace read(const Tables& tables, TraceOptions options = {}) {
  const test::TemporaryFolder folder;
  (void)folder.write("pai_job_table.csv", tables.jobs);
  (void)folder.write("pai_task_table.csv", tables.tasks);
  if (!tables.instances.empty()) (void)folder.write("pai_instance_table.csv", tables.instances);
  options.file = folder.path("");
  return read_trace(options);
}

// One job that runs from 20 to 80, with these tasks.
TraceJob job_with(const std::string& tasks) {
  return read({"j,i,ann,Terminated,10.0,80.0\n", tasks, ""}).jobs.at(0);
}

TEST(Pai2020, TheSampleRowsAreOfThreeJobs) {
  const std::string folder = test::shared_path("traces/alibaba-pai-2020");
  MOSIM_NEEDS(folder);
  for (const char* below : {"", "/pai_job_table.sample.csv", "/pai_task_table.sample.csv",
                            "/pai_instance_table.sample.csv"}) {
    const Trace trace = read_trace({.file = folder + below});
    EXPECT_EQ(trace.format, "pai-2020") << below;
    EXPECT_EQ(trace.account.jobs_read, 3U);
    // Only the row of the task table tells what its job asked for:
    // 4f057009a5d481acec67b088,tensorflow,1.0,Terminated,1739162.0,1739200.0,600.0,29.296875,50.0,
    // MISC
    EXPECT_EQ(test::dropped(trace, Finding::zero_gpus), 2U);
    ASSERT_EQ(trace.jobs.size(), 1U);
    const TraceJob& job = trace.jobs[0];
    EXPECT_EQ(job.id, "4f057009a5d481acec67b088");
    EXPECT_EQ(job.submit_s, 1739162);
    EXPECT_EQ(job.duration_s, 38);
    EXPECT_EQ(job.status, JobStatus::completed);
    EXPECT_EQ(job.gpus(), 1U);
    EXPECT_EQ(job.gpu_share, 0.5);
    EXPECT_EQ(job.cpus_per_worker, 6U);
    EXPECT_EQ(job.memory_mb_per_worker, 31457U);  // 29.296875 GiB = 30000 MiB
    EXPECT_EQ(job.gpu_type, "MISC");
  }
}

TEST(Pai2020, TablesAreJoinedByTheNameOfTheJob) {
  const Tables tables{"b,i2,bob,Failed,300.0,420.0\na,i1,ann,Terminated,100.0,250.0\n\n\n",
                      "a,worker,2.0,Terminated,110.0,240.0,400.0,10.0,200.0,V100\n"
                      "b,tensorflow,1.0,Failed,310.0,410.0,600.0,29.296875,100.0,T4\n\n",
                      "a,worker,n1,w1,i1,Terminated,125.0,230.0,m1\n"
                      "b,tensorflow,n3,w3,i2,Failed,315.0,415.0,m3\n"
                      "a,worker,n2,w2,i1,Terminated,120.0,245.0,m2\n"};
  const Trace trace = read(tables);
  ASSERT_EQ(trace.jobs.size(), 2U);
  const TraceJob& a = trace.jobs[0];
  EXPECT_EQ(a.id, "a");
  EXPECT_EQ(a.user, "ann");
  EXPECT_EQ(a.position.line, 2U);
  EXPECT_EQ(a.submit_s, 100);
  EXPECT_EQ(a.start_s, 120);         // of its first instance, not of its task
  EXPECT_EQ(a.duration_s, 130);      // to the end of the job
  EXPECT_EQ(a.workers, 2U);          // inst_num
  EXPECT_EQ(a.gpus_per_worker, 2U);  // plan_gpu 200
  EXPECT_EQ(a.gpu_share, 1);
  EXPECT_EQ(a.cpus_per_worker, 4U);
  EXPECT_EQ(a.gpu_type, "V100");
  EXPECT_EQ(a.model, "");
  EXPECT_EQ(trace.jobs[1].status, JobStatus::failed);
  EXPECT_EQ(trace.jobs[1].duration_s, 105);
}

TEST(Pai2020, HeaderRowsAreTakenForWhatTheyAre) {
  const Tables tables{
      "job_name,inst_id,user,status,start_time,end_time\na,i,ann,Terminated,100.0,250.0\n",
      "job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type\n"
      "a,worker,1.0,Terminated,110.0,240.0,400.0,10.0,100.0,V100\n",
      ""};
  const Trace trace = read(tables);
  EXPECT_EQ(trace.account.jobs_read, 1U);
  EXPECT_EQ(trace.jobs.at(0).start_s, 110);
}

TEST(Pai2020, TheGpusOfAJobAreThoseOfAllTasksThatRunTogether) {
  // The example of the trace's README: a server of 6 cores, and two workers with half a GPU each.
  const TraceJob shared =
      job_with("j,ps,1,Terminated,20,80,600,10,,\nj,worker,2,Terminated,20,80,400,10,50,P100\n");
  EXPECT_EQ(shared.workers, 2U);
  EXPECT_EQ(shared.gpus_per_worker, 1U);
  EXPECT_EQ(shared.gpu_share, 0.5);
  EXPECT_EQ(shared.cpus_per_worker, 4U);  // the server's are not the workers'
  EXPECT_EQ(shared.gpu_type, "P100");
  // A chief and workers that ask for the same.
  const TraceJob same = job_with(
      "j,chief,1,Terminated,20,80,400,10,100,V100\nj,worker,3,Terminated,25,80,400,10,100,V100\n");
  EXPECT_EQ(same.workers, 4U);
  EXPECT_EQ(same.gpu_share, 1);
  // A chief with 2 GPUs and two workers with half of one: 4 GPUs, of which 3 are asked for.
  const TraceJob mixed = job_with(
      "j,chief,1,Terminated,20,80,600,10,200,V100\nj,worker,2,Terminated,20,80,500,10,50,V100\n");
  EXPECT_EQ(mixed.workers, 4U);
  EXPECT_EQ(mixed.gpus_per_worker, 1U);
  EXPECT_EQ(mixed.gpu_share, 0.75);
  EXPECT_EQ(mixed.cpus_per_worker, 4U);  // 16 cores for 4 workers
}

TEST(Pai2020, TasksAfterEachOtherShareTheirGpus) {
  const TraceJob job = job_with(
      "j,train,2,Terminated,20,50,400,10,100,V100\nj,evaluator,3,Terminated,50,80,400,10,100,T4\n");
  EXPECT_EQ(job.gpus(), 3U);
  EXPECT_EQ(job.gpu_type, "T4");
  EXPECT_EQ(job.duration_s, 60);
  // One that took no time counts while it is alone, and beside what ran then.
  EXPECT_EQ(job_with("j,worker,2,Terminated,20,20,400,10,100,T4\n").gpus(), 2U);
  EXPECT_EQ(job_with("j,worker,2,Terminated,20,30,400,10,100,T4\n"
                     "j,check,1,Terminated,25,25,400,10,100,T4\n")
                .gpus(),
            3U);
}

TEST(Pai2020, StatusesAndBlankTimes) {
  const Tables tables{
      "end,i,u,Terminated,10,1000\n"
      "run,i,u,Running,20,\n"
      "wait,i,u,Waiting,30,\n"
      "zero,i,u,Failed,40,50\n"    // its task never started: 0 stands for no time
      "open,i,u,Terminated,60,\n"  // no end anywhere
      "lost,i,u,Terminated,,70\n"  // no submission
      "back,i,u,Terminated,90,80\n",
      "end,t,1,Terminated,10,1000,100,1,100,T4\n"
      "run,t,1,Running,25,,100,1,100,T4\n"
      "wait,t,1,Waiting,,,100,1,100,T4\n"
      "zero,t,1,Failed,0.0,0.0,100,1,100,T4\n"
      "open,t,1,Terminated,65,,100,1,100,T4\n"
      "lost,t,1,Terminated,65,70,100,1,100,T4\n"
      "back,t,1,Terminated,95,80,100,1,100,T4\n",
      ""};
  TraceOptions options = test::treating(Finding::unfinished, Treatment::as_ended);
  const Trace trace = read(tables, options);
  ASSERT_EQ(trace.jobs.size(), 2U);
  EXPECT_EQ(trace.jobs[1].id, "run");
  EXPECT_EQ(trace.jobs[1].duration_s, 975);  // until 1000
  EXPECT_EQ(test::found(trace, Finding::unfinished), 1U);
  EXPECT_EQ(test::dropped(trace, Finding::never_started), 2U);
  EXPECT_EQ(test::dropped(trace, Finding::missing_time), 2U);
  EXPECT_EQ(test::dropped(trace, Finding::negative_duration), 1U);
  EXPECT_EQ(trace.account.jobs_read, 7U);
}

TEST(Pai2020, JobsWithoutTasksAskForNothing) {
  const Tables tables{"a,i,u,Terminated,10,30\nb,i,u,Terminated,10,30\n",
                      "b,t,1,Terminated,12,28,100,1,,\n", ""};
  const std::string error = test::input_error([&] { (void)read(tables); });
  EXPECT_NE(error.find("has no jobs left: 2 zero-gpus"), std::string::npos) << error;
  const Trace trace = read(tables, test::treating(Finding::zero_gpus, Treatment::one_gpu));
  ASSERT_EQ(trace.jobs.size(), 2U);
  EXPECT_EQ(trace.jobs[0].gpus(), 1U);
  EXPECT_EQ(trace.jobs[0].duration_s, 20);
  EXPECT_EQ(trace.jobs[1].duration_s, 18);
}

TEST(Pai2020, WrongRowsOfAnyTableHaveTheirPlace) {
  const Tables tables{
      "a,i,u,Terminated,10,30\na,i,u,Terminated,10,30\nb,i,u,Terminated,10,30\n",
      "a,t,1,Terminated,12,28,100,1,100,T4\nb,t,half,Terminated,12,28,100,1,100,T4\n",
      "a,t,n,w,i,Terminated,then,28,m\n"};
  const std::string error = test::input_error([&] { (void)read(tables); });
  EXPECT_NE(error.find("pai_job_table.csv:2:1: job_name 'a' was used on line 1 already"),
            std::string::npos)
      << error;
  EXPECT_NE(error.find("pai_task_table.csv:2:5: inst_num is 'half'"), std::string::npos) << error;
  EXPECT_NE(error.find("pai_instance_table.csv:1:22: start_time is 'then'"), std::string::npos)
      << error;
}

TEST(Pai2020, LenientReadingLeavesOutTheJobsOfBadRows) {
  const Tables tables{
      "a,i,u,Terminated,10,30\nb,i,u,Terminated,10,30\n",
      "a,t,1,Terminated,12,28,100,1,100,T4\nb,t,half,Terminated,12,28,100,1,100,T4\n", ""};
  const Trace trace = read(tables, {.file = "", .lenient = true});
  ASSERT_EQ(trace.jobs.size(), 1U);
  EXPECT_EQ(trace.jobs[0].id, "a");
  EXPECT_EQ(test::dropped(trace, Finding::bad_row), 1U);
  EXPECT_EQ(trace.account.jobs_read, 2U);
}

TEST(Pai2020, TablesThatAreMissingOrThereTwiceAreNamed) {
  const test::TemporaryFolder folder;
  const std::string jobs = folder.write("pai_job_table.csv", "a,i,u,Terminated,10,30\n");
  const auto error = [](const std::string& file) {
    return test::input_error([&] { (void)read_trace({.file = file}); });
  };
  EXPECT_NE(error(jobs).find("has no pai_task_table beside it"), std::string::npos) << error(jobs);
  EXPECT_NE(error(folder.path("")).find("has no pai_task_table beside it"), std::string::npos);
  (void)folder.write("pai_task_table.csv", "a,t,1,Terminated,12,28,100,1,100,T4\n");
  EXPECT_EQ(read_trace({.file = jobs}).jobs.size(), 1U);
  (void)folder.write("pai_task_table.sample.csv", "");
  EXPECT_NE(error(jobs).find("has several files of the pai_task_table"), std::string::npos);
}

TEST(Pai2020, OtherFormatsAreFiles) {
  const test::TemporaryFolder folder;
  const std::string error = test::input_error(
      [&] { (void)read_trace({.file = folder.path(""), .format = "elasticflow"}); });
  EXPECT_NE(error.find("is a directory"), std::string::npos) << error;
}

}  // namespace
}  // namespace mosim
