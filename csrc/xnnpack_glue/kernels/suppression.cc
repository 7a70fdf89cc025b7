// Non-maximum suppression. Boxes are chosen by descending score. A box that overlaps a chosen box
// too much is dropped, or its score is reduced (https://arxiv.org/abs/1704.04503).
#include <algorithm>
#include <cmath>

#include "base/sizes.h"
#include "program/kernel.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

struct Suppression {
  size_t outer, n, most;
  float threshold, least, sigma;
};

struct Box {
  float low[2], high[2], area;
};

struct Candidate {
  float score;
  int32_t box;
  int32_t compared;  // number of chosen boxes that the score already accounts for
};

// The order of a heap with the largest score on top; ties are ordered by position.
bool after(const Candidate& a, const Candidate& b) {
  return a.score < b.score || (a.score == b.score && a.box > b.box);
}

Box box_of(const float* corners) {
  Box box;
  for (int i = 0; i < 2; ++i) {
    box.low[i] = std::min(corners[i], corners[i + 2]);
    box.high[i] = std::max(corners[i], corners[i + 2]);
  }
  box.area = (box.high[0] - box.low[0]) * (box.high[1] - box.low[1]);
  return box;
}

// Returns the intersection over union.
float likeness(const Box& a, const Box& b) {
  if (!(a.area > 0 && b.area > 0)) return 0;
  float shared = 1;
  for (int i = 0; i < 2; ++i) {
    shared *= std::max(std::min(a.high[i], b.high[i]) - std::max(a.low[i], b.low[i]), 0.0f);
  }
  return shared / (a.area + b.area - shared);
}

// Reduces the candidate's score by each chosen box; returns false if it is dropped.
bool survives(const Suppression& s, const Box* boxes, const int32_t* chosen, size_t count,
              Candidate* candidate) {
  const float factor = s.sigma > 0 ? -0.5f / s.sigma : 0.0f;
  for (size_t i = count; i > static_cast<size_t>(candidate->compared); --i) {
    const float alike = likeness(boxes[candidate->box], boxes[chosen[i - 1]]);
    if (s.sigma == 0 && alike > s.threshold) return false;
    candidate->score *= static_cast<float>(std::exp(static_cast<double>(factor * alike * alike)));
    if (candidate->score <= s.least) return false;
  }
  return true;
}

void suppress(const Suppression& s, const float* corners, const float* scores, Box* boxes,
              Candidate* queue, int32_t* chosen, float* out) {
  Candidate* end = queue;
  for (size_t i = 0; i < s.n; ++i) {
    boxes[i] = box_of(corners + 4 * i);
    if (scores[i] > s.least) *end++ = {scores[i], static_cast<int32_t>(i), 0};
  }
  std::make_heap(queue, end, after);
  size_t count = 0;
  while (queue != end && count < s.most) {
    std::pop_heap(queue, end, after);
    Candidate candidate = *--end;
    const float original = candidate.score;
    if (!survives(s, boxes, chosen, count, &candidate)) continue;
    if (candidate.score == original) {
      out[2 * count] = static_cast<float>(candidate.box);
      out[2 * count + 1] = original;
      chosen[count++] = candidate.box;
    } else if (candidate.score > s.least) {
      candidate.compared = static_cast<int32_t>(count);
      *end++ = candidate;
      std::push_heap(queue, end, after);
    }
  }
  for (; count < s.most; ++count) {
    out[2 * count] = -1;
    out[2 * count + 1] = 0;
  }
}

bool suppress_rows(const Suppression& s, const float* corners, const float* scores, float* out) {
  Block boxes, queue, chosen;
  if (!Block::allocate(product({s.outer, s.n, sizeof(Box)}), &boxes) ||
      !Block::allocate(product({s.outer, s.n, sizeof(Candidate)}), &queue) ||
      !Block::allocate(product({s.outer, s.most, sizeof(int32_t)}), &chosen)) {
    return false;
  }
  parallel_ranges(s.outer, s.n * 64, [&](size_t begin, size_t end) {
    for (size_t o = begin; o < end; ++o) {
      suppress(s, corners + 4 * s.n * o, scores + s.n * o, boxes.as<Box>() + s.n * o,
               queue.as<Candidate>() + s.n * o, chosen.as<int32_t>() + s.most * o,
               out + 2 * s.most * o);
    }
  });
  return true;
}

}  // namespace

std::unique_ptr<Kernel> make_non_max_suppression(StepSpec& step) {
  constexpr int32_t kMostBoxes = 1 << 24;  // positions are floats
  Suppression s;
  s.outer = static_cast<size_t>(step.params.number("outer"));
  s.n = static_cast<size_t>(step.params.number("n", 0, kMostBoxes));
  s.most = static_cast<size_t>(step.params.number("most"));
  s.threshold = step.params.real("threshold_bits");
  s.least = step.params.real("least_bits");
  s.sigma = step.params.real("sigma_bits");
  step.require_float(2);
  if (!step.ok()) return nullptr;
  step.require_count(step.inputs[0], product({s.outer, s.n, 4}), "boxes");
  step.require_count(step.inputs[1], product({s.outer, s.n}), "scores");
  step.require_count(step.output, product({s.outer, s.most, 2}), "the output");
  if (!step.ok()) return nullptr;
  return make_kernel([=](const Operand* inputs, void* output) {
    return suppress_rows(s, inputs[0].as<float>(), inputs[1].as<float>(),
                         static_cast<float*>(output));
  });
}

}  // namespace tfpy
