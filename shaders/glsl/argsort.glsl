// x [outer, n] -> places along n, [outer, k]. Of each row, sorted runs of `run` places in `order`
// [outer, n] (with FIRST: the places themselves) are merged in pairs; the output at a place of a
// merged run is found by searching for how many places come from the first of the two.
#ifdef DIRECTION_ASCENDING
#define BEFORE(a, b) (a) < (b) || is_nan(b) && !is_nan(a)
#else
#define BEFORE(a, b) (a) > (b) || is_nan(a) && !is_nan(b)
#endif
#ifdef FIRST
#define PLACE(base, j) j
#else
#define PLACE(base, j) order_at(base + j)
#endif

int value(int i) {
    int row = i / k;
    int place = i - row * k;
    int base = row * n;
    int begin = place / (2 * run) * (2 * run);
    int middle = min(begin + run, n);
    int left_size = middle - begin;
    int right_size = min(begin + 2 * run, n) - middle;
    int taken = place - begin;
    int low = max(0, taken - right_size);
    int high = min(taken, left_size);
    while (low < high) {
        int half_way = (low + high) >> 1;
        x_TYPE left = x_at(base + PLACE(base, begin + half_way));
        x_TYPE right = x_at(base + PLACE(base, middle + taken - 1 - half_way));
        if (BEFORE(right, left)) high = half_way;
        else low = half_way + 1;
    }
    int rest = taken - low;
    if (low == left_size) return PLACE(base, middle + rest);
    int left_place = PLACE(base, begin + low);
    if (rest == right_size) return left_place;
    int right_place = PLACE(base, middle + rest);
    return BEFORE(x_at(base + right_place), x_at(base + left_place)) ? right_place : left_place;
}
