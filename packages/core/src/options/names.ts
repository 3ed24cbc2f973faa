import { ConfigError } from '@sluice/protocol';
import type { Rules } from '@sluice/protocol/toolbox';

/** Option names of other trackers, and the option of Sluice. */
const OTHER_OPTIONS: Readonly<Record<string, string>> = {
  clock: 'give it to createTracker() of @sluice/core/testing',
  random: 'give it to createTracker() of @sluice/core/testing',
  url: 'the address of the service is baseUrl',
  host: 'the address of the service is baseUrl',
  endpoint: 'the address of the service is baseUrl',
  key: 'the key is apiKey',
  token: 'the key is apiKey',
  writeKey: 'the key is apiKey',
  primaryKey: 'the name of the primary key is correlationKey',
  flushAt: 'it is batch.maxEvents here',
  flushInterval: 'it is batch.maxWaitMs here',
  maxQueueSize: 'it is buffer.maxEvents here',
};
/** Shorter names begin many others, and a longer one is no slip of the pen. */
const [SHORTEST, LONGEST] = [4, 40];

/** Throws a ConfigError for an unknown option, if the user probably means another one. */
export function checkNames(given: unknown, rules: Rules): void {
  const groups = Object.entries(rules).filter(([, rule]) => !Array.isArray(rule));
  const tables = [['', rules], ...groups] as readonly (readonly [string, Rules])[];
  for (const [group, table] of tables) {
    const values: unknown = group === '' ? given : Reflect.get(Object(given), group);
    if (typeof values !== 'object' || values === null) continue;
    for (const name of Object.keys(values)) {
      if (Object.hasOwn(table, name)) continue;
      const option = pathOf(group, name);
      const other = Object.hasOwn(OTHER_OPTIONS, option) ? OTHER_OPTIONS[option] : undefined;
      const hint = other ?? elsewhere(name, tables) ?? meant(name, Object.keys(table), group);
      if (hint !== undefined) throw new ConfigError(option, `${option} is not an option; ${hint}`);
    }
  }
}

/** Suggests the known name that begins with a wrong one, or is most like it. Undefined if all differ by more than a third. */
export function meant(name: string, known: readonly string[], group = ''): string | undefined {
  if (name.length > LONGEST) return undefined;
  const [nearest] = known
    .map((other) => ({ other, far: difference(other.toLowerCase(), name.toLowerCase()) }))
    .filter(({ far }) => far <= name.length / 3)
    .sort((one, other) => one.far - other.far);
  return nearest && `did you mean ${pathOf(group, nearest.other)}?`;
}

/** Suggests the options of this name in other groups. */
function elsewhere(name: string, tables: readonly (readonly [string, Rules])[]): string | undefined {
  const found = tables
    .filter(([, table]) => Object.hasOwn(table, name))
    .map(([group]) => pathOf(group, name));
  return found.length > 0 ? `did you mean ${found.join(' or ')}?` : undefined;
}

/** 0 if a known name begins with the wrong one. */
function difference(known: string, wrong: string): number {
  return wrong.length >= SHORTEST && known.startsWith(wrong) ? 0 : distance(known, wrong);
}

/** How many characters must be added, removed or replaced to make one text of the other. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [at, character] of [...one].entries()) {
    const next = [at + 1];
    for (let index = 0; index < other.length; index += 1) {
      const replaced = (row[index] ?? 0) + (character === other[index] ? 0 : 1);
      next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

function pathOf(group: string, name: string): string {
  return group === '' ? name : `${group}.${name}`;
}
