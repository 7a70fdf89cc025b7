// Combinations of elements for each KIND, and their identity elements.

#ifdef KIND_SUM
#define IDENTITY 0
#define COMBINE(a, b) (a) + (b)
#endif

#ifdef KIND_PROD
#define IDENTITY 1
#define COMBINE(a, b) (a) * (b)
#endif

#ifdef KIND_MAX
#define IDENTITY T_LOWEST
#define COMBINE(a, b) maximum(a, b)
#endif

#ifdef KIND_ANY
#define IDENTITY 0
#define COMBINE(a, b) a | b
#endif

#ifdef KIND_MIN
#define IDENTITY T_HIGHEST
#define COMBINE(a, b) minimum(a, b)
#endif

#ifdef KIND_ALL
#define IDENTITY 1
#define COMBINE(a, b) a & b
#endif

#ifdef KIND_LOGSUMEXP
#define IDENTITY T_LOWEST
#define COMBINE(a, b) log_sum(a, b)
float log_sum(float x, float y) { return log_add(x, y); }
vec4 log_sum(vec4 x, vec4 y) { return log_add4(x, y); }
#endif

#ifdef KIND_LAST
#define COMBINE(a, b) b
#endif

T combine(T a, T b) { return COMBINE(a, b); }
T4 combine(T4 a, T4 b) { return COMBINE(a, b); }

// Tests which elements of texel t are in first..end - 1; and replaces the other elements.
bvec4 inside(int t, int first, int end) {
    ivec4 at = ivec4(t * 4) + ivec4(0, 1, 2, 3);
    return bvec4(at.x >= first && at.x < end, at.y >= first && at.y < end,
                 at.z >= first && at.z < end, at.w >= first && at.w < end);
}

T4 masked(T4 x, int t, int first, int end, T other) {
    bvec4 on = inside(t, first, end);
    return T4(on.x ? x.x : other, on.y ? x.y : other, on.z ? x.z : other, on.w ? x.w : other);
}

// Returns the maximum of the elements first..end - 1 of x, and the sum of exp(element - maximum).
#ifndef COMBINE
vec4 softmax_statistics(int first, int end) {
    float least = -infinity();
    vec4 most = vec4(least);
    for (int t = first >> 2; t * 4 < end; t++) {
        most = maximum(most, masked(x_texel(t), t, first, end, least));
    }
    float top = maximum(maximum(most.x, most.y), maximum(most.z, most.w));
    if (top == least) return vec4(top, 0.0, 0.0, 0.0);
    vec4 sum = vec4(0.0);
    for (int t = first >> 2; t * 4 < end; t++) {
        vec4 x = masked(x_texel(t), t, first, end, least) - top;
        sum += vec4(exponential(x.x), exponential(x.y), exponential(x.z), exponential(x.w));
    }
    return vec4(top, sum.x + sum.y + sum.z + sum.w, 0.0, 0.0);
}
#endif
