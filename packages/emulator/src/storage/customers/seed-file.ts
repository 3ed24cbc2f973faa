import { ConfigError, type Event, findEventProblem } from '@sluice/protocol';
import { describe } from '@sluice/protocol/toolbox';
import { type JsonLine, readJsonLines } from '../../customers/json-lines.ts';
import type { ReceivedEvent } from '../../events/tracked-events.ts';

/**
 * Reads the events of a file with one JSON object per line, in order. Skips blank lines. Throws a {@link ConfigError} that names
 * the first wrong line.
 */
export function* readSeedFile(path: string): Generator<ReceivedEvent> {
  try {
    for (const line of readJsonLines(path)) yield { text: line.text, event: toEvent(line) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const rule = 'must be a file with the JSON of one event a line';
    throw new ConfigError('seed', `seed ${rule}, got ${describe(path)}: ${reason}`, { cause: error });
  }
}

function toEvent({ number, value }: JsonLine): Event {
  const problem = findEventProblem(value);
  if (problem !== undefined) throw new Error(`line ${number}: ${problem.message}`);
  return value as Event;
}
