// g and the tap of each window's first maximum -> the value of g at the maximum.
V value(int i) {
    int pixel = i / channels;
    int c = i - pixel * channels;
    int tap = best_at(i);
    if (tap < 0) return V(0);
    ivec3 at = tap_of(tap);
    return g_at(pixel_under(window_at(pixel), at.x, at.y, at.z) * channels + c);
}
