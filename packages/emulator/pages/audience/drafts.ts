import type { Customer } from '@sluice/protocol';

/** An attribute as it is being edited. */
export interface Draft {
  /** Tells drafts apart while their names change. */
  readonly key: number;
  readonly name: string;
  readonly value: string;
  /** Whether `value` is JSON; else it is the string itself. */
  readonly isJson: boolean;
}

/** What is wrong with a draft. */
export interface DraftProblem {
  readonly at: 'name' | 'value';
  readonly message: string;
}

let made = 0;

/** A draft with a key of its own. */
export function newDraft(name = '', value = '', isJson = false): Draft {
  made += 1;
  return { key: made, name, value, isJson };
}

/** The attributes of a customer as drafts, its primary key first, which is there in any case. */
export function toDrafts(attributes: Customer, primaryKey: string): Draft[] {
  const first = [primaryKey, attributes[primaryKey] ?? ''] as const;
  const others = Object.entries(attributes).filter(([name]) => name !== primaryKey);
  return [first, ...others].map(([name, value]) => {
    const isJson = typeof value !== 'string';
    return newDraft(name, isJson ? JSON.stringify(value, null, 2) : value, isJson);
  });
}

/** What drafts come to: attributes, where there is no problem; problems by the keys of drafts. Drafts without name and value are left out. */
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
