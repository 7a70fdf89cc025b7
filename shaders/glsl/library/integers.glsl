// Integers: division and products that overflow and fail as in NumPy.

int int_div(int x, int y) {
    if (y == 0) return 0;
    int q = int(uint(abs(x)) / uint(abs(y)));
    return (x < 0) != (y < 0) ? -q : q;
}

int int_rem(int x, int y) { return y == 0 ? 0 : x - y * int_div(x, y); }

// Upper half of the product, from four products of 16-bit halves.
uint mul_high(uint x, uint y) {
    uint x0 = x & 0xffffu, x1 = x >> 16, y0 = y & 0xffffu, y1 = y >> 16;
    uint low = x0 * y1 + (x0 * y0 >> 16);
    uint middle = x1 * y0 + (low & 0xffffu);
    return x1 * y1 + (low >> 16) + (middle >> 16);
}

int to_int(float x) {
    if (is_nan(x) || x < -2147483648.0 || x >= 2147483648.0) return int(0x80000000u);
    return int(x);
}
