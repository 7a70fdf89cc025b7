// sequence [outer, n] in ascending rows, values [outer, m] -> first positions that keep the order.
#ifdef SIDE_LEFT
#define PASSES(element, x) (element) < (x)
#else
#define PASSES(element, x) !((x) < (element)) // NaN passes
#endif

int value(int i) {
    int base = i / m * n;
    values_TYPE x = values_at(i);
    int low = 0, high = n;
    while (low < high) {
        int half_way = (low + high) >> 1;
        if (PASSES(sequence_at(base + half_way), x)) low = half_way + 1;
        else high = half_way;
    }
    return low;
}
