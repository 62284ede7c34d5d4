// Chakra execution traces, schema 0.0.4. A file is a series of messages, each behind its length:
// one GlobalMetadata, then the nodes. The few fields that are needed are written with protobuf's
// own primitives, which spares a schema and generated code.
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "mosim/base.hpp"
#include "profile/astra_sim/inputs.hpp"

namespace mosim::astra_sim {
namespace {

using google::protobuf::io::CodedOutputStream;
using google::protobuf::io::StringOutputStream;

constexpr std::uint32_t kMetadataVersion = 1;

// Fields of Node.
constexpr std::uint32_t kId = 1;
constexpr std::uint32_t kName = 2;
constexpr std::uint32_t kType = 3;
constexpr std::uint32_t kDataDeps = 5;
constexpr std::uint32_t kDurationMicros = 7;
constexpr std::uint32_t kAttribute = 10;

// Fields of AttributeProto.
constexpr std::uint32_t kAttributeName = 1;
constexpr std::uint32_t kInt64 = 9;
constexpr std::uint32_t kBool = 27;

constexpr std::uint64_t kComputeNode = 4;
constexpr std::uint64_t kCollectiveNode = 7;

// CollectiveCommType.
std::uint64_t comm_type(Collective collective) {
  switch (collective) {
    case Collective::all_reduce:
      return 0;
    case Collective::all_gather:
      return 2;
    case Collective::all_to_all:
      return 6;
    case Collective::reduce_scatter:
      return 7;
    case Collective::point_to_point:
      break;
  }
  throw RunError("astra-sim: point-to-point transfers are not handed over");
}

void put_varint(CodedOutputStream& out, std::uint32_t field, std::uint64_t value) {
  constexpr std::uint32_t kWireVarint = 0;
  out.WriteTag((field << 3) | kWireVarint);
  out.WriteVarint64(value);
}

void put_bytes(CodedOutputStream& out, std::uint32_t field, const std::string& bytes) {
  constexpr std::uint32_t kWireLengthDelimited = 2;
  out.WriteTag((field << 3) | kWireLengthDelimited);
  out.WriteVarint64(bytes.size());
  out.WriteString(bytes);
}

// What `fill` writes, as the bytes of a message.
template <typename Fill>
std::string message(const Fill& fill) {
  std::string bytes;
  {
    StringOutputStream stream(&bytes);
    CodedOutputStream out(&stream);  // gives back what it did not use when it ends
    fill(out);
  }
  return bytes;
}

// Attributes are a oneof: a value of 0 or false is written too.
void put_attribute(CodedOutputStream& out, const std::string& name, std::uint32_t value_field,
                   std::uint64_t value) {
  put_bytes(out, kAttribute, message([&](CodedOutputStream& attribute) {
              put_bytes(attribute, kAttributeName, name);
              put_varint(attribute, value_field, value);
            }));
}

void put_node(CodedOutputStream& out, const Node& node) {
  // Proto3 leaves out plain fields that are 0.
  if (node.id != 0) put_varint(out, kId, node.id);
  if (!node.name.empty()) put_bytes(out, kName, node.name);
  put_varint(out, kType, node.collective ? kCollectiveNode : kComputeNode);
  if (!node.after.empty()) {
    put_bytes(out, kDataDeps, message([&](CodedOutputStream& packed) {
                for (const std::uint32_t id : node.after) packed.WriteVarint64(id);
              }));
  }
  if (node.duration_us != 0) put_varint(out, kDurationMicros, node.duration_us);
  put_attribute(out, "is_cpu_op", kBool, 0);
  if (!node.collective) return;
  put_attribute(out, "comm_type", kInt64, comm_type(*node.collective));
  put_attribute(out, "comm_size", kInt64, node.comm_size);
}

}  // namespace

std::string chakra_file(const std::vector<Node>& nodes) {
  return message([&](CodedOutputStream& out) {
    const auto put_message = [&](const std::string& bytes) {
      out.WriteVarint64(bytes.size());
      out.WriteString(bytes);
    };
    put_message(
        message([](CodedOutputStream& meta) { put_bytes(meta, kMetadataVersion, "0.0.4"); }));
    for (const Node& node : nodes) {
      put_message(message([&](CodedOutputStream& body) { put_node(body, node); }));
    }
  });
}

}  // namespace mosim::astra_sim
