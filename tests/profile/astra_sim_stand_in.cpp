// Stands in for ASTRA-sim's binary in tests. Its name says what it does: a test makes a link
// `replay:INPUTS:OUTPUT`, which checks that it is called with the inputs of one recorded case and
// prints what was recorded for another, or a link with the name of a fault.
#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error(path.string() + " is missing");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error("stand-in: " + what + " is not as recorded");
}

// What the tool logs is not a part of the job.
nlohmann::json system_of(const fs::path& folder) {
  nlohmann::json system = nlohmann::json::parse(read_text(folder / "system.json"));
  system.erase("trace-enabled");
  return system;
}

template <typename T>
std::vector<T> network_list(const fs::path& folder, const std::string& key) {
  return YAML::LoadFile((folder / "network.yml").string())[key].as<std::vector<T>>();
}

void check_inputs(const fs::path& recorded) {
  const fs::path here = ".";
  require(
      names_in(here) == std::set<std::string>{"et", "memory.json", "network.yml", "system.json"},
      "the folder");
  require(names_in("et") == names_in(recorded / "et"), "the folder et");
  for (const std::string& name : names_in("et")) {
    require(read_text(here / "et" / name) == read_text(recorded / "et" / name), name);
  }
  require(system_of(here) == system_of(recorded), "system.json");
  require(nlohmann::json::parse(read_text("memory.json")) ==
              nlohmann::json::parse(read_text(recorded / "memory.json")),
          "memory.json");
  for (const char* key : {"npus_count", "bandwidth", "latency"}) {
    require(network_list<double>(here, key) == network_list<double>(recorded, key), key);
  }
  require(network_list<std::string>(here, "topology") ==
              network_list<std::string>(recorded, "topology"),
          "topology");
}

void check_arguments(const std::vector<std::string>& arguments) {
  require(arguments == std::vector<std::string>{"--workload-configuration=et/dp",
                                                "--system-configuration=system.json",
                                                "--remote-memory-configuration=memory.json",
                                                "--network-configuration=network.yml"},
          "the command line");
}

void replay(const std::string& cases) {
  const std::size_t colon = cases.find(':');
  const fs::path shared = fs::path(MOSIM_SHARED_DIR) / "astra-sim-runs";
  check_inputs(shared / cases.substr(0, colon));
  std::cout << read_text(shared / cases.substr(colon + 1) / "stdout.txt") << std::flush;
}

// A child that keeps our output open, and its number in a file beside the link.
void leave_child(const fs::path& self) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::sleep(60);
    ::_exit(0);
  }
  std::ofstream(self.parent_path() / "child.pid") << child;
}

void hang() {
  ::signal(SIGTERM, SIG_IGN);
  ::sleep(60);
}

void flood() {
  const std::string line(1000, 'x');
  for (;;) std::cout << line << '\n';
}

int act(const fs::path& self, const std::vector<std::string>& arguments) {
  check_arguments(arguments);
  const std::string name = self.filename();
  if (name.starts_with("replay:")) replay(name.substr(7));
  if (name.starts_with("child-")) leave_child(self);
  if (name.starts_with("child-replay:")) replay(name.substr(13));
  if (name.ends_with("hang")) hang();
  if (name == "flood") flood();
  if (name == "garbage") std::cout << std::string("\0\xff sys[\nsys[0] finished, x\n", 27);
  if (name == "crash") ::raise(SIGABRT);
  if (name == "fail") std::cerr << "the disk is made of cheese\n";
  return name == "fail" ? 7 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return act(argv[0], {argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 3;
  }
}
