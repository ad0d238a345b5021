"""Trees in the form that the linker reads: see `link/src/forest.rs`."""

import struct

import numpy as np

LEAF = 0xFFFF


def threshold_of(value):
    """The largest 32-bit number not above it, so that a 32-bit value goes the same way as it did in training."""
    rounded = np.float32(value)
    return float(np.nextafter(rounded, np.float32(-np.inf))) if float(rounded) > value else float(rounded)


def tree_bytes(root):
    nodes = []

    def add(node):
        place = len(nodes)
        nodes.append(None)
        if "split_feature" not in node:
            nodes[place] = (LEAF, 0, 0, 0.0, node["leaf_value"])
            return place
        left, right = add(node["left_child"]), add(node["right_child"])
        nodes[place] = (node["split_feature"], left, right, threshold_of(node["threshold"]), node["internal_value"])
        return place

    add(root)
    return struct.pack("<I", len(nodes)) + b"".join(struct.pack("<HHHff", *node) for node in nodes)


def forest_bytes(model):
    trees = model.dump_model()["tree_info"] if model else []
    return struct.pack("<I", len(trees)) + b"".join(tree_bytes(tree["tree_structure"]) for tree in trees)


def names_bytes(features):
    names = [feature["name"].encode() for feature in features]
    return struct.pack("<H", len(names)) + b"".join(struct.pack("<B", len(name)) + name for name in names)


def write(path, features, first, second):
    """Both stages' trees as one ranker; `second` may be None while it isn't trained yet."""
    trees = forest_bytes(first)
    path.write_bytes(names_bytes(features) + struct.pack("<I", len(trees)) + trees + forest_bytes(second))
