// x: scores in rows of n, with the largest of each row and the sum of exp(score - largest) (SHORT: found
// anew for each output), v -> the rows of v that the softmax of the scores mixes. `dims` are those of
// the output, in the order in which they lie there; along each, rows of scores and elements of v are so
// far apart. QUADS: a position is four columns of v. FOURS: n is a multiple of four.
fn value(i: i32) -> V {
    var row = 0;
    var at = 0;
    var outer = i;
    for (var d = 3; d >= 0; d--) {
        let rest = outer / p.dims[d].x;
        let place = outer - rest * p.dims[d].x;
        row += place * p.row_strides[d].x;
        at += place * p.v_strides[d].x;
        outer = rest;
    }
#if SHORT
    let statistics = softmax_statistics(row * p.n, (row + 1) * p.n);
#else
    let statistics = statistics_texel(row);
#endif
    var sum = V(0);
#if FOURS
    let first = (row * p.n) >> 2u;
    for (var j = 0; j < p.n; j += 4) {
        let share = exponential4(x_texel(first + (j >> 2u)) - statistics.x);
        sum += share.x * v_value(at) + share.y * v_value(at + p.next) +
            share.z * v_value(at + 2 * p.next) + share.w * v_value(at + 3 * p.next);
        at += 4 * p.next;
    }
#else
    for (var j = 0; j < p.n; j++) {
        sum += exponential(x_at(row * p.n + j) - statistics.x) * v_value(at);
        at += p.next;
    }
#endif
    return sum / statistics.y;
}
