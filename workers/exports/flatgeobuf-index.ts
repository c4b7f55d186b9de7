import {
  DEFAULT_NODE_SIZE,
  generateLevelBounds,
  NODE_ITEM_BYTE_LEN,
} from 'flatgeobuf/lib/mjs/packedrtree.js';
import { emptyBox, growBox } from '../../shared/geo/box.ts';
import type { Box } from '../../shared/geo/geometry-types.ts';

export { DEFAULT_NODE_SIZE as NODE_SIZE };

/**
 * The packed R-tree of FlatGeobuf, root first: a node is a box and a byte offset, or the number of its first
 * child. https://github.com/flatgeobuf/flatgeobuf/blob/master/src/cpp/packedrtree.cpp
 * @param leaves boxes and sizes of the features in file order, which must not be empty
 */
export function packIndex(leaves: { boxAt(at: number): Readonly<Box>; sizes: ArrayLike<number> }): Buffer {
  const { sizes, boxAt } = leaves;
  const levels = generateLevelBounds(sizes.length, DEFAULT_NODE_SIZE) as [from: number, to: number][];
  const bytes = Buffer.alloc(NODE_ITEM_BYTE_LEN * levels[0]![1]);
  const put = (node: number, box: Readonly<Box>, offset: number): void => {
    const at = NODE_ITEM_BYTE_LEN * node;
    for (const [side, value] of box.entries()) bytes.writeDoubleLE(value, at + 8 * side);
    bytes.writeBigUInt64LE(BigInt(offset), at + 32);
  };
  const read = (node: number): Box => {
    const at = NODE_ITEM_BYTE_LEN * node;
    const sideAt = (side: number) => bytes.readDoubleLE(at + 8 * side);
    return [sideAt(0), sideAt(1), sideAt(2), sideAt(3)];
  };
  let offset = 0;
  for (let i = 0; i < sizes.length; offset += sizes[i++]!) put(levels[0]![0] + i, boxAt(i), offset);
  for (const [level, [from, to]] of levels.slice(0, -1).entries()) {
    let parent = levels[level + 1]![0];
    for (let first = from; first < to; first += DEFAULT_NODE_SIZE) {
      const box = emptyBox();
      const end = Math.min(first + DEFAULT_NODE_SIZE, to);
      for (let node = first; node < end; node++) growBox(box, read(node));
      put(parent++, box, first);
    }
  }
  return bytes;
}
