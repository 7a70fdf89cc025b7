// x0 to x3 [batch, ceil(m / 4), n] -> [batch, m, n]: input r holds the rows r, r + 4, r + 8, ...
V value(int i) {
    int row = i / n;
    int column = i - row * n;
    int block = row / m;
    row -= block * m;
    int at = (block * ((m + 3) >> 2) + (row >> 2)) * n + column;
    int r = row & 3;
    if (r == 0) return x0_value(at);
    if (r == 1) return x1_value(at);
    if (r == 2) return x2_value(at);
    return x3_value(at);
}
