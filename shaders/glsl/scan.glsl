// x [outer, n, inner]: each output combines the elements at its position along n and 1, 2 and 3 times
// `distance` before it (REVERSE: after it). EXCLUSIVE omits the position itself.
#ifdef EXCLUSIVE_TRUE
#define SKIPPED 1
#else
#define SKIPPED 0
#endif

V value(int i) {
    int row = i / inner;
    int place = row % n;
    V result = V(IDENTITY);
    for (int k = 0; k < 4; k++) {
        int back = SKIPPED + k * distance;
#ifdef REVERSE_TRUE
        if (place + back < n) result = combine(result, x_value(i + back * inner));
#else
        if (place >= back) result = combine(result, x_value(i - back * inner));
#endif
    }
    return result;
}
