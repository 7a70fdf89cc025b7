// Maximum or mean over windows; the mean counts only elements inside.
V value(int i) {
    int pixel = i / channels;
    int c = i - pixel * channels;
    ivec4 window = window_at(pixel);
#ifdef KIND_MAX
    V result = V(T_LOWEST);
#else
    V result = V(0);
    float count = 0.0;
#endif
    EACH_INPUT(window) {
        V x = x_value(input_pixel(window.x, id, ih, iw) * channels + c);
#ifdef KIND_MAX
        result = maximum(result, x);
#else
        result += x;
        count += 1.0;
#endif
    }
#ifdef KIND_MAX
    return result;
#else
    return result / count;
#endif
}
