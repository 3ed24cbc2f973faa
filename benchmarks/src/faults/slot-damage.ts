import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { damage } from './damage.ts';
import type { Random } from './random.ts';
import { HEADER_BYTES, ofLaterVersion } from './segment-layout.ts';
import { ACKNOWLEDGEMENTS, SEGMENT, type SlotFiles } from './slot-files.ts';

/** An intact segment outside of all journals. Its events must never arrive. */
export interface Decoy {
  readonly path: string;
  readonly bytes: Buffer;
}

/** The names in a slot that must stay as they are, and whether they must be reported. */
export interface Spared {
  readonly names: readonly string[];
  readonly isReported: boolean;
}

type SlotDamage = (slot: SlotFiles, random: Random, decoy: Decoy) => Spared | undefined;

/** Sorts after every segment of a slot. */
const LATER_SEGMENT = `99999990${SEGMENT}`;
const SPARED = { notes: 'notes.txt', directory: `99999991${SEGMENT}`, link: `99999992${SEGMENT}` };

const damageSegment: SlotDamage = (slot, random) => change(slot, SEGMENT, random, damage);

/** As if a disk wrote a block to the wrong place: intact frames of another segment. */
const misplaceBlock: SlotDamage = (slot, random, decoy) =>
  change(slot, SEGMENT, random, (bytes) => {
    const at = HEADER_BYTES + random(bytes.length - HEADER_BYTES);
    const block = decoy.bytes.subarray(HEADER_BYTES, HEADER_BYTES + random(decoy.bytes.length));
    return Buffer.concat([bytes.subarray(0, at), block, bytes.subarray(at + block.length)]);
  });

const damageAcknowledgements: SlotDamage = (slot, random) => change(slot, ACKNOWLEDGEMENTS, random, damage);

const removeAcknowledgements: SlotDamage = (slot, random) =>
  change(slot, ACKNOWLEDGEMENTS, random, () => null);

const removeSegment: SlotDamage = (slot, random) => change(slot, SEGMENT, random, () => null);

/** What a power cut leaves of an unsynced file: nothing, or zeros. */
const emptySegment: SlotDamage = (slot, random) =>
  change(slot, SEGMENT, random, ({ length }) => Buffer.alloc(random(2) * length));

const addEmptySegment: SlotDamage = ({ files }, random) => {
  files.set(LATER_SEGMENT, Buffer.alloc(random(100)));
  return undefined;
};

const addLaterVersion: SlotDamage = ({ files }, _random, { bytes }) => {
  files.set(LATER_SEGMENT, ofLaterVersion(bytes));
  return { names: [LATER_SEGMENT], isReported: true };
};

const addForeignThings: SlotDamage = ({ path }, _random, decoy) => {
  writeFileSync(join(path, SPARED.notes), 'not ours');
  mkdirSync(join(path, SPARED.directory));
  symlinkSync(decoy.path, join(path, SPARED.link));
  return { names: Object.values(SPARED), isReported: false };
};

const DAMAGES: readonly SlotDamage[] = [
  ...[damageSegment, damageSegment, damageSegment, damageSegment, damageSegment, damageSegment],
  ...[misplaceBlock, damageAcknowledgements, damageAcknowledgements, removeAcknowledgements],
  ...[removeSegment, emptySegment, addEmptySegment, addLaterVersion, addForeignThings],
];

/** Does one random damage to a slot without an owner. Returns what the next owner must not touch. */
export function damageSlot(slot: SlotFiles, random: Random, decoy: Decoy): Spared | undefined {
  const spared = DAMAGES[random(DAMAGES.length)]?.(slot, random, decoy);
  slot.write();
  return spared;
}

/** Changes one of the files with this suffix. `null` removes it. */
function change(
  slot: SlotFiles,
  suffix: string,
  random: Random,
  makeChanged: (bytes: Buffer, random: Random) => Buffer | null,
): undefined {
  const names = slot.named(suffix);
  const name = names[random(names.length)];
  const bytes = name && slot.files.get(name);
  if (!bytes) return;
  const changed = makeChanged(bytes, random);
  if (changed === null) slot.files.delete(name);
  else slot.files.set(name, changed);
}
