#include "json.h"

namespace tfpy {

namespace {

constexpr int kMaxDepth = 128;  // MAX_DEPTH of library/io/checked_json.py
constexpr uint32_t kSeen = 512;
constexpr uint32_t kMaxDigits = 18, kMaxFloat = 255;
constexpr uint64_t kEach = 0x0101010101010101u, kHigh = kEach << 7;

// Returns the highest bit of each byte of a word that ends a run of plain characters: a quote, a
// backslash or a control character. Bits above the first of them may be wrong.
inline uint64_t ends(uint64_t word) {
  const uint64_t quotes = word ^ kEach * '"', slashes = word ^ kEach * '\\';
  const uint64_t low = (word - kEach * 0x20) & ~word;
  return (((quotes - kEach) & ~quotes) | ((slashes - kEach) & ~slashes) | low) & kHigh;
}

// Returns the size of the non-ASCII UTF-8 character that begins here; 0 if it is not valid.
uint32_t utf8_size(const uint8_t* at) {
  const uint32_t size = at[0] < 0xc2   ? 0
                        : at[0] < 0xe0 ? 2
                        : at[0] < 0xf0 ? 3
                        : at[0] < 0xf5 ? 4
                                       : 0;
  for (uint32_t i = 1; i < size; ++i) {
    if (at[i] >> 6 != 2) return 0;
  }
  // Overlong encodings, surrogates, and code points beyond the last one.
  const bool is_wrong = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
                        (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f);
  return is_wrong ? 0 : size;
}

// Returns true if a text is UTF-8; it must be followed by zeros.
bool is_utf8(const char* text, size_t size) {
  for (size_t i = 0; i < size;) {
    if ((word_at(text + i) & kHigh) == 0) {
      i += 8;
    } else if (static_cast<uint8_t>(text[i]) < 0x80) {
      ++i;
    } else {
      const uint32_t bytes = utf8_size(reinterpret_cast<const uint8_t*>(text + i));
      if (bytes == 0) return false;
      i += bytes;
    }
  }
  return true;
}

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Reader {
 public:
  Reader(char* text, size_t size, Values* values) : at_(text), end_(text + size), values_(*values) {
    stack_.reserve(1024);
  }

  Id whole() {
    const Id root = value(0);
    if (root == kNoId) return kNoId;
    skip_space();
    return at_ == end_ ? root : kNoId;
  }

 private:
  // The zeros after the text end every loop.
  void skip_space() {
    char* at = at_;
    while (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r') ++at;
    at_ = at;
  }

  bool take(char c) {
    if (*at_ != c) return false;
    ++at_;
    return true;
  }

  Id value(int depth) {
    skip_space();
    switch (*at_) {
      case '"':
        return text();
      case '{':
        return depth < kMaxDepth ? object(depth + 1) : kNoId;
      case '[':
        return depth < kMaxDepth ? list(depth + 1) : kNoId;
      case 't':
        return word("true", Kind::kTrue);
      case 'f':
        return word("false", Kind::kFalse);
      case 'n':
        return word("null", Kind::kNull);
      default:
        return number();
    }
  }

  Id word(const char* letters, Kind kind) {
    for (; *letters; ++letters) {
      if (!take(*letters)) return kNoId;
    }
    return values_.plain(kind);
  }

  bool take_digits() {
    const char* start = at_;
    while (is_digit(*at_)) ++at_;
    return at_ != start;
  }

  Id number() {
    const char* start = at_;
    Kind kind = Kind::kInteger;
    take('-');
    if (!take('0') && !take_digits()) return kNoId;
    if (take('.')) {
      kind = Kind::kFloat;
      if (!take_digits()) return kNoId;
    }
    if (take('e') || take('E')) {
      kind = Kind::kFloat;
      if (!take('+')) take('-');
      if (!take_digits()) return kNoId;
    }
    const uint32_t size = at_ - start;
    if (size > (kind == Kind::kFloat ? kMaxFloat : kMaxDigits)) return kNoId;
    return values_.spelled(kind, start, size);
  }

  Id text() {
    char* const start = ++at_;
    char* at = start;
    uint64_t found;
    while ((found = ends(word_at(at))) == 0) at += 8;
    at += __builtin_ctzll(found) / 8;
    char* to = at;
    while (*at == '\\') {
      ++escapes_;
      const char letter = escaped(at[1]);
      if (letter == 0) return kNoId;
      *to++ = letter;
      for (at += 2; *at != '"' && *at != '\\' && static_cast<uint8_t>(*at) >= 0x20; ++at) {
        *to++ = *at;
      }
    }
    at_ = at;
    if (!take('"')) return kNoId;
    return values_.spelled(Kind::kText, start, to - start);
  }

  static char escaped(char c) {
    switch (c) {
      case '"':
      case '\\':
      case '/':
        return c;
      case 'b':
        return '\b';
      case 'f':
        return '\f';
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      default:
        return 0;
    }
  }

  Id list(int depth) {
    ++at_;
    const size_t first = stack_.size();
    skip_space();
    if (!take(']')) {
      do {
        const Id item = value(depth);
        if (item == kNoId) return kNoId;
        stack_.push_back(item);
        skip_space();
      } while (take(','));
      if (!take(']')) return kNoId;
    }
    return values_.composed(Kind::kList, &stack_, first);
  }

  // Reads an object. Objects of graphs are mostly spelled like earlier ones, so their text is
  // compared first.
  Id object(int depth) {
    const char* start = at_;
    Seen& seen = seen_[hash_of(start, kPrefix) % kSeen];
    if (seen.depth >= depth && static_cast<size_t>(end_ - start) >= seen.size &&
        are_equal(seen.start, start, seen.size)) {
      at_ += seen.size;
      return values_.again(seen.id);
    }
    const uint32_t escapes = escapes_;
    const Id id = members(depth);
    // Strings with escapes were rewritten, so their objects cannot be compared by text.
    if (escapes == escapes_) seen = {start, static_cast<uint32_t>(at_ - start), depth, id};
    return id;
  }

  Id members(int depth) {
    ++at_;
    const size_t first = stack_.size();
    skip_space();
    if (!take('}')) {
      do {
        skip_space();
        const Id key = *at_ == '"' ? text() : kNoId;
        if (key == kNoId) return kNoId;
        skip_space();
        const Id member = take(':') ? value(depth) : kNoId;
        if (member == kNoId) return kNoId;
        stack_.push_back(key);
        stack_.push_back(member);
        skip_space();
      } while (take(','));
      if (!take('}')) return kNoId;
    }
    return values_.composed(Kind::kObject, &stack_, first);
  }

  // An object that was read: its position, number of characters, depth and id.
  struct Seen {
    const char* start;
    uint32_t size;
    int depth;
    Id id;
  };

  char* at_;
  char* const end_;
  uint32_t escapes_ = 0;
  Seen seen_[kSeen] = {};
  Values& values_;
  // The members of open lists and objects.
  std::vector<Id> stack_;
};

}  // namespace

Id read_json(char* text, size_t size, Values* values) {
  return is_utf8(text, size) ? Reader(text, size, values).whole() : kNoId;
}

}  // namespace tfpy
