// Combinations of elements for each KIND, and their identity elements.

fn identity() -> T {
#if KIND_SUM
    return T(0);
#endif
#if KIND_PROD
    return T(1);
#endif
#if KIND_MAX
    return T_lowest();
#endif
#if KIND_MIN
    return T_highest();
#endif
#if KIND_ANY
    return T(0);
#endif
#if KIND_ALL
    return T(1);
#endif
#if KIND_LOGSUMEXP
    return T_lowest();
#endif
}

fn combine4(a: T4, b: T4) -> T4 {
#if KIND_SUM
    return a + b;
#endif
#if KIND_PROD
    return a * b;
#endif
#if KIND_MAX
#if FLOATS
    return maximum4(a, b);
#else
    return max(a, b);
#endif
#endif
#if KIND_MIN
#if FLOATS
    return minimum4(a, b);
#else
    return min(a, b);
#endif
#endif
#if KIND_ANY
    return a | b;
#endif
#if KIND_ALL
    return a & b;
#endif
#if KIND_LOGSUMEXP
    return log_add4(a, b);
#endif
#if KIND_LAST
    return b;
#endif
}

fn combine1(a: T, b: T) -> T {
#if KIND_LOGSUMEXP
    return log_add(a, b);
#else
    return combine4(T4(a), T4(b)).x;
#endif
}

fn combine(a: V, b: V) -> V {
#if QUADS
    return combine4(a, b);
#else
    return combine1(a, b);
#endif
}

// Tests which elements of texel t are in first..end - 1; and replaces the other elements.
fn inside(t: i32, first: i32, end: i32) -> vec4<bool> {
    let at = 4 * t + vec4<i32>(0, 1, 2, 3);
    return (at >= vec4<i32>(first)) & (at < vec4<i32>(end));
}

fn masked(x: T4, t: i32, first: i32, end: i32, other: T) -> T4 {
    return select(T4(other), x, inside(t, first, end));
}

// Returns the maximum of the elements first..end - 1 of x, and the sum of exp(element - maximum).
fn softmax_statistics(first: i32, end: i32) -> vec4<f32> {
    let least = -infinity();
    var most = vec4<f32>(least);
    for (var t = first >> 2u; t * 4 < end; t++) {
        most = maximum4(most, masked(x_texel(t), t, first, end, least));
    }
    let top = maximum(maximum(most.x, most.y), maximum(most.z, most.w));
    if (top == least) { return vec4<f32>(top, 0.0, 0.0, 0.0); }
    var sum = vec4<f32>(0.0);
    for (var t = first >> 2u; t * 4 < end; t++) {
        sum += exponential4(masked(x_texel(t), t, first, end, least) - top);
    }
    return vec4<f32>(top, sum.x + sum.y + sum.z + sum.w, 0.0, 0.0);
}
