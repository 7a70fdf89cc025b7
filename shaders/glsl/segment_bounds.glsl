// ids, ascending in the order `order` -> the first position with an id that is not below i.
int value(int i) {
    int low = 0, high = n;
    while (low < high) {
        int half_way = (low + high) >> 1;
        if (ids_at(order_at(half_way)) < i) low = half_way + 1;
        else high = half_way;
    }
    return low;
}
