// x [outer, n] -> positions along n, [outer, k]. Each row of `order` [outer, m] has the first `held`
// positions of each sorted run of `run` elements (FIRST: the positions themselves). Pairs of runs are
// merged, and the first `kept` positions of each are stored. For each output position of a merged run,
// a binary search finds the number of positions that come from the first run.
#ifdef DIRECTION_ASCENDING
#define BEFORE(a, b) (a) < (b) || is_nan(b) && !is_nan(a)
#else
#define BEFORE(a, b) (a) > (b) || is_nan(a) && !is_nan(b)
#endif
#ifdef FIRST
#define PLACE(j) (j)
#else
#define PLACE(j) order_at(row * m + (j))
#endif

int value(int i) {
    int row = i / k;
    int place = i - row * k;
    int base = row * n;
    int pair = place / kept;
    int taken = place - pair * kept;
    int rest_of_row = n - pair * 2 * run;
    int begin = pair * 2 * held;
    int middle = begin + held;
    int left_size = min(rest_of_row, held);
    int right_size = clamp(rest_of_row - run, 0, held);
    if (taken >= left_size + right_size) return 0;
    int low = max(0, taken - right_size);
    int high = min(taken, left_size);
    while (low < high) {
        int half_way = (low + high) >> 1;
        x_TYPE left = x_at(base + PLACE(begin + half_way));
        x_TYPE right = x_at(base + PLACE(middle + taken - 1 - half_way));
        if (BEFORE(right, left)) high = half_way;
        else low = half_way + 1;
    }
    int rest = taken - low;
    if (low == left_size) return PLACE(middle + rest);
    int left_place = PLACE(begin + low);
    if (rest == right_size) return left_place;
    int right_place = PLACE(middle + rest);
    return BEFORE(x_at(base + right_place), x_at(base + left_place)) ? right_place : left_place;
}
