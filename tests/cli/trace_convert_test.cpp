#include <gtest/gtest.h>

#include "support/command.hpp"

namespace mosim::test {
namespace {

const std::string kTrace =
    "job_id,model,arrival_time,duration,gpu_workers,status,virtual_cluster,user\n"
    "a,bert,0,50,1,completed,x,ann\n"
    "b,,100,60,2,failed,y,bob\n"
    "c,,200,70,8,cancelled,x,cid\n"
    "d,,300,80,16,completed,z,\n";

class TraceConvert : public ::testing::Test {
 protected:
  // What `mosim trace convert` of kTrace prints with these flags.
  CommandResult convert(const std::string& flags) {
    return run_mosim("trace convert " + folder_.write("in.csv", kTrace) + " " + flags);
  }

  // The ids of the jobs that are left.
  std::string ids(const std::string& flags) {
    const CommandResult result = convert("-o - " + flags);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::string ids;
    for (std::size_t line = result.out.find('\n'); line + 1 < result.out.size();
         line = result.out.find('\n', line + 1)) {
      ids += result.out[line + 1];
    }
    return ids;
  }

  void refused(const std::string& flags, int exit_code, const std::string& message) {
    const CommandResult result = convert(flags);
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
  }

  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_.path("")), {}));
  }

  TemporaryFolder folder_;
};

TEST_F(TraceConvert, TheSameFormatGivesTheSameText) {
  const CommandResult result = convert("-o -");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out,
            "job_id,model,arrival_time,duration,gpu_workers,status,user,virtual_cluster\n"
            "a,bert,0,50,1,completed,ann,x\n"
            "b,,100,60,2,failed,bob,y\n"
            "c,,200,70,8,cancelled,cid,x\n"
            "d,,300,80,16,completed,,z\n");
}

TEST_F(TraceConvert, LossesAndTheCountAreTold) {
  const CommandResult result = convert("-o - --to elasticflow");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out,
            "job_id,submission_time,num_iteration,model_name,deadline,batch_size,num_gpu,duration\n"
            "a,0,,bert,,,1,50\nb,100,,,,,2,60\nc,200,,,,,8,70\nd,300,,,,,16,80\n");
  for (const char* told : {"elasticflow does not hold: users of 3 jobs\n",
                           "elasticflow does not hold: virtual clusters of 4 jobs\n",
                           "elasticflow does not hold: statuses of 4 jobs\n", "wrote 4 jobs of "}) {
    EXPECT_NE(result.err.find(told), std::string::npos) << result.err;
  }
  EXPECT_EQ(convert("-o -").err.find("does not hold"), std::string::npos);
}

TEST_F(TraceConvert, FilesAreCompressedByTheirNames) {
  const std::string plain = convert("-o -").out;
  for (const std::string name : {"out.csv", "out.csv.gz", "out.csv.zst"}) {
    const std::string out = folder_.path(name);
    ASSERT_EQ(convert("-o " + out).exit_code, 0) << name;
    EXPECT_EQ(run_mosim("trace convert " + out + " -o -").out, plain) << name;
  }
  EXPECT_EQ(read_text(folder_.path("out.csv")), plain);
  EXPECT_TRUE(read_text(folder_.path("out.csv.gz")).starts_with("\x1f\x8b"));
  EXPECT_TRUE(read_text(folder_.path("out.csv.zst")).starts_with("\x28\xb5\x2f\xfd"));
  EXPECT_EQ(run_command("gzip -dc " + folder_.path("out.csv.gz")).out, plain);
  EXPECT_EQ(files(), 4U);
}

TEST_F(TraceConvert, StandardInputIsRead) {
  const std::string in = folder_.write("in.csv", kTrace);
  EXPECT_EQ(run_command("cat " + in + " | {mosim} trace convert - -o -").out, convert("-o -").out);
}

TEST_F(TraceConvert, FlagsAreFilters) {
  EXPECT_EQ(ids(""), "abcd");
  EXPECT_EQ(ids("--from 100s"), "bcd");
  EXPECT_EQ(ids("--until 200s"), "ab");
  EXPECT_EQ(ids("--from 100s --until 5min"), "bc");
  EXPECT_EQ(ids("--min-gpus 2"), "bcd");
  EXPECT_EQ(ids("--max-gpus 8"), "abc");
  EXPECT_EQ(ids("--status completed"), "ad");
  EXPECT_EQ(ids("--status failed,cancelled"), "bc");
  EXPECT_EQ(ids("--virtual-cluster x"), "ac");
  EXPECT_EQ(ids("--virtual-cluster y,z"), "bd");
  EXPECT_EQ(ids("--limit 3"), "abc");
  EXPECT_EQ(ids("--min-gpus 2 --limit 2"), "bc");
  EXPECT_EQ(ids("--set trace.on_failed=drop"), "acd");
  EXPECT_EQ(convert("-o - --time-scale 2").out,
            "job_id,model,arrival_time,duration,gpu_workers,status,user,virtual_cluster\n"
            "a,bert,0,100,1,completed,ann,x\n"
            "b,,200,120,2,failed,bob,y\n"
            "c,,400,140,8,cancelled,cid,x\n"
            "d,,600,160,16,completed,,z\n");
  EXPECT_EQ(ids("--load-scale 4 --until 76s"), "a");  // the window is of the trace's own times
  EXPECT_EQ(ids("--sample 1"), "abcd");
}

TEST_F(TraceConvert, AFileThatIsThereIsKept) {
  const std::string out = folder_.write("out.csv", "mine");
  refused("-o " + out, 3, "out.csv:1:1: is there already");
  EXPECT_EQ(read_text(out), "mine");
  // A trace that cannot be read replaces nothing either.
  const CommandResult bad = run_mosim("trace convert " + folder_.write("bad.csv", "gpu_workers\n") +
                                      " --force -o " + out);
  EXPECT_EQ(bad.exit_code, 3) << bad.err;
  EXPECT_EQ(read_text(out), "mine");
  EXPECT_EQ(convert("--force -o " + out).exit_code, 0);
  EXPECT_EQ(read_text(out), convert("-o -").out);
  EXPECT_EQ(files(), 3U);
}

// A file may be converted into itself.
TEST_F(TraceConvert, InputAndOutputMayBeOne) {
  const std::string file = folder_.write("self.csv", kTrace);
  EXPECT_EQ(run_mosim("trace convert " + file + " --limit 1 --force -o " + file).exit_code, 0);
  EXPECT_EQ(read_text(file),
            "job_id,model,arrival_time,duration,gpu_workers,status,user,virtual_cluster\n"
            "a,bert,0,50,1,completed,ann,x\n");
}

TEST_F(TraceConvert, BadRequestsLeaveNothing) {
  refused("-o " + folder_.path("none/out.csv"), 3, "is no folder");
  refused("-o " + folder_.path(""), 3, "is a directory");
  refused("-o " + folder_.path("out.csv") + " --to ilios", 3, "--to:1:1: format 'ilios' cannot be");
  refused("-o " + folder_.path("out.csv") + " --to helos", 3, "nearest: 'helios'");
  refused("-o " + folder_.path("out.csv") + " --to generic", 3, "cannot be written");
  refused("-o " + folder_.path("out.csv") + " --to pollux --min-gpus 2", 3,
          "has no job that format 'pollux' can hold");
  refused("-o " + folder_.path("out.csv") + " --from never", 3, "trace.from");
  refused("-o " + folder_.path("out.csv") + " --status done", 3, "'done'");
  refused("", 2, "--output");
  EXPECT_EQ(run_mosim("trace convert -o -").exit_code, 2);
  EXPECT_EQ(run_mosim("trace").exit_code, 2);
  EXPECT_EQ(files(), 1U);
}

TEST_F(TraceConvert, AFullDiskLeavesNothing) {
  refused("-o /dev/full", 1, "/dev/full: cannot be written (No space left on device)");
  const std::string in = folder_.write("in.csv", kTrace);
  EXPECT_EQ(run_command("{mosim} trace convert " + in + " -o - > /dev/full").exit_code, 1);
  // A limit on the size of files acts as a disk that fills up.
  std::string rows = "job_id,model,arrival_time,duration,gpu_workers\n";
  for (int job = 0; job < 20000; ++job) rows += std::to_string(job) + ",,0,1,1\n";
  const std::string large = folder_.write("large.csv", rows);
  const CommandResult result = run_command("trap '' XFSZ; ulimit -f 16; {mosim} trace convert " +
                                           large + " -o " + folder_.path("out.csv"));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("out.csv: cannot be written (File too large)"), std::string::npos)
      << result.err;
  EXPECT_EQ(files(), 2U);
}

}  // namespace
}  // namespace mosim::test
