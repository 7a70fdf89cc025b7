// dy -> dx: each window spreads its gradient evenly over its elements inside the volume.
int inside(int first, int size, int dilation, int limit) {
    int count = 0;
    for (int j = 0; j < size; j++) {
        int p = first + j * dilation;
        if (p >= 0 && p < limit) count++;
    }
    return count;
}

V value(int i) {
    int pixel = i / channels;
    int c = i - pixel * channels;
    int line = pixel / in_w;
    int left = pixel - line * in_w + pad_left;
    int plane = line / in_h;
    int top = line - plane * in_h + pad_top;
    int batch = plane / in_d;
    int front = plane - batch * in_d + pad_front;
    V sum = V(0);
    for (int fd = 0; fd < filter_d; fd++) {
        int z = front - fd * dilation_d;
        int od = z / stride_d;
        if (z < 0 || od * stride_d != z || od >= out_d) continue;
        int planes = inside(od * stride_d - pad_front, filter_d, dilation_d, in_d);
        for (int fh = 0; fh < filter_h; fh++) {
            int y = top - fh * dilation_h;
            int oh = y / stride_h;
            if (y < 0 || oh * stride_h != y || oh >= out_h) continue;
            int rows = inside(oh * stride_h - pad_top, filter_h, dilation_h, in_h);
            for (int fw = 0; fw < filter_w; fw++) {
                int x = left - fw * dilation_w;
                int ow = x / stride_w;
                if (x < 0 || ow * stride_w != x || ow >= out_w) continue;
                int columns = inside(ow * stride_w - pad_left, filter_w, dilation_w, in_w);
                int at = (((batch * out_d + od) * out_h + oh) * out_w + ow) * channels + c;
                sum += dy_value(at) / float(planes * rows * columns);
            }
        }
    }
    return sum;
}
