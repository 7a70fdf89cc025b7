"""TensorFlow's graphs: GraphDefs in Protocol Buffers and in TensorFlow.js's JSON."""
