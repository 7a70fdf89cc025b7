// x, dy -> dx: a window's gradient goes to its first maximum in row-major order.
V value(int i) {
    int pixel = i / channels;
    int c = i - pixel * channels;
    int line = pixel / in_w;
    int iw = pixel - line * in_w;
    int batch = line / in_h;
    int ih = line - batch * in_h;
    V x = x_value(i);
    V sum = V(0);
    for (int fh = 0; fh < filter_h; fh++) {
        int y = ih + pad_top - fh * dilation_h;
        int oh = y / stride_h;
        if (y < 0 || oh * stride_h != y || oh >= out_h) continue;
        for (int fw = 0; fw < filter_w; fw++) {
            int z = iw + pad_left - fw * dilation_w;
            int ow = z / stride_w;
            if (z < 0 || ow * stride_w != z || ow >= out_w) continue;
            V is_first = V(1);
            for (int h = 0; h < filter_h; h++) {
                int other_h = ih + (h - fh) * dilation_h;
                if (other_h < 0 || other_h >= in_h) continue;
                for (int w = 0; w < filter_w; w++) {
                    int other_w = iw + (w - fw) * dilation_w;
                    if (other_w < 0 || other_w >= in_w) continue;
                    V other = x_value(((batch * in_h + other_h) * in_w + other_w) * channels + c);
                    bool earlier = h < fh || (h == fh && w < fw);
                    is_first *= V(1) - (earlier ? not_less(other, x) : less(x, other));
                }
            }
            sum += is_first * dy_value(((batch * out_h + oh) * out_w + ow) * channels + c);
        }
    }
    return sum;
}
