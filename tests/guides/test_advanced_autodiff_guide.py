"""The guide on advanced automatic differentiation."""

from __future__ import annotations

from typing import Any

from guides.printed import prints_the_same


@prints_the_same
def test_recording(tf: Any, print: Any) -> None:
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as t:
        x_sq = x * x
        with t.stop_recording():
            y_sq = y * y
        z = x_sq + y_sq
    grad = t.gradient(z, {"x": x, "y": y})
    print("dz/dx:", grad["x"])
    print("dz/dy:", grad["y"])

    reset = True
    with tf.GradientTape() as t:
        y_sq = y * y
        if reset:
            t.reset()
        z = x * x + y_sq
    grad = t.gradient(z, {"x": x, "y": y})
    print("dz/dx:", grad["x"])
    print("dz/dy:", grad["y"])

    with tf.GradientTape() as t:
        y_sq = y**2
        z = x**2 + tf.stop_gradient(y_sq)
    grad = t.gradient(z, {"x": x, "y": y})
    print("dz/dx:", grad["x"])
    print("dz/dy:", grad["y"])


@prints_the_same
def test_custom_gradients(tf: Any, print: Any) -> None:
    @tf.custom_gradient
    def clip_gradients(y: Any) -> Any:
        def backward(dy: Any) -> Any:
            return tf.clip_by_value(dy, -0.5, 0.5)

        return y, backward

    v = tf.Variable(2.0)
    with tf.GradientTape() as t:
        output = clip_gradients(v * v)
    print(t.gradient(output, v))


@prints_the_same
def test_several_tapes(tf: Any, print: Any) -> None:
    x0, x1 = tf.constant(0.0), tf.constant(0.0)
    with tf.GradientTape() as tape0, tf.GradientTape() as tape1:
        tape0.watch(x0)
        tape1.watch(x1)
        y0 = tf.math.sin(x0)
        y1 = tf.nn.sigmoid(x1)
        y = y0 + y1
        ys = tf.reduce_sum(y)
    print(tape0.gradient(ys, x0).numpy())
    print(tape1.gradient(ys, x1).numpy())

    x = tf.Variable(1.0)
    with tf.GradientTape() as t2:
        with tf.GradientTape() as t1:
            y = x * x * x
        dy_dx = t1.gradient(y, x)
    d2y_dx2 = t2.gradient(dy_dx, x)
    print("dy_dx:", dy_dx.numpy())
    print("d2y_dx2:", d2y_dx2.numpy())


@prints_the_same
def test_gradient_regularisation(tf: Any, print: Any) -> None:
    x = tf.random.stateless_normal([7, 5], [1, 2])
    kernel = tf.Variable(tf.random.stateless_normal([5, 10], [3, 4]))
    bias = tf.Variable(tf.zeros([10]))
    with tf.GradientTape() as t2:
        with tf.GradientTape(watch_accessed_variables=False) as t1:
            t1.watch(x)
            y = tf.nn.relu(x @ kernel + bias)
            out = tf.reduce_sum(y**2)
        g1 = t1.gradient(out, x)
        magnitude = tf.norm(g1)
    dg1_mag = t2.gradient(magnitude, [kernel, bias])
    print([v.shape for v in dg1_mag])
    print(magnitude)
    print(dg1_mag[0][0])


@prints_the_same
def test_jacobians(tf: Any, print: Any) -> None:
    x = tf.linspace(-10.0, 10.0, 11)
    delta = tf.Variable(0.0)
    with tf.GradientTape() as tape:
        y = tf.nn.sigmoid(x + delta)
    dy_dx = tape.jacobian(y, delta)
    print(y.shape)
    print(dy_dx.shape)
    print(dy_dx)

    x = tf.random.stateless_normal([7, 5], [1, 2])
    kernel = tf.Variable(tf.random.stateless_normal([5, 10], [3, 4]))
    with tf.GradientTape(persistent=True) as tape:
        y = tf.nn.relu(x @ kernel)
    print(y.shape)
    print(kernel.shape)
    j = tape.jacobian(y, kernel)
    print(j.shape)
    g = tape.gradient(y, kernel)
    print("g.shape:", g.shape)
    delta = tf.reduce_max(abs(g - tf.reduce_sum(j, axis=[0, 1]))).numpy()
    print(delta < 1e-3)


@prints_the_same
def test_hessian(tf: Any, print: Any) -> None:
    x = tf.random.stateless_normal([7, 5], [5, 6])
    kernel1 = tf.Variable(tf.random.stateless_normal([5, 4], [1, 1]))
    kernel2 = tf.Variable(tf.random.stateless_normal([4, 3], [1, 2]))
    with tf.GradientTape() as t2:
        with tf.GradientTape() as t1:
            y = tf.nn.relu(x @ kernel1) @ kernel2
            loss = tf.reduce_mean(y**2)
        g = t1.gradient(loss, kernel1)
    h = t2.jacobian(g, kernel1)
    print(f"kernel.shape: {kernel1.shape}")
    print(f"h.shape: {h.shape}")
    n_params = tf.reduce_prod(kernel1.shape)
    h_mat = tf.reshape(h, [n_params, n_params])
    print(tf.reduce_max(tf.abs(h_mat - tf.transpose(h_mat))) < 1e-4)


@prints_the_same
def test_batch_jacobian(tf: Any, print: Any) -> None:
    x = tf.random.stateless_normal([7, 5], [9, 8])
    kernel1 = tf.random.stateless_normal([5, 10], [1, 1])
    kernel2 = tf.random.stateless_normal([10, 6], [1, 2])
    with tf.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        tape.watch(x)
        y = tf.nn.elu(x @ kernel1) @ kernel2
    print(y.shape)
    j = tape.jacobian(y, x)
    print(j.shape)
    imax = tf.constant(list(range(7)))
    diagonal = tf.gather(tf.transpose(j, [0, 2, 1, 3]), imax, batch_dims=1, axis=1)
    jb = tape.batch_jacobian(y, x)
    print(jb.shape)
    print(tf.reduce_max(tf.abs(jb - tf.reshape(diagonal, jb.shape))) < 1e-4)
