// x [outer, n] -> positions along n, [outer, k]. Each row of `order` [outer, m] has the first `held`
// positions of each sorted run of `run` elements (FIRST: the positions themselves). Pairs of runs are
// merged, and the first `kept` positions of each are stored. For each output position of a merged run,
// a binary search finds the number of positions that come from the first run.
fn is_before(a: x_type, b: x_type) -> bool {
#if DIRECTION_ASCENDING
    return a < b || (is_nan(f32(b)) && !is_nan(f32(a)));
#else
    return a > b || (is_nan(f32(a)) && !is_nan(f32(b)));
#endif
}

fn place_at(row: i32, j: i32) -> i32 {
#if FIRST
    return j;
#else
    return order_at(row * p.m + j);
#endif
}

fn value(i: i32) -> i32 {
    let row = i / p.k;
    let place = i - row * p.k;
    let base = row * p.n;
    let pair = place / p.kept;
    let taken = place - pair * p.kept;
    let rest_of_row = p.n - pair * 2 * p.run;
    let begin = pair * 2 * p.held;
    let middle = begin + p.held;
    let left_size = min(rest_of_row, p.held);
    let right_size = clamp(rest_of_row - p.run, 0, p.held);
    if (taken >= left_size + right_size) { return 0; }
    var low = max(0, taken - right_size);
    var high = min(taken, left_size);
    while (low < high) {
        let half_way = (low + high) >> 1u;
        let left = x_at(base + place_at(row, begin + half_way));
        let right = x_at(base + place_at(row, middle + taken - 1 - half_way));
        if (is_before(right, left)) {
            high = half_way;
        } else {
            low = half_way + 1;
        }
    }
    let rest = taken - low;
    if (low == left_size) { return place_at(row, middle + rest); }
    let left_place = place_at(row, begin + low);
    if (rest == right_size) { return left_place; }
    let right_place = place_at(row, middle + rest);
    return select(left_place, right_place, is_before(x_at(base + right_place), x_at(base + left_place)));
}
