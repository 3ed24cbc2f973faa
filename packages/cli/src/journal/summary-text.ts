import type { Output } from '../output.ts';
import { count, counted, duration, size } from '../text/amounts.ts';
import { plainText } from '../text/plain-text.ts';
import { table } from '../text/table.ts';
import { type Summary, totalsOf } from './summary.ts';

const MOST_REASONS = 10;
const MOST_EXCERPT = 60;

/** A summary as text for a person. */
export function summaryText(summary: Summary, colors: Output['colors'], now: number): string {
  const { directory, events, reasons, setAside, totals, unanswered } = summary;
  const lines = [colors.bold(directory), waitingText(summary, now)];
  const rows = events.map((slot) => {
    const { waiting, files, bytes, oldestAt } = totalsOf([slot]);
    const released = slot.segments.reduce((sum, one) => sum + one.released, 0);
    const age = oldestAt === undefined ? '-' : duration(Math.max(0, now - oldestAt));
    const cells = [slot.owner, slot.isAlive ? 'alive' : 'gone', count(files), count(waiting)];
    return [...cells, count(released), size(bytes), age];
  });
  const head = ['process', 'state', 'files', 'waiting', 'released', 'bytes', 'oldest'];
  const [title = '', ...body] = table(head, rows);
  if (rows.length > 0) lines.push('', colors.dim(title), ...body, '');
  if (totals.held.waiting > 0)
    lines.push(`${counted(totals.held.waiting, 'event')} held until their user is known`);
  lines.push(...letterLines(summary));
  const damaged = totals.events.damagedBytes + totals.deadLetters.damagedBytes;
  if (damaged > 0) lines.push(colors.red(`${size(damaged)} damaged; where: sluice verify ${directory}`));
  if (setAside.count > 0)
    lines.push(
      `${counted(setAside.count, 'damaged file')} set aside in ${directory}/damaged, ${size(setAside.bytes)}`,
    );
  if (totals.events.foreign > 0)
    lines.push(
      `${counted(totals.events.foreign, 'file')} of another version of Sluice: use that version to deliver them`,
    );
  if (unanswered)
    lines.push(
      `${counted(unanswered.processes, 'process', 'processes')} in a row sent events and ended before the answer; what they sent may arrive twice`,
    );
  if (totals.events.waitingAlive > 0)
    lines.push(
      `living processes deliver theirs themselves; what keeps them from it: sluice doctor ${directory}`,
    );
  const orphaned = totals.events.waiting - totals.events.waitingAlive;
  if (orphaned > 0) lines.push(`to deliver what waits: sluice drain ${directory}`);
  if (reasons.length > 0) lines.push(`to read the dead letters: sluice dead-letters list ${directory}`);
  return lines.join('\n');
}

function waitingText({ totals: { events, deadLetters } }: Summary, now: number): string {
  const { waiting, files, bytes, oldestAt } = events;
  if (files === 0) {
    const isEmpty = deadLetters.waiting === 0;
    return `nothing waits${isEmpty ? ': all is delivered, or this is not the directory of a journal' : ''}`;
  }
  const age = oldestAt === undefined ? '' : `; the oldest for ${duration(Math.max(0, now - oldestAt))}`;
  return `${counted(waiting, 'event')} ${waiting === 1 ? 'waits' : 'wait'} in ${counted(files, 'file')}, ${size(bytes)}${age}`;
}

function letterLines({ reasons, totals }: Summary): string[] {
  const { waiting } = totals.deadLetters;
  if (waiting === 0) return [];
  const shown = reasons.slice(0, MOST_REASONS);
  const lines = shown.map(({ status, excerpt, count: letters }) => {
    const text = plainText(excerpt).slice(0, MOST_EXCERPT);
    return `  ${count(letters).padStart(8)}  ${status}  ${text}`;
  });
  if (reasons.length > shown.length)
    lines.push(`  and ${counted(reasons.length - shown.length, 'more reason')}`);
  return [`${counted(waiting, 'dead letter')}:`, ...lines];
}
