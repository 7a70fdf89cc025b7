// dy -> dx: each window distributes its gradient evenly over its elements inside.
int count_inside(int first, int size, int dilation, int limit) {
    int count = 0;
    for (int tap = 0; tap < size; tap++) count += within(first + tap * dilation, limit) < 0 ? 0 : 1;
    return count;
}

V value(int i) {
    int pixel = i / channels;
    int c = i - pixel * channels;
    ivec4 place = padded_place(pixel);
    V sum = V(0);
    EACH_OUTPUT(place) {
        ivec4 window = window_of(ivec4(place.x, od, oh, ow));
        int planes = count_inside(window.y, filter_d, dilation_d, in_d);
        int rows = count_inside(window.z, filter_h, dilation_h, in_h);
        int columns = count_inside(window.w, filter_w, dilation_w, in_w);
        int at = output_pixel(place.x, od, oh, ow) * channels + c;
        sum += dy_value(at) / float(planes * rows * columns);
    }
    return sum;
}
