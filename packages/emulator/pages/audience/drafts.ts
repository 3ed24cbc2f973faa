import type { Customer } from '@sluice/protocol';

/** An attribute that is being edited. */
export interface Draft {
  /** Identifies the draft while its name changes. */
  readonly key: number;
  readonly name: string;
  readonly value: string;
  /** Whether `value` is JSON. If not, it is the string itself. */
  readonly isJson: boolean;
}

/** What is wrong with a draft. */
export interface DraftProblem {
  readonly at: 'name' | 'value';
  readonly message: string;
}

let made = 0;

/** Creates a draft with its own key. */
export function newDraft(name = '', value = '', isJson = false): Draft {
  made += 1;
  return { key: made, name, value, isJson };
}

/** Converts the attributes of a customer to drafts. The primary key comes first, even if the customer lacks it. */
export function toDrafts(attributes: Customer, primaryKey: string): Draft[] {
  const first = [primaryKey, attributes[primaryKey] ?? ''] as const;
  const others = Object.entries(attributes).filter(([name]) => name !== primaryKey);
  return [first, ...others].map(([name, value]) => {
    const isJson = typeof value !== 'string';
    return newDraft(name, isJson ? JSON.stringify(value, null, 2) : value, isJson);
  });
}

/**
 * Converts drafts to attributes, and returns the problems by the keys of the drafts. The attributes are valid if there is no
 * problem. Drafts without name and value are left out.
 */
export function readDrafts(drafts: readonly Draft[]): {
  readonly attributes: Customer;
  readonly problems: ReadonlyMap<number, DraftProblem>;
} {
  const problems = new Map<number, DraftProblem>();
  const pairs: [string, Customer[string]][] = [];
  const names = new Set<string>();
  for (const { key, name, value, isJson } of drafts) {
    if (name === '' && value === '') continue;
    if (name === '') problems.set(key, { at: 'name', message: 'An attribute needs a name.' });
    if (names.has(name)) problems.set(key, { at: 'name', message: 'There are two of this name.' });
    names.add(name);
    try {
      pairs.push([name, isJson ? JSON.parse(value) : value]);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      problems.set(key, { at: 'value', message: `This is not JSON: ${reason}` });
    }
  }
  return { attributes: Object.fromEntries(pairs), problems };
}
