// indices [n, RANK] -> [n]: the row-major position in a tensor of shape `dims`, or -1 outside it.
int value(int i) {
    int at = 0;
    bool inside = true;
    for (int d = 0; d < RANK; d++) {
        int index = indices_at(i * RANK + d);
        inside = inside && index >= 0 && index < dims[d];
        at = at * dims[d] + index;
    }
    return inside ? at : -1;
}
