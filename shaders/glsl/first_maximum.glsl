// x -> for each window the number of the tap of its first maximum, in row-major order.
#ifdef QUADS
#define X vec4
#else
#define X float
#endif

V value(int i) {
    int pixel = i / channels;
    int c = i - pixel * channels;
    ivec4 window = window_at(pixel);
    X best = X(0);
    V tap = V(-1);
    bool is_first = true;
    EACH_INPUT(window) {
        X x = x_value(input_pixel(window.x, id, ih, iw) * channels + c);
        V better = is_first ? V(1) : V(less(best, x));
        tap += better * (V(TAP) - tap);
        best = is_first ? x : maximum(best, x);
        is_first = false;
    }
    return tap;
}
