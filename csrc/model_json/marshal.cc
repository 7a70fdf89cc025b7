#include "marshal.h"

namespace tfpy {

namespace {

// Type codes of the marshal format, for all versions from 3 on.
constexpr char kNone = 'N', kTrue = 'T', kFalse = 'F', kInt = 'i', kLong = 'l', kFloat = 'f';
constexpr char kShortAscii = 'z', kAscii = 'a', kUnicode = 'u', kBytes = 's';
constexpr char kTuple = '(', kList = '[', kDict = '{', kEnd = '0', kReference = 'r';
constexpr int kReferred = 0x80;
constexpr uint32_t kMaxShort = 255, kDigitBits = 15;
constexpr uint64_t kMaxSize = 0x7fffffff;

uint64_t magnitude(const char* digits, uint32_t count) {
  uint64_t found = 0;
  for (uint32_t i = 0; i < count; ++i) found = found * 10 + (digits[i] - '0');
  return found;
}

class Writer {
 public:
  Writer(const Values& values, Bytes* out)
      : values_(values), out_(*out), references_(values.count(), kNoId) {
    for (size_t i = 0; i < kKeys; ++i) keys_[i] = values.text(kLetters[i]);
  }

  void root(Id id) {
    const Value& value = values_[id];
    if (value.kind != Kind::kObject) return write(id);
    out_.put(kDict);
    for (uint32_t i = 0; i < value.size; i += 2) {
      const Id key = values_.members(value)[i], member = values_.members(value)[i + 1];
      const Kind kind = values_[member].kind;
      write(key);
      if (key == keys_[kTopology] && kind == Kind::kObject) {
        topology(member);
      } else if (key == keys_[kManifest] && kind == Kind::kList) {
        manifest(member);
      } else {
        write(member);
      }
    }
    out_.put(kEnd);
  }

 private:
  enum Key {
    kTopology,
    kNode,
    kName,
    kOp,
    kInput,
    kAttr,
    kManifest,
    kWeights,
    kShape,
    kDtype,
    kConst,
    kKeys
  };
  static constexpr char kLetters[kKeys][24] = {
      "modelTopology",   "node",    "name",  "op",    "input", "attr",
      "weightsManifest", "weights", "shape", "dtype", "Const"};

  void topology(Id id) {
    object(id, keys_[kNode], [this](Id nodes) { return nodes_of(nodes); });
  }

  void manifest(Id id) {
    const Value& groups = values_[id];
    out_.put(kList);
    out_.put_word(groups.size);
    for (uint32_t i = 0; i < groups.size; ++i) {
      object(values_.members(groups)[i], keys_[kWeights],
             [this](Id weights) { return weights_of(weights); });
    }
  }

  // Writes a value. If it is an object, `special` may write the member of one key.
  template <typename Special>
  void object(Id id, Id key, Special special) {
    const Value& value = values_[id];
    if (value.kind != Kind::kObject) return write(id);
    out_.put(kDict);
    for (uint32_t i = 0; i < value.size; i += 2) {
      const Id own = values_.members(value)[i], member = values_.members(value)[i + 1];
      write(own);
      if (own != key || values_[member].kind != Kind::kList || !special(member)) write(member);
    }
    out_.put(kEnd);
  }

  // Writes a list if it is a list of nodes; returns false otherwise.
  bool nodes_of(Id id) {
    const Value& list = values_[id];
    std::vector<Id> names, ops, inputs, attrs, constants, of_constants;
    for (uint32_t i = 0; i < list.size; ++i) {
      const Value& node = values_[values_.members(list)[i]];
      const Id name = member(node, keys_[kName]), op = member(node, keys_[kOp]);
      const Id input = member(node, keys_[kInput]), attr = member(node, keys_[kAttr]);
      const bool is_node = is_a(Kind::kText, name) && is_a(Kind::kText, op) &&
                           (input == kNoId || is_list_of(Kind::kText, input)) &&
                           (attr == kNoId || is_a(Kind::kObject, attr));
      if (!is_node) return false;
      const bool takes = input != kNoId && values_[input].size > 0;
      if (op == keys_[kConst] && values_[name].size > 0 && !takes) {
        constants.push_back(name);
        of_constants.push_back(attr);
        continue;
      }
      names.push_back(name);
      ops.push_back(op);
      inputs.push_back(input);
      attrs.push_back(attr);
    }
    table(6);
    column(names);
    column(ops);
    tuples(inputs);
    packed(attrs);
    column(constants);
    packed(of_constants);
    return true;
  }

  // Writes a list if it is a list of weights that are not quantized; returns false otherwise.
  bool weights_of(Id id) {
    const Value& list = values_[id];
    std::vector<Id> names(list.size), shapes(list.size), dtypes(list.size);
    for (uint32_t i = 0; i < list.size; ++i) {
      const Value& weight = values_[values_.members(list)[i]];
      names[i] = member(weight, keys_[kName]);
      shapes[i] = member(weight, keys_[kShape]);
      dtypes[i] = member(weight, keys_[kDtype]);
      const bool is_weight = weight.size == 6 && is_a(Kind::kText, names[i]) &&
                             values_[names[i]].size > 0 && is_a(Kind::kText, dtypes[i]) &&
                             is_list_of(Kind::kInteger, shapes[i]);
      if (!is_weight) return false;
      for (uint32_t j = 0; j < values_[shapes[i]].size; ++j) {
        if (!is_size(values_[values_.members(values_[shapes[i]])[j]])) return false;
      }
    }
    table(3);
    column(names);
    tuples(shapes);
    column(dtypes);
    return true;
  }

  // Returns the member of a key; of duplicates the last one, as Python does; kNoId if there is
  // none.
  Id member(const Value& object, Id key) const {
    if (object.kind != Kind::kObject) return kNoId;
    for (uint32_t i = object.size; i > 0; i -= 2) {
      if (values_.members(object)[i - 2] == key) return values_.members(object)[i - 1];
    }
    return kNoId;
  }

  bool is_a(Kind kind, Id id) const { return id != kNoId && values_[id].kind == kind; }

  bool is_list_of(Kind kind, Id id) const {
    if (!is_a(Kind::kList, id)) return false;
    const Value& list = values_[id];
    for (uint32_t i = 0; i < list.size; ++i) {
      if (values_[values_.members(list)[i]].kind != kind) return false;
    }
    return true;
  }

  bool is_size(const Value& number) const {
    const char* letters = values_.letters(number);
    return *letters != '-' && magnitude(letters, number.size) <= kMaxSize;
  }

  void table(uint32_t columns) {
    out_.put(kTuple);
    out_.put_word(columns);
  }

  void column(const std::vector<Id>& items) {
    out_.put(kList);
    out_.put_word(items.size());
    for (const Id item : items) write(item);
  }

  void tuples(const std::vector<Id>& lists) {
    out_.put(kList);
    out_.put_word(lists.size());
    for (const Id id : lists) {
      const uint32_t size = id == kNoId ? 0 : values_[id].size;
      out_.put(kTuple);
      out_.put_word(size);
      for (uint32_t i = 0; i < size; ++i) write(values_.members(values_[id])[i]);
    }
  }

  void packed(const std::vector<Id>& objects) {
    out_.put(kList);
    out_.put_word(objects.size());
    for (const Id object : objects) packed(object);
  }

  // Writes an object as self-contained bytes in marshal format; kNoId as an empty object.
  void packed(Id id) {
    if (id == kNoId) {
      out_.put(kBytes);
      out_.put_word(2);
      out_.put(kDict);
      return out_.put(kEnd);
    }
    if (refers(id, kBytes)) return;
    const uint32_t size_at = out_.size();
    out_.put_word(0);
    is_alone_ = true;
    write(id);
    is_alone_ = false;
    out_.set_word(size_at, out_.size() - size_at - 4);
  }

  // Writes a reference to a value that was written before, or else its type code, marked so that
  // later values can refer to it.
  bool refers(Id id, char type) {
    if (is_alone_ || !values_[id].recurs) {
      out_.put(type);
      return false;
    }
    if (references_[id] == kNoId) {
      references_[id] = count_++;
      out_.put(type | kReferred);
      return false;
    }
    out_.put(kReference);
    out_.put_word(references_[id]);
    return true;
  }

  void write(Id id) {
    const Value& value = values_[id];
    switch (value.kind) {
      case Kind::kNull:
        return out_.put(kNone);
      case Kind::kTrue:
        return out_.put(kTrue);
      case Kind::kFalse:
        return out_.put(kFalse);
      case Kind::kInteger:
        return integer(values_.letters(value), value.size);
      case Kind::kFloat:
        out_.put(kFloat);
        out_.put(value.size);
        return out_.put_letters(values_.letters(value), value.size);
      case Kind::kText:
        return text(id, value);
      case Kind::kList:
        out_.put(kList);
        out_.put_word(value.size);
        return members(value);
      case Kind::kObject:
        out_.put(kDict);
        members(value);
        return out_.put(kEnd);
    }
  }

  void members(const Value& value) {
    for (uint32_t i = 0; i < value.size; ++i) write(values_.members(value)[i]);
  }

  void text(Id id, const Value& value) {
    const char* letters = values_.letters(value);
    uint8_t all = 0;
    for (uint32_t i = 0; i < value.size; ++i) all |= letters[i];
    const bool is_short = all < 0x80 && value.size <= kMaxShort;
    if (refers(id, is_short ? kShortAscii : all < 0x80 ? kAscii : kUnicode)) return;
    if (is_short) {
      out_.put(value.size);
    } else {
      out_.put_word(value.size);
    }
    out_.put_letters(letters, value.size);
  }

  void integer(const char* letters, uint32_t size) {
    const bool is_negative = *letters == '-';
    uint64_t rest = magnitude(letters + is_negative, size - is_negative);
    if (rest <= kMaxSize) {
      out_.put(kInt);
      return out_.put_word(is_negative ? -rest : rest);
    }
    const uint32_t digits = (64 - __builtin_clzll(rest) + kDigitBits - 1) / kDigitBits;
    out_.put(kLong);
    out_.put_word(is_negative ? -digits : digits);
    for (; rest != 0; rest >>= kDigitBits) {
      out_.put(rest & 0xff);
      out_.put(rest >> 8 & 0x7f);
    }
  }

  const Values& values_;
  Bytes& out_;
  // Reference numbers of the values that were written.
  std::vector<uint32_t> references_;
  uint32_t count_ = 0;
  bool is_alone_ = false;
  Id keys_[kKeys];
};

}  // namespace

void Bytes::grow(size_t count) {
  const size_t used = at_ - data_, room = (used + count) * 2;
  char* data = new char[room];
  memcpy(data, data_, used);
  delete[] data_;
  data_ = data;
  at_ = data + used;
  end_ = data + room;
}

void write_model_json(const Values& values, Id root, Bytes* out) { Writer(values, out).root(root); }

}  // namespace tfpy
