// x, dy -> [chunks, filter_h, filter_w, in_c, multiplier]: each chunk sums over `chunk` output pixels.
// QUADS (only with multiplier 1): channels count texels.
V value(int i) {
    int out_c = in_c * multiplier;
    int block = i / out_c;
    int oc = i - block * out_c;
    int c = oc / multiplier;
    int fw = block % filter_w;
    block /= filter_w;
    int fh = block % filter_h;
    int pixel = block / filter_h * chunk;
    int end = min(pixel + chunk, batch * out_h * out_w);
    int line = pixel / out_w;
    int ow = pixel - line * out_w;
    int image = line / out_h;
    int oh = line - image * out_h;
    V sum = V(0);
    for (; pixel < end; pixel++) {
        int ih = oh * stride_h - pad_top + fh * dilation_h;
        int iw = ow * stride_w - pad_left + fw * dilation_w;
        if (ih >= 0 && ih < in_h && iw >= 0 && iw < in_w) {
            sum += x_value(((image * in_h + ih) * in_w + iw) * in_c + c) * dy_value(pixel * out_c + oc);
        }
        if (++ow == out_w) {
            ow = 0;
            if (++oh == out_h) {
                oh = 0;
                image++;
            }
        }
    }
    return sum;
}
