// SPDX-License-Identifier: Apache-2.0
#include "ctf/tsdl.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ctf/error.h"
#include "ctf/tsdl_lexer.h"

namespace tracekin::ctf {

namespace {

using Kind = Type::Kind;
using MutableType = std::shared_ptr<Type>;

constexpr std::uint64_t kMostBits = 64;
constexpr std::uint64_t kMostAlignment = 4096;      // in bits
constexpr std::uint64_t kMostElements = 1U << 20U;  // per array
constexpr unsigned kMostDepth = 32;
constexpr unsigned kMostWeight = 1U << 16U;
constexpr std::uint64_t kMostWeightOfEvents = 1U << 21U;  // sum over all events
constexpr std::uint64_t kMostEvents = 1U << 16U;          // per stream class

MutableType NewType(Kind kind, unsigned alignment) {
  auto type = std::make_shared<Type>();
  type->kind = kind;
  type->alignment = alignment;
  return type;
}

unsigned GreatestAlignment(const std::vector<Type::Field>& fields) {
  unsigned alignment = 1;
  for (const Type::Field& field : fields) alignment = std::max(alignment, field.type->alignment);
  return alignment;
}

// The value of an attribute: a number, or text of one or more words.
struct Value {
  bool is_number = false;
  bool negative = false;
  std::uint64_t magnitude = 0;
  std::string text;
};
using Attributes = std::map<std::string, Value>;

// The content between the braces of a `trace`, `stream`, `event` or similar block.
struct Block {
  Attributes attributes;
  std::map<std::string, TypePointer> types;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text), token_(lexer_.Next()) {}

  Metadata Run() {
    while (Peek().kind != Token::Kind::kEnd) {
      if (!Accept(";")) ParseDeclaration();
    }
    if (!has_trace_) Fail("it has no trace block");
    AttachEvents();
    return std::move(metadata_);
  }

 private:
  // ---- Tokens.

  const Token& Peek() const { return token_; }
  Token Take() { return std::exchange(token_, lexer_.Next()); }
  bool At(std::string_view text) const {
    return (token_.kind == Token::Kind::kName || token_.kind == Token::Kind::kSymbol) &&
           token_.text == text;
  }
  bool Accept(std::string_view text) {
    if (!At(text)) return false;
    Take();
    return true;
  }
  void Expect(std::string_view text) {
    if (!Accept(text)) Fail("expected " + std::string(text) + " before " + Peek().text);
  }
  std::string TakeName() {
    if (Peek().kind != Token::Kind::kName) Fail("expected a name before " + Peek().text);
    return Take().text;
  }
  [[noreturn]] void Fail(const std::string& what) const {
    throw NotUnderstood("line " + std::to_string(Peek().line) + " of the metadata: " + what);
  }

  // ---- Attributes.

  Value TakeValue() {
    Value value;
    if (Peek().kind == Token::Kind::kNumber) {
      const Token token = Take();
      value.is_number = true;
      value.negative = token.negative;
      value.magnitude = token.magnitude;
      value.text = (token.negative ? "-" : "") + std::to_string(token.magnitude);
    } else {
      if (At(";") || At("}")) Fail("a value is missing");
      value.text = Take().text;
      while (Accept(".")) value.text += "." + TakeName();
    }
    Expect(";");
    return value;
  }

  std::string TakeKey() {
    std::string key = TakeName();
    while (Accept(".")) key += "." + TakeName();
    return key;
  }

  Attributes TakeAttributes() {
    Attributes attributes;
    Expect("{");
    while (!Accept("}")) {
      const std::string key = TakeKey();
      Expect("=");
      if (!attributes.emplace(key, TakeValue()).second) Fail(key + " is given twice");
    }
    return attributes;
  }

  // Removes and returns an attribute. The attributes that remain at the end are unknown ones.
  static std::optional<Value> Pop(const std::string& key, Attributes* from) {
    const auto found = from->find(key);
    if (found == from->end()) return std::nullopt;
    Value value = std::move(found->second);
    from->erase(found);
    return value;
  }

  std::uint64_t PopNumber(const std::string& key, Attributes* from,
                          std::optional<std::uint64_t> otherwise, std::uint64_t most) const {
    const std::optional<Value> value = Pop(key, from);
    if (!value && otherwise) return *otherwise;
    if (!value || !value->is_number || value->negative || value->magnitude > most) {
      Fail(key + " is missing or wrong");
    }
    return value->magnitude;
  }

  std::int64_t PopSigned(const std::string& key, Attributes* from) const {
    const std::optional<Value> value = Pop(key, from);
    if (!value) return 0;
    if (!value->is_number || value->magnitude > INT64_MAX) Fail(key + " is wrong");
    const auto magnitude = static_cast<std::int64_t>(value->magnitude);
    return value->negative ? -magnitude : magnitude;
  }

  static std::string PopText(const std::string& key, Attributes* from) {
    const std::optional<Value> value = Pop(key, from);
    return value ? value->text : "";
  }

  // Returns the UUID in lower case, or "" if there is none.
  std::string PopUuid(Attributes* from) const {
    constexpr std::string_view kForm = "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh";
    std::string uuid = PopText("uuid", from);
    if (!uuid.empty() && uuid.size() != kForm.size()) Fail("uuid is wrong");
    for (std::size_t i = 0; i < uuid.size(); ++i) {
      if (uuid[i] >= 'A' && uuid[i] <= 'F') uuid[i] = static_cast<char>(uuid[i] + ('a' - 'A'));
      const bool digit = (uuid[i] >= '0' && uuid[i] <= '9') || (uuid[i] >= 'a' && uuid[i] <= 'f');
      if (kForm[i] == '-' ? uuid[i] != '-' : !digit) Fail("uuid is wrong");
    }
    return uuid;
  }

  unsigned PopAlignment(Attributes* from, std::uint64_t otherwise) const {
    return CheckAlignment(PopNumber("align", from, otherwise, kMostAlignment));
  }
  unsigned CheckAlignment(std::uint64_t bits) const {
    if (bits == 0 || (bits & (bits - 1)) != 0 || bits > kMostAlignment) Fail("align is wrong");
    return static_cast<unsigned>(bits);
  }

  // Returns whether the byte order is big-endian. "native" is little-endian, because big-endian
  // traces are rejected.
  bool PopBigEndian(Attributes* from) const {
    const std::string order = PopText("byte_order", from);
    if (order.empty() || order == "native" || order == "le") return false;
    if (order != "be" && order != "network") Fail("byte_order is wrong");
    return true;
  }

  bool PopFlag(const std::string& key, Attributes* from) const {
    const std::string text = PopText(key, from);
    if (text.empty() || text == "0" || text == "false" || text == "FALSE") return false;
    if (text != "1" && text != "true" && text != "TRUE") Fail(key + " is wrong");
    return true;
  }

  void CheckNothingIsLeft(const Attributes& attributes) const {
    if (!attributes.empty()) Fail("the attribute " + attributes.begin()->first + " is not known");
  }

  // ---- Types.

  // Counts the nesting depth of types, so that metadata cannot exhaust the stack.
  class Depth {
   public:
    explicit Depth(Parser* parser) : parser_(parser) {
      if (++parser_->depth_ > kMostDepth) parser_->Fail("types lie too deep in types");
    }
    ~Depth() { --parser_->depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    Parser* const parser_;
  };

  MutableType ParseInteger() {
    Attributes attributes = TakeAttributes();
    const std::uint64_t bits = PopNumber("size", &attributes, std::nullopt, kMostBits);
    if (bits == 0) Fail("an integer has no bits");
    MutableType type = NewType(Kind::kInteger, PopAlignment(&attributes, bits % 8 == 0 ? 8 : 1));
    type->bits = static_cast<unsigned>(bits);
    type->is_signed = PopFlag("signed", &attributes);
    type->big_endian = PopBigEndian(&attributes);
    type->is_text = IsTextEncoding(PopText("encoding", &attributes));
    type->clock = ClockOf(PopText("map", &attributes));
    PopText("base", &attributes);
    CheckNothingIsLeft(attributes);
    return type;
  }

  bool IsTextEncoding(const std::string& encoding) const {
    if (encoding.empty() || encoding == "none" || encoding == "NONE") return false;
    if (encoding != "UTF8" && encoding != "utf8" && encoding != "ASCII" && encoding != "ascii") {
      Fail("the encoding " + encoding + " is not known");
    }
    return true;
  }

  // Returns NAME from "clock.NAME.value".
  std::string ClockOf(const std::string& map) const {
    constexpr std::string_view kBefore = "clock.";
    constexpr std::string_view kAfter = ".value";
    if (map.empty()) return map;
    if (map.size() <= kBefore.size() + kAfter.size() || map.compare(0, 6, kBefore) != 0 ||
        map.compare(map.size() - kAfter.size(), kAfter.size(), kAfter) != 0) {
      Fail("the map " + map + " is not understood");
    }
    return map.substr(kBefore.size(), map.size() - kBefore.size() - kAfter.size());
  }

  MutableType ParseFloat() {
    Attributes attributes = TakeAttributes();
    const std::uint64_t bits = PopNumber("exp_dig", &attributes, std::nullopt, kMostBits) +
                               PopNumber("mant_dig", &attributes, std::nullopt, kMostBits);
    if (bits != 32 && bits != 64) Fail("a floating-point number of an odd size");
    // The alignment does not have a default, because implementations disagree about it.
    MutableType type =
        NewType(Kind::kFloat,
                CheckAlignment(PopNumber("align", &attributes, std::nullopt, kMostAlignment)));
    type->bits = static_cast<unsigned>(bits);
    PopBigEndian(&attributes);
    CheckNothingIsLeft(attributes);
    return type;
  }

  MutableType ParseString() {
    if (At("{")) {
      Attributes attributes = TakeAttributes();
      PopText("encoding", &attributes);
      CheckNothingIsLeft(attributes);
    }
    return NewType(Kind::kString, 8);
  }

  TypePointer ParseStruct() {
    std::string name;
    if (Peek().kind == Token::Kind::kName && !At("align")) name = "struct " + TakeName();
    if (!At("{")) return Named(name);
    MutableType type = NewType(Kind::kStruct, 1);
    type->fields = ParseFields();
    type->alignment = GreatestAlignment(type->fields);
    if (Accept("align")) {
      Expect("(");
      const Token bits = Take();
      if (bits.kind != Token::Kind::kNumber || bits.negative) Fail("align is wrong");
      type->alignment = std::max(type->alignment, CheckAlignment(bits.magnitude));
      Expect(")");
    }
    Weigh(type.get());
    if (!name.empty()) Define(name, type);
    return type;
  }

  // Adds up the weight of a type's parts and limits it. Named types can be used repeatedly, so even
  // short text can describe a huge type.
  void Weigh(Type* type) const {
    for (const Type::Field& field : type->fields) AddWeight(*field.type, type);
    if (type->element != nullptr) AddWeight(*type->element, type);
  }
  void AddWeight(const Type& part, Type* whole) const {
    whole->weight += part.weight;
    whole->depth = std::max(whole->depth, part.depth + 1);
    if (whole->weight > kMostWeight || whole->depth > kMostDepth) Fail("a type is too large");
  }

  TypePointer ParseVariant() {
    std::string name;
    std::string tag;
    if (Peek().kind == Token::Kind::kName) name = "variant " + TakeName();
    if (Accept("<")) {
      tag = TakeName();
      Expect(">");
    }
    MutableType type;
    if (At("{")) {
      type = NewType(Kind::kVariant, 1);
      type->fields = ParseFields();
      Weigh(type.get());
      if (!name.empty()) Define(name, type);
    } else {
      type = std::make_shared<Type>(*Named(name));
    }
    if (tag.empty()) return type;
    MutableType tagged = std::make_shared<Type>(*type);
    tagged->tag = tag;
    return tagged;
  }

  TypePointer ParseEnum() {
    std::string name;
    if (Peek().kind == Token::Kind::kName) name = "enum " + TakeName();
    TypePointer container;
    if (Accept(":")) {
      container = Accept("integer") ? TypePointer(ParseInteger()) : Named(TakeNames());
    } else if (At("{")) {
      container = Named("int");
    }
    if (!At("{")) {
      if (container != nullptr) Fail("an enumeration has no labels");
      return Named(name);
    }
    if (container->kind != Kind::kInteger) Fail("an enumeration of what is no integer");
    MutableType type = std::make_shared<Type>(*container);
    type->ranges = ParseRanges(type->is_signed);
    if (!name.empty()) Define(name, type);
    return type;
  }

  std::vector<Type::Range> ParseRanges(bool is_signed) {
    std::vector<Type::Range> ranges;
    std::int64_t next = 0;
    Expect("{");
    while (!Accept("}")) {
      if (Peek().kind != Token::Kind::kName && Peek().kind != Token::Kind::kText) {
        Fail("expected a label before " + Peek().text);
      }
      Type::Range range{Take().text, next, next};
      if (Accept("=")) {
        range.low = range.high = TakeBound(is_signed);
        if (Accept("...")) range.high = TakeBound(is_signed);
      }
      if (range.high < range.low || range.high == INT64_MAX) Fail("a range is not understood");
      next = range.high + 1;
      ranges.push_back(std::move(range));
      if (!Accept(",") && !At("}")) Fail("expected , before " + Peek().text);
    }
    return ranges;
  }

  std::int64_t TakeBound(bool is_signed) {
    const Token token = Take();
    if (token.kind != Token::Kind::kNumber || token.magnitude > INT64_MAX ||
        (token.negative && !is_signed)) {
      Fail("a bound of a range is not understood");
    }
    const auto magnitude = static_cast<std::int64_t>(token.magnitude);
    return token.negative ? -magnitude : magnitude;
  }

  // Parses a type that begins with a keyword. Returns null if the next token is not such a keyword.
  TypePointer ParseKeywordType() {
    const Depth depth(this);
    if (Accept("integer")) return ParseInteger();
    if (Accept("floating_point")) return ParseFloat();
    if (Accept("string")) return ParseString();
    if (Accept("struct")) return ParseStruct();
    if (Accept("variant")) return ParseVariant();
    if (Accept("enum")) return ParseEnum();
    return nullptr;
  }

  std::string TakeNames() {
    std::string names = TakeName();
    while (Peek().kind == Token::Kind::kName) names += " " + Take().text;
    return names;
  }

  TypePointer ParseType() {
    TypePointer type = ParseKeywordType();
    return type != nullptr ? type : Named(TakeNames());
  }

  std::vector<Type::Field> ParseFields() {
    std::vector<Type::Field> fields;
    Expect("{");
    while (!Accept("}")) {
      if (Accept("typealias")) {
        ParseAlias();
        continue;
      }
      fields.push_back(ParseField());
      for (std::size_t i = 0; i + 1 < fields.size(); ++i) {
        if (fields[i].name == fields.back().name) Fail(fields[i].name + " is there twice");
      }
    }
    return fields;
  }

  // Parses a field. If there are several names, the last one is the name of the field.
  Type::Field ParseField() {
    Type::Field field;
    field.type = ParseKeywordType();
    if (field.type != nullptr) {
      field.name = TakeName();
    } else {
      const std::string names = TakeNames();
      const std::size_t space = names.rfind(' ');
      if (space == names.npos) Fail("expected a name before " + Peek().text);
      field.type = Named(names.substr(0, space));
      field.name = names.substr(space + 1);
    }
    if (Accept("[")) field.type = ParseElements(field.type);
    Expect(";");
    return field;
  }

  TypePointer ParseElements(const TypePointer& element) {
    MutableType type = NewType(Kind::kArray, element->alignment);
    type->element = element;
    if (Peek().kind == Token::Kind::kNumber) {
      const Token count = Take();
      if (count.negative || count.magnitude > kMostElements) Fail("the size of an array is wrong");
      type->count = count.magnitude;
    } else {
      type->kind = Kind::kSequence;
      type->tag = TakeName();
    }
    Weigh(type.get());
    Expect("]");
    return type;
  }

  // ---- Names of types. Duplicate names are rejected because scopes are not implemented.

  void Define(const std::string& name, const TypePointer& type) {
    if (!types_.emplace(name, type).second) Fail(name + " is defined twice");
  }

  TypePointer Named(const std::string& name) const {
    const auto found = types_.find(name);
    if (found == types_.end()) Fail("the type " + name + " is not known");
    return found->second;
  }

  void ParseAlias() {
    const TypePointer type = ParseType();
    Expect(":=");
    Define(TakeNames(), type);
    Expect(";");
  }

  // ---- Blocks.

  void ParseDeclaration() {
    if (Accept("typealias")) return ParseAlias();
    if (Accept("trace")) return ParseTrace();
    if (Accept("env")) return ParseEnvironment();
    if (Accept("clock")) return ParseClock();
    if (Accept("stream")) return ParseStream();
    if (Accept("event")) return ParseEvent();
    if (Accept("callsite")) return void(ParseBlock());
    if (ParseKeywordType() == nullptr) Fail(Peek().text + " is not understood");
    Expect(";");
  }

  Block ParseBlock() {
    Block block;
    Expect("{");
    while (!Accept("}")) {
      if (Accept("typealias")) {
        ParseAlias();
        continue;
      }
      const std::string key = TakeKey();
      bool is_new = false;
      if (Accept(":=")) {
        is_new = block.types.emplace(key, ParseType()).second;
        Expect(";");
      } else {
        Expect("=");
        is_new = block.attributes.emplace(key, TakeValue()).second;
      }
      if (!is_new) Fail(key + " is given twice");
    }
    Expect(";");
    return block;
  }

  TypePointer PopStruct(const std::string& key, Block* from) const {
    const auto found = from->types.find(key);
    if (found == from->types.end()) return nullptr;
    TypePointer type = found->second;
    if (type->kind != Kind::kStruct) Fail(key + " is no struct");
    from->types.erase(found);
    return type;
  }

  void CheckNoTypeIsLeft(const Block& block) const {
    if (!block.types.empty()) Fail(block.types.begin()->first + " is not known");
  }

  void ParseTrace() {
    Block block = ParseBlock();
    if (std::exchange(has_trace_, true)) Fail("a second trace block");
    if (PopNumber("major", &block.attributes, std::nullopt, 1) != 1 ||
        PopNumber("minor", &block.attributes, std::nullopt, 8) != 8) {
      Fail("the trace is not of version 1.8");
    }
    if (PopText("byte_order", &block.attributes) != "le") Fail("the trace is not little-endian");
    metadata_.uuid = PopUuid(&block.attributes);
    metadata_.packet_header = PopStruct("packet.header", &block);
    CheckNoTypeIsLeft(block);
  }

  void ParseEnvironment() {
    for (const auto& [key, value] : ParseBlock().attributes) {
      metadata_.environment[key] = value.text;
    }
  }

  void ParseClock() {
    Block block = ParseBlock();
    CheckNoTypeIsLeft(block);
    ClockClass clock;
    clock.name = PopText("name", &block.attributes);
    clock.uuid = PopUuid(&block.attributes);
    clock.frequency = PopNumber("freq", &block.attributes, 1'000'000'000, INT64_MAX);
    clock.offset_seconds = PopSigned("offset_s", &block.attributes);
    clock.offset_cycles = PopSigned("offset", &block.attributes);
    if (clock.frequency == 0) Fail("freq is wrong");
    if (!metadata_.clocks.emplace(clock.name, clock).second) Fail("a clock is given twice");
  }

  void ParseStream() {
    Block block = ParseBlock();
    const std::uint64_t id = PopNumber("id", &block.attributes, std::nullopt, INT64_MAX);
    CheckNothingIsLeft(block.attributes);
    StreamClass stream;
    stream.packet_context = PopStruct("packet.context", &block);
    stream.event_header = PopStruct("event.header", &block);
    stream.event_context = PopStruct("event.context", &block);
    CheckNoTypeIsLeft(block);
    if (!metadata_.streams.emplace(id, std::move(stream)).second) Fail("a stream is there twice");
  }

  void ParseEvent() {
    Block block = ParseBlock();
    const std::uint64_t id = PopNumber("id", &block.attributes, std::nullopt, kMostEvents);
    const std::uint64_t stream = PopNumber("stream_id", &block.attributes, std::nullopt, INT64_MAX);
    EventClass event;
    event.name = PopText("name", &block.attributes);
    event.context = PopStruct("context", &block);
    event.fields = PopStruct("fields", &block);
    CheckNoTypeIsLeft(block);
    if (event.context != nullptr) weight_of_events_ += event.context->weight;
    if (event.fields != nullptr) weight_of_events_ += event.fields->weight;
    if (weight_of_events_ > kMostWeightOfEvents) Fail("the events are too large");
    if (!events_[stream].emplace(id, std::move(event)).second) Fail("an event is there twice");
  }

  // Adds the events to their streams. This happens at the end because LTTng may write an event
  // before its stream, depending on the order in which programs started.
  void AttachEvents() {
    for (auto& [id, events] : events_) {
      const auto found = metadata_.streams.find(id);
      if (found == metadata_.streams.end()) Fail("an event of a stream that is not there");
      found->second.events = std::move(events);
    }
  }

  Lexer lexer_;
  Token token_;  // the next token
  unsigned depth_ = 0;
  std::uint64_t weight_of_events_ = 0;
  bool has_trace_ = false;
  std::map<std::string, TypePointer> types_;
  std::map<std::uint64_t, std::map<std::uint64_t, EventClass>> events_;  // indexed by stream and id
  Metadata metadata_;
};

}  // namespace

Metadata ParseMetadata(std::string_view text) { return Parser(text).Run(); }

}  // namespace tracekin::ctf
