import { appendFileSync, closeSync, openSync, readdirSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { FileJournal } from '@sluice/core/file-journal';
import { systemClock } from '@sluice/protocol/toolbox';
import type { Fault, FaultContext, FaultResult } from './fault.ts';
import { createRandom, type Random } from './random.ts';

const MB = 1_000_000;
const SIZES = { full: 100 * MB, quick: 2 * MB };
/** Of the event loop. */
const LONGEST_BLOCK_MS = 20;
/** More than before, with all that Node takes beside the journal. */
const MOST_MEMORY = 64 * 1024 * 1024;
const EVENTS = 100;
const PIECE = 1 << 20;
const LIMIT = { maxEvents: EVENTS, maxBytes: MB };

/** A piece of the content; undefined: a hole. */
type Content = ((random: Random) => Buffer) | undefined;

const noise: Content = (random) => {
  const piece = Buffer.alloc(PIECE);
  for (let at = 0; at < PIECE; at += 4) piece.writeUInt32LE(random(2 ** 32), at);
  return piece;
};
const repeated = (hex: string) => () => Buffer.alloc(PIECE, hex, 'hex');

const CONTENTS: Readonly<Record<string, Content>> = {
  noise,
  zeros: repeated('00'),
  hole: undefined,
  marks: repeated('fffe'),
  'marks in noise': (random) => {
    const piece = noise(random);
    for (let at = 0; at + 2 <= PIECE; at += 8) piece.writeUInt16LE(0xfeff, at);
    return piece;
  },
  'short ranges': repeated('0000000001000000'),
};

/** The file that gets the content, and what of the events is to be found then. */
const PLACES = [
  { where: 'behind the events', suffix: '.segment', isWhole: false, left: EVENTS / 2 },
  { where: 'in place of the events', suffix: '.segment', isWhole: true, left: 0 },
  { where: 'behind what was delivered', suffix: '.acks', isWhole: false, left: EVENTS / 2 },
] as const;

/** Every other event is damaged: no two that are intact lie side by side. */
const CRUMBLED = [
  { what: 'every other event damaged', files: 1, intactEnd: 0 },
  { what: 'every other event damaged, but for the end', files: 1, intactEnd: 100_000 },
  { what: 'every other event damaged, in 100 files', files: 100, intactEnd: 0 },
] as const;
const HEADER_BYTES = 32;
/** Of an event and its frame. */
const FRAME_BYTES = 200;
const FRAME_HEADER_BYTES = 22;
const GROUP = 2_000;

/**
 * Puts content of any kind behind the events of a journal, in their place, and behind what was delivered of them; or damages every
 * other event. The next process opens it.
 */
export const hostileFiles: Fault = { name: 'hostile-files', run };

async function run({ isQuick, seed, directory }: FaultContext): Promise<FaultResult> {
  const random = createRandom(seed);
  const size = isQuick ? SIZES.quick : SIZES.full;
  const problems: string[] = [];
  const details = [['content', 'longest block, ms', 'memory, MiB', 'total, ms']];
  let [tries, durable, lost, duplicates] = [0, 0, 0, 0];
  const check = async (what: string, place: string, left: number) => {
    const { found, blockMs, memory, totalMs } = await open(place);
    tries += 1;
    durable += left;
    lost += Math.max(0, left - found);
    duplicates += Math.max(0, found - left);
    details.push([what, blockMs.toFixed(0), (memory / 2 ** 20).toFixed(0), totalMs.toFixed(0)]);
    if (!isQuick && blockMs > LONGEST_BLOCK_MS)
      problems.push(`${what} blocked the event loop for ${blockMs} ms`);
    if (memory > MOST_MEMORY) problems.push(`${what} took ${memory} bytes of memory`);
  };
  for (const { what, files, intactEnd } of CRUMBLED) {
    const place = join(directory, String(tries));
    await leaveMany(place, size, files);
    await check(what, place, crumble(place, intactEnd));
  }
  for (const { where, suffix, isWhole, left } of PLACES)
    for (const [name, content] of Object.entries(CONTENTS)) {
      const place = join(directory, String(tries));
      await leave(place);
      const path = fileIn(place, suffix);
      if (isWhole) truncateSync(path, 0);
      fill(path, size, content, random);
      await check(`${name} ${where}`, place, left);
    }
  return {
    ...{ tries, durable, lost, duplicates },
    demand: `0 lost, 0 twice; ${size / MB} MB block the event loop for ${LONGEST_BLOCK_MS} ms at most, and take 64 MiB`,
    problems,
    details,
  };
}

function journalIn(directory: string): FileJournal {
  return new FileJournal({ directory, clock: systemClock, fsync: 'never' });
}

/** Events in a journal, of which the first half was delivered. */
async function leave(directory: string): Promise<void> {
  const journal = journalIn(directory);
  await journal.open({ recovered: () => {}, damaged: () => {}, failed: () => {} });
  const texts = Array.from({ length: EVENTS }, (_, number) => Buffer.from(JSON.stringify({ number })));
  let end = -1;
  const ends = Uint32Array.from(texts, ({ length }) => {
    end += length + 1;
    return end;
  });
  const bytes = Buffer.concat(
    texts.flatMap((text, number) => (number > 0 ? [Buffer.from(','), text] : [text])),
  );
  const range = await journal.append({ bytes, ends });
  await journal.acknowledge({ ...range, to: EVENTS / 2 });
  await journal.close();
}

/** So many bytes of events of one size, in this many files. */
async function leaveMany(directory: string, size: number, files: number): Promise<void> {
  const segmentBytes = Math.ceil(size / files);
  const journal = new FileJournal({ directory, clock: systemClock, fsync: 'never', segmentBytes });
  await journal.open({ recovered: () => {}, damaged: () => {}, failed: () => {} });
  const text = JSON.stringify('e'.repeat(FRAME_BYTES - FRAME_HEADER_BYTES - 2));
  const bytes = Buffer.from(Array(GROUP).fill(text).join(','));
  const ends = Uint32Array.from({ length: GROUP }, (_, number) => (number + 1) * (text.length + 1) - 1);
  for (let written = 0; written < size; written += GROUP * FRAME_BYTES) await journal.append({ bytes, ends });
  await journal.close();
}

/** Damages every other event of all files, but for their ends. Returns how many events are left. */
function crumble(directory: string, intactEnd: number): number {
  let left = 0;
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.segment')) continue;
    const path = join(directory, name);
    const { size } = statSync(path);
    const file = openSync(path, 'r+');
    let isToGo = false;
    for (let end = HEADER_BYTES + FRAME_BYTES; end <= size; end += FRAME_BYTES) {
      if (isToGo && end < size - intactEnd) writeSync(file, '\0', end - 2);
      else left += 1;
      isToGo = !isToGo;
    }
    closeSync(file);
  }
  return left;
}

function fileIn(directory: string, suffix: string): string {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return join(directory, names.find((name) => name.endsWith(suffix)) ?? suffix);
}

function fill(path: string, size: number, content: Content, random: Random): void {
  const piece = content?.(random);
  if (piece === undefined) truncateSync(path, size);
  else for (let filled = 0; filled < size; filled += piece.length) appendFileSync(path, piece);
}

async function open(
  directory: string,
): Promise<{ found: number; blockMs: number; memory: number; totalMs: number }> {
  const journal = journalIn(directory);
  const ranges: { segment: number; from: number; to: number }[] = [];
  const before = process.memoryUsage.rss();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 10);
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const startedAt = performance.now();
  await journal.open({ recovered: (range) => ranges.push(range), damaged: () => {}, failed: () => {} });
  let found = 0;
  for (const range of ranges)
    for (let { from } = range; from < range.to; ) {
      const reading = await journal.read({ ...range, from }, LIMIT);
      found += reading.events.ends.length;
      void journal.acknowledge(reading.range);
      from = reading.range.to;
    }
  const totalMs = performance.now() - startedAt;
  delays.disable();
  clearInterval(watch);
  await journal.close();
  return { found, blockMs: delays.max / 1e6, memory: most - before, totalMs };
}
