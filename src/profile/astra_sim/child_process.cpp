#include "profile/astra_sim/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>

#include "mosim/base.hpp"

namespace mosim::astra_sim {
namespace {

using Clock = std::chrono::steady_clock;

RunError failed(const std::string& what, int error) {
  return RunError(fmt::format("{} ({})", what, std::strerror(error)));
}

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { close(); }

  [[nodiscard]] int get() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
};

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw failed("no pipe to a program", errno);
  Pipe pipe{Descriptor(ends[0]), Descriptor(ends[1])};
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);  // of our end only
  return pipe;
}

// What posix_spawn is to do in the child before the program starts.
class SpawnPlan {
 public:
  SpawnPlan(const std::string& folder, int out, int err) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, err, STDERR_FILENO);
    posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
    posix_spawnattr_init(&attributes_);
    // A process group of its own, and no signal blocked that we may block.
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  [[nodiscard]] pid_t start(const std::string& program,
                            const std::vector<std::string>& arguments) const {
    // A relative path is meant from our folder, not from the child's.
    const bool is_path = program.find('/') != std::string::npos;
    std::string file = is_path ? std::filesystem::absolute(program).string() : program;
    std::vector<std::string> words = arguments;
    std::vector<char*> argv{file.data()};
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_t pid = 0;
    const int error =
        ::posix_spawnp(&pid, file.c_str(), &actions_, &attributes_, argv.data(), environ);
    if (error != 0) throw failed(fmt::format("{}: cannot be started", program), error);
    return pid;
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// The running program; killed with its group and reaped at the end, whatever happens.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (!reaped_) (void)end();
  }

  // Has it ended? It stays unreaped, so that its number still names its group.
  [[nodiscard]] bool has_ended() const {
    siginfo_t info{};
    const int got = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    return got == 0 && info.si_pid == pid_;
  }

  // Kills what is left of the group; gives the wait status.
  int end() {
    ::kill(-pid_, SIGKILL);
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    reaped_ = true;
    return status;
  }

 private:
  pid_t pid_;
  bool reaped_ = false;
};

// Takes what is there now. Closes the pipe at its end.
void drain(Descriptor& pipe, std::string& into, std::size_t most) {
  std::array<char, 1U << 16> chunk{};
  while (pipe.get() >= 0 && into.size() <= most) {
    const ssize_t got = ::read(pipe.get(), chunk.data(), chunk.size());
    if (got > 0) {
      into.append(chunk.data(), static_cast<std::size_t>(got));
    } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
      pipe.close();
    } else if (errno == EAGAIN) {
      return;
    }
  }
}

// Waits until one of the pipes has something, for a moment at most: a program can end while a child
// of its own keeps the pipes open.
void wait_a_moment(const Descriptor& out, const Descriptor& err) {
  constexpr int kMomentMs = 5;
  std::array<pollfd, 2> pipes{{{out.get(), POLLIN, 0}, {err.get(), POLLIN, 0}}};
  ::poll(pipes.data(), pipes.size(), kMomentMs);
}

}  // namespace

ChildResult run_child(const ChildOptions& options) {
  Pipe out = make_pipe();
  Pipe err = make_pipe();
  const auto deadline = Clock::now() + options.time_limit;
  const SpawnPlan plan(options.folder, out.write.get(), err.write.get());
  Child child(plan.start(options.program, options.arguments));
  out.write.close();
  err.write.close();

  ChildResult result;
  result.time_limit_s = options.time_limit.count();
  for (bool ended = false; !ended;) {
    wait_a_moment(out.read, err.read);
    ended = child.has_ended();  // asked before the last drain, which then misses nothing
    drain(out.read, result.out, options.most_output);
    drain(err.read, result.err, options.most_output);
    if (std::max(result.out.size(), result.err.size()) > options.most_output) {
      result.end = ChildResult::End::too_much_output;
      return result;
    }
    if (!ended && Clock::now() >= deadline) {
      result.end = ChildResult::End::timed_out;
      return result;
    }
  }
  const int status = child.end();
  if (WIFSIGNALED(status)) {
    result.end = ChildResult::End::signalled;
    result.signal = WTERMSIG(status);
  } else {
    result.exit_code = WEXITSTATUS(status);
  }
  return result;
}

}  // namespace mosim::astra_sim
