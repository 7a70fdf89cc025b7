"""Samples: variables, tables, lists, control flow. Each sample creates its own resource."""

from __future__ import annotations


def variable(call: str, start: str = "f(4, 2)") -> str:
    """Return a call that uses a variable, followed by the variable's value."""
    return f"=(lambda v: (tf.raw_ops.{call}, v.numpy()))(tf.Variable({start}))"


def made(call: str) -> str:
    """Return the same with a variable created by an operation."""
    return (
        "=(lambda h: (tf.raw_ops.AssignVariableOp(resource=h, value=f(4, 2)), "
        f"tf.raw_ops.{call})[1])(tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[4, 2]))"
    )


def optimized(call: str, slots: int) -> str:
    """Return the values of a variable and of its slots after a step."""
    names = ["v", *(f"s{i}" for i in range(slots))]
    values = ", ".join(f"{name}.numpy()" for name in names)
    # mean squares must exceed the square of the mean
    variables = ", ".join(
        f"tf.Variable(f(3) + {i if slots == 3 else 0}.0)" for i in range(slots + 1)
    )
    return f"=(lambda {', '.join(names)}: (tf.raw_ops.{call}, {values}))({variables})"


def table(
    kind: str, *calls: str, arguments: str = "key_dtype=tf.string, value_dtype=tf.int64"
) -> str:
    """Return calls of a new table. The last call may export it."""
    steps = ", ".join(f"tf.raw_ops.{call}" for call in calls)
    return f"=(lambda h: ({steps},))(tf.raw_ops.{kind}({arguments}))"


def array(*calls: str) -> str:
    """Return calls with a TensorArray of three rows."""
    steps = ", ".join(f"tf.raw_ops.{call}" for call in calls)
    return (
        "=(lambda r: (lambda handle, flow: "
        f"({steps},))(r[0], tf.raw_ops.TensorArrayScatterV3(handle=r[0], indices=[0, 1, 2], "
        "value=f(3, 2), flow_in=r[1])))(tf.raw_ops.TensorArrayV3(size=3, dtype=tf.float32))"
    )


def listed(call: str) -> str:
    """Return a call with a list ``h`` of three rows."""
    return f"=(lambda h: tf.raw_ops.{call})(tf.raw_ops.TensorListFromTensor(tensor=f(3, 2), element_shape=[2]))"


def stacked(call: str) -> str:
    """Return the list that a call returns, as a tensor."""
    return f"=(lambda h: tf.raw_ops.TensorListStack(input_handle=tf.raw_ops.{call}, element_shape=[2], element_dtype=tf.float32))(tf.raw_ops.TensorListFromTensor(tensor=f(3, 2), element_shape=[2]))"


def function(body: str, arguments: int = 1) -> str:
    """Return a function of float32 vectors of size two, as an attribute value."""
    names = ", ".join("abc"[:arguments])
    specs = ", ".join(["tf.TensorSpec([2])"] * arguments)
    return f"tf.function(lambda {names}: [{body}]).get_concrete_function({specs})"


def counting(body: str) -> str:
    """Return a function of a counter and a vector."""
    return f"tf.function(lambda i, x: {body}).get_concrete_function(tf.TensorSpec([], tf.int32), tf.TensorSpec([2]))"


ROWS = "resource=v.handle, indices=[[3, 0]], updates=f(1, 2, 2)"
PARTS = "ref=v.handle, indices=[[3, 1], [0, 0]], updates=f(2)"
FILL = "InitializeTableV2(table_handle=h, keys=['a', 'b'], values=tf.constant([7, 8], tf.int64))"
INSERT = (
    "LookupTableInsertV2(table_handle=h, keys=['a', 'b'], values=tf.constant([7, 8], tf.int64))"
)
FIND = "LookupTableFindV2(table_handle=h, keys=['b', '?'], default_value=tf.constant(-1, tf.int64))"
EXPORT = "LookupTableExportV2(table_handle=h, Tkeys=tf.string, Tvalues=tf.int64)"
LOOP = f"input=[0, t([1.0, 2.0])], cond={counting('[i < 3]')}, body={counting('[i + 1, x * 2.0]')}"
BRANCHES = f"then_branch={function('a * 2.0')}, else_branch={function('a - 1.0')}"
FLOW = "handle=handle, flow_in=flow"

ADAM = "beta1_power=0.8, beta2_power=0.7, lr=0.1, beta1=0.9, beta2=0.8, epsilon=0.01, grad=f(3)"
RMS = "lr=0.1, rho=0.9, momentum=0.8, epsilon=0.01, grad=f(3)"
FTRL = "var=v.handle, accum=s0.handle, linear=s1.handle, grad=f(3), lr=0.1, l1=0.1, l2=0.2, lr_power=-0.5"
MOMENTUM = "var=v.handle, accum=s0.handle, lr=0.1, grad=f(3), momentum=0.9, use_nesterov=True"
SIGN = "var=v.handle, m=s0.handle, lr=0.1, sign_decay=0.9, beta=0.8, grad=f(3)"
STEPS = {
    "AdaMax": (
        "var=v.handle, m=s0.handle, v=s1.handle, beta1_power=0.8, lr=0.1, beta1=0.9, beta2=0.8, epsilon=0.01, grad=f(3)",
        2,
    ),
    "Adadelta": (
        "var=v.handle, accum=s0.handle, accum_update=s1.handle, lr=0.1, rho=0.9, epsilon=0.01, grad=f(3)",
        2,
    ),
    "Adagrad": ("var=v.handle, accum=s0.handle, lr=0.1, grad=f(3)", 1),
    "AdagradV2": ("var=v.handle, accum=s0.handle, lr=0.1, epsilon=0.01, grad=f(3)", 1),
    "Adam": (f"var=v.handle, m=s0.handle, v=s1.handle, {ADAM}, use_nesterov=True", 2),
    "AdamWithAmsgrad": (f"var=v.handle, m=s0.handle, v=s1.handle, vhat=s2.handle, {ADAM}", 3),
    "AddSign": (f"{SIGN}, alpha=0.7", 1),
    "CenteredRMSProp": (f"var=v.handle, mg=s0.handle, ms=s1.handle, mom=s2.handle, {RMS}", 3),
    "Ftrl": (FTRL, 2),
    "FtrlV2": (f"{FTRL}, l2_shrinkage=0.3, multiply_linear_by_lr=True", 2),
    "GradientDescent": ("var=v.handle, alpha=0.1, delta=f(3)", 0),
    "KerasMomentum": (MOMENTUM, 1),
    "Momentum": (MOMENTUM, 1),
    "PowerSign": (f"{SIGN}, logbase=0.7", 1),
    "ProximalAdagrad": ("var=v.handle, accum=s0.handle, lr=0.1, l1=0.1, l2=0.2, grad=f(3)", 1),
    "ProximalGradientDescent": ("var=v.handle, alpha=0.1, l1=0.1, l2=0.2, delta=f(3)", 0),
    "RMSProp": (f"var=v.handle, ms=s0.handle, mom=s1.handle, {RMS}", 2),
}
OPTIMIZERS = {
    f"ResourceApply{kind}": optimized(f"ResourceApply{kind}({arguments})", slots)
    for kind, (arguments, slots) in STEPS.items()
}

SAMPLES: dict[str, str | tuple[str, str]] = {
    "VarHandleOp": made("ReadVariableOp(resource=h, dtype=tf.float32)"),
    "ReadVariableOp": variable("ReadVariableOp(resource=v.handle, dtype=tf.float32)"),
    "AssignVariableOp": variable("AssignVariableOp(resource=v.handle, value=f(4, 2))"),
    "AssignAddVariableOp": variable("AssignAddVariableOp(resource=v.handle, value=f(4, 2))"),
    "AssignSubVariableOp": variable("AssignSubVariableOp(resource=v.handle, value=f(4, 2))"),
    "VarIsInitializedOp": made("VarIsInitializedOp(resource=h)"),
    "VariableShape": made("VariableShape(input=h)"),
    "DestroyResourceOp": "=tf.raw_ops.DestroyResourceOp(resource=tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[2]))",
    "DisableCopyOnRead": variable("DisableCopyOnRead(resource=v.handle)"),
    "ResourceCountUpTo": variable("ResourceCountUpTo(resource=v.handle, limit=5, T=tf.int32)", "3"),
    "ResourceGather": variable(
        "ResourceGather(resource=v.handle, indices=[3, 0], dtype=tf.float32)"
    ),
    "ResourceGatherNd": variable(
        "ResourceGatherNd(resource=v.handle, indices=[[3, 1], [0, 0]], dtype=tf.float32)"
    ),
    **{
        f"ResourceScatter{kind}": variable(f"ResourceScatter{kind}({ROWS})")
        for kind in ("Add", "Div", "Max", "Min", "Mul", "Sub", "Update")
    },
    **{
        f"ResourceScatterNd{kind}": variable(f"ResourceScatterNd{kind}({PARTS})")
        for kind in ("Add", "Max", "Min", "Sub", "Update")
    },
    "ResourceStridedSliceAssign": variable(
        "ResourceStridedSliceAssign(ref=v.handle, begin=[1], end=[3], strides=[1], value=f(2, 2))"
    ),
    # tables
    "HashTableV2": table("HashTableV2", FILL, FIND),
    "MutableHashTableV2": table("MutableHashTableV2", INSERT, FIND),
    **{
        kind: table(
            kind,
            "LookupTableInsertV2(table_handle=h, keys=['a', 'b'], values=tf.constant([[7, 1], [8, 2]], tf.int64))",
            "LookupTableFindV2(table_handle=h, keys=['b', '?'], default_value=tf.constant([0, 9], tf.int64))",
            arguments="key_dtype=tf.string, value_dtype=tf.int64, value_shape=[2]",
        )
        for kind in ("MutableHashTableOfTensorsV2", "AnonymousMutableHashTableOfTensors")
    },
    "MutableDenseHashTableV2": table(
        "MutableDenseHashTableV2",
        INSERT,
        FIND,
        arguments="empty_key='-', deleted_key='+', value_dtype=tf.int64",
    ),
    "AnonymousHashTable": table("AnonymousHashTable", FILL, FIND),
    "AnonymousMutableHashTable": table("AnonymousMutableHashTable", INSERT, FIND),
    "AnonymousMutableDenseHashTable": table(
        "AnonymousMutableDenseHashTable",
        INSERT,
        FIND,
        arguments="empty_key='-', deleted_key='+', value_dtype=tf.int64",
    ),
    "InitializeTableV2": table("HashTableV2", FILL, FIND),
    "InitializeTableFromTextFileV2": "=(lambda h: (tf.io.write_file('/tmp/tfpy_vocabulary.txt', 'a\\nb\\n'), tf.raw_ops.InitializeTableFromTextFileV2(table_handle=h, "
    f"filename='/tmp/tfpy_vocabulary.txt', key_index=-2, value_index=-1), tf.raw_ops.{FIND}))(tf.raw_ops.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64))",
    "LookupTableExportV2": f"=(lambda k, v: tf.gather(v, tf.argsort(tf.strings.to_number(k))))(*{table('MutableHashTableV2', INSERT.replace(chr(39) + 'a' + chr(39), chr(39) + '1' + chr(39)).replace(chr(39) + 'b' + chr(39), chr(39) + '2' + chr(39)), EXPORT)[1:]}[1])",
    "LookupTableFindV2": table("HashTableV2", FILL, FIND),
    "LookupTableImportV2": table(
        "MutableHashTableV2",
        INSERT,
        "LookupTableImportV2(table_handle=h, keys=['b'], values=tf.constant([5], tf.int64))",
        FIND,
        "LookupTableSizeV2(table_handle=h)",
    ),
    "LookupTableInsertV2": table("MutableHashTableV2", INSERT, FIND),
    "LookupTableRemoveV2": table(
        "MutableHashTableV2", INSERT, "LookupTableRemoveV2(table_handle=h, keys=['b', '?'])", FIND
    ),
    "LookupTableSizeV2": table("HashTableV2", FILL, "LookupTableSizeV2(table_handle=h)"),
    # lists
    "EmptyTensorList": stacked(
        "TensorListPushBack(input_handle=tf.raw_ops.EmptyTensorList(element_shape=[2], max_num_elements=-1, element_dtype=tf.float32), tensor=f(2))"
    ),
    "TensorListReserve": stacked(
        "TensorListSetItem(input_handle=tf.raw_ops.TensorListReserve(element_shape=[2], num_elements=3, element_dtype=tf.float32), index=1, item=f(2))"
    ),
    "TensorListFromTensor": stacked("TensorListFromTensor(tensor=f(3, 2), element_shape=-1)"),
    "TensorListGetItem": listed(
        "TensorListGetItem(input_handle=h, index=2, element_shape=[2], element_dtype=tf.float32)"
    ),
    "TensorListSetItem": stacked(
        "TensorListSetItem(input_handle=h, index=4, item=f(2), resize_if_index_out_of_bounds=True)"
    ),
    "TensorListStack": listed(
        "TensorListStack(input_handle=h, element_shape=-1, element_dtype=tf.float32, num_elements=3)"
    ),
    "TensorListGather": listed(
        "TensorListGather(input_handle=h, indices=[2, 0], element_shape=[2], element_dtype=tf.float32)"
    ),
    "TensorListScatter": stacked(
        "TensorListScatter(tensor=f(2, 2), indices=[1, 0], element_shape=[2])"
    ),
    "TensorListScatterV2": stacked(
        "TensorListScatterV2(tensor=f(2, 2), indices=[2, 0], element_shape=[2], num_elements=4)"
    ),
    "TensorListScatterIntoExistingList": stacked(
        "TensorListScatterIntoExistingList(input_handle=h, tensor=f(2, 2), indices=[2, 0])"
    ),
    "TensorListConcat": listed(
        "TensorListConcat(input_handle=h, element_dtype=tf.float32, element_shape=[2])"
    ),
    "TensorListConcatV2": listed(
        "TensorListConcatV2(input_handle=h, element_shape=[2], leading_dims=tf.constant([], tf.int64), element_dtype=tf.float32)"
    ),
    "TensorListConcatLists": stacked(
        "TensorListConcatLists(input_a=h, input_b=h, element_dtype=tf.float32)"
    ),
    "TensorListSplit": "=tf.raw_ops.TensorListConcat(input_handle=tf.raw_ops.TensorListSplit(tensor=f(5, 2), element_shape=[-1, 2], "
    "lengths=tf.constant([2, 3], tf.int64)), element_dtype=tf.float32, element_shape=[None, 2])",
    "TensorListPushBack": stacked("TensorListPushBack(input_handle=h, tensor=f(2))"),
    "TensorListPopBack": listed(
        "TensorListPopBack(input_handle=h, element_shape=[2], element_dtype=tf.float32)[1]"
    ),
    "TensorListLength": listed("TensorListLength(input_handle=h)"),
    "TensorListResize": stacked("TensorListResize(input_handle=h, size=4)"),
    "TensorListElementShape": listed("TensorListElementShape(input_handle=h, shape_type=tf.int32)"),
    "TensorArrayV3": array(f"TensorArrayReadV3(index=1, dtype=tf.float32, {FLOW})"),
    "TensorArrayWriteV3": "=(lambda r: tf.raw_ops.TensorArrayReadV3(handle=r[0], index=1, dtype=tf.float32, flow_in=tf.raw_ops.TensorArrayWriteV3("
    "handle=r[0], index=1, value=f(2), flow_in=r[1])))(tf.raw_ops.TensorArrayV3(size=3, dtype=tf.float32))",
    "TensorArrayReadV3": array(f"TensorArrayReadV3(index=1, dtype=tf.float32, {FLOW})"),
    "TensorArrayGatherV3": array(f"TensorArrayGatherV3(indices=[2, 0], dtype=tf.float32, {FLOW})"),
    "TensorArrayScatterV3": array(
        f"TensorArrayGatherV3(indices=[0, 1, 2], dtype=tf.float32, {FLOW})"
    ),
    "TensorArrayConcatV3": array(f"TensorArrayConcatV3(dtype=tf.float32, {FLOW})"),
    "TensorArraySplitV3": "=(lambda r: tf.raw_ops.TensorArrayConcatV3(handle=r[0], dtype=tf.float32, flow_in=tf.raw_ops.TensorArraySplitV3("
    "handle=r[0], value=f(5, 2), lengths=tf.constant([2, 3], tf.int64), flow_in=r[1])))(tf.raw_ops.TensorArrayV3(size=2, dtype=tf.float32))",
    "TensorArraySizeV3": array(f"TensorArraySizeV3({FLOW})"),
    "TensorArrayCloseV3": array("TensorArrayCloseV3(handle=handle)"),
    # control flow
    "If": f"cond=True, input=[f(2)], Tout=[tf.float32], {BRANCHES}",
    "StatelessIf": f"cond=False, input=[f(2)], Tout=[tf.float32], {BRANCHES}",
    "Case": f"branch_index=7, input=[f(2)], Tout=[tf.float32], branches=[{function('a * 2.0')}, {function('a - 1.0')}]",
    "StatelessCase": f"branch_index=0, input=[f(2)], Tout=[tf.float32], branches=[{function('a * 2.0')}, {function('a - 1.0')}]",
    "While": LOOP,
    "StatelessWhile": LOOP,
    "For": f"start=0, limit=3, delta=1, input=[t([1.0, 2.0])], body={counting('[x * 2.0]')}",
    "PartitionedCall": f"args=[f(2), f(2)], Tout=[tf.float32], f={function('a - b', 2)}",
    "StatefulPartitionedCall": f"args=[f(2), f(2)], Tout=[tf.float32], f={function('a - b', 2)}",
    "NoOp": "",
    "ControlTrigger": "",
    "LoopCond": "input=True",
    "Assert": "condition=True, data=['text']",
    "CheckNumerics": "tensor=f(3), message='text'",
    "CheckNumericsV2": "tensor=f(3), message='text'",
    "Print": "input=f(3), data=[t(['text'])], message='said: '",
    "PrintV2": "input='text'",
    **OPTIMIZERS,
}

OLD = """
    HashTable MutableHashTable MutableHashTableOfTensors MutableDenseHashTable InitializeTable
    InitializeTableFromTextFile LookupTableExport LookupTableFind LookupTableImport
    LookupTableInsert LookupTableSize
"""
"""Operations without a kernel in TensorFlow 2. Their successors do the same."""

for old in OLD.split():
    sample = SAMPLES[f"{old}V2"]
    assert isinstance(sample, str)
    call = sample.replace(f"tf.raw_ops.{old}V2(", f"tf.raw_ops.{old}(")
    if old == "MutableDenseHashTable":
        call = call.replace("deleted_key='+', ", "")
    SAMPLES[old] = call, sample[1:]


def referred(call: str, wanted: str) -> tuple[str, str]:
    """Return a call with a reference ``h`` to a variable of TensorFlow 1."""
    made = "tf.raw_ops.VariableV2(shape=[2], dtype=tf.float32)"
    first = "tf.raw_ops.Assign(ref=h, value=t([1.0, 2.0]))"
    return f"=(lambda h: ({first}, tf.raw_ops.{call})[1])({made})", wanted


SAMPLES |= {
    "Variable": (
        "=tf.raw_ops.IsVariableInitialized(ref=tf.raw_ops.Variable(shape=[2], dtype=tf.float32))",
        "tf.constant(False)",
    ),
    "VariableV2": referred("Identity(input=h)", "tf.constant([1.0, 2.0])"),
    "Assign": referred(
        "Identity(input=tf.raw_ops.Assign(ref=h, value=t([3.0, 2.0])))", "tf.constant([3.0, 2.0])"
    ),
    "AssignAdd": referred(
        "Identity(input=tf.raw_ops.AssignAdd(ref=h, value=t([3.0, 2.0])))",
        "tf.constant([4.0, 4.0])",
    ),
    "AssignSub": referred(
        "Identity(input=tf.raw_ops.AssignSub(ref=h, value=t([3.0, 2.0])))",
        "tf.constant([-2.0, 0.0])",
    ),
    "IsVariableInitialized": referred("IsVariableInitialized(ref=h)", "tf.constant(True)"),
}
