import type { Random } from './random.ts';

const MOST_DAMAGES = 3;
const LONGEST_BLOCK = 600;

type Damage = (bytes: Buffer, random: Random) => Buffer;

const truncate: Damage = (bytes, random) => bytes.subarray(0, random(bytes.length));

const flipBit: Damage = (bytes, random) => {
  const at = random(bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
  return bytes;
};

const zeroBlock: Damage = (bytes, random) => {
  const at = random(bytes.length);
  return bytes.fill(0, at, Math.min(bytes.length, at + 1 + random(LONGEST_BLOCK)));
};

const overwrite: Damage = (bytes, random) => {
  const at = random(bytes.length);
  garbage(random).copy(bytes, at);
  return bytes;
};

/** Copies a block to an earlier or later place, over itself, or behind the end. A frame that then exists twice is one event. */
const copyBlock: Damage = (bytes, random) => {
  const from = random(bytes.length);
  const block = Buffer.from(bytes.subarray(from, from + 1 + random(4 * LONGEST_BLOCK)));
  const at = random(bytes.length + 1);
  const rest = bytes.subarray(Math.min(bytes.length, at + block.length));
  return Buffer.concat([bytes.subarray(0, at), block, rest]);
};

const append: Damage = (bytes, random) => Buffer.concat([bytes, garbage(random)]);

const DAMAGES: readonly Damage[] = [truncate, flipBit, zeroBlock, overwrite, copyBlock, append];

/** A copy of a file's bytes with one to three random damages. */
export function damage(original: Buffer, random: Random): Buffer {
  let bytes: Buffer = Buffer.from(original);
  for (let left = 1 + random(MOST_DAMAGES); left > 0 && bytes.length > 0; left -= 1) {
    bytes = DAMAGES[random(DAMAGES.length)]?.(bytes, random) ?? bytes;
  }
  return bytes;
}

/** About half of the bytes are 0xfe or 0xff, with which a frame can start. So the garbage often looks like a frame. */
function garbage(random: Random): Buffer {
  const bytes = Buffer.alloc(1 + random(LONGEST_BLOCK));
  for (let at = 0; at < bytes.length; at += 1) {
    bytes[at] = random(2) === 0 ? random(256) : 0xff - random(2);
  }
  return bytes;
}
