import { signal } from '@preact/signals';
import type { CustomerRow, CustomerRows as CustomerRowsPage } from '../../src/admin/audience-contract.ts';
import { ask } from '../shell/asking/ask.ts';

const AT_ONCE = 100;
const MOST_KEPT = 50;

interface Part {
  readonly rows: readonly CustomerRow[];
  /** The version when it was requested. */
  readonly version: number;
}

/**
 * The customers that match a search, in an order, each available by its index. It requests only the rows in view, and keeps them
 * for a while. A component that reads it renders again when it changes, as with a signal.
 */
export class CustomerRows {
  readonly #query: Readonly<Record<string, string>>;
  readonly #changes = signal(0);
  readonly #over = new AbortController();
  readonly #parts = new Map<number, Part>();
  #version = 0;
  #total: number | undefined;
  #wanted: readonly [first: number, last: number] = [0, 0];
  #isAsking = false;
  #error: unknown;

  /** @param query The fields `search`, `sort` and `descending` of the route. */
  constructor(query: Readonly<Record<string, string>>) {
    this.#query = query;
  }

  /** How many there are; undefined until that is known. */
  get total(): number | undefined {
    void this.#changes.value;
    return this.#total;
  }

  /** The names of the attributes that the known rows have, most frequent first. */
  get names(): string[] {
    void this.#changes.value;
    const counts = new Map<string, number>();
    for (const { rows } of this.#parts.values())
      for (const { attributes } of rows)
        for (const name of Object.keys(attributes)) counts.set(name, (counts.get(name) ?? 0) + 1);
    return [...counts].sort(([, one], [, other]) => other - one).map(([name]) => name);
  }

  /** Why the last requested rows did not arrive. */
  get error(): unknown {
    void this.#changes.value;
    return this.#error;
  }

  /** The customer at an index; undefined until it has arrived. */
  row(index: number): CustomerRow | undefined {
    void this.#changes.value;
    return this.#parts.get(Math.floor(index / AT_ONCE))?.rows[index % AT_ONCE];
  }

  /** Id of the customer `step` rows below another one; undefined if it is not known. */
  neighbour(id: number, step: number): number | undefined {
    for (const [part, { rows }] of this.#parts) {
      const at = rows.findIndex((row) => row.id === id);
      if (at !== -1) return this.row(part * AT_ONCE + at + step)?.id;
    }
    return undefined;
  }

  /** Says which rows are in view, so that they are requested. */
  want(first: number, last: number): void {
    this.#wanted = [first, last];
    void this.#fill();
  }

  /** Requests the rows in view again. The old ones stay until the answer. */
  renew(): void {
    this.#version += 1;
    void this.#fill();
  }

  /** Stops all requests. */
  close(): void {
    this.#over.abort();
  }

  async #fill(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      for (let part = this.#missing(); part !== undefined; part = this.#missing()) await this.#ask(part);
      this.#error = undefined;
    } catch (error) {
      this.#error = error;
    } finally {
      this.#isAsking = false;
      this.#changes.value += 1;
    }
  }

  /** The first part in view that is missing or out of date. */
  #missing(): number | undefined {
    const [first, last] = this.#wanted;
    const end = Math.min(last, (this.#total ?? 1) - 1);
    for (let part = Math.floor(first / AT_ONCE); part === 0 || part * AT_ONCE <= end; part += 1) {
      if (this.#parts.get(part)?.version !== this.#version) return part;
    }
    return undefined;
  }

  async #ask(part: number): Promise<void> {
    const version = this.#version;
    const query = { ...this.#query, offset: String(part * AT_ONCE), limit: String(AT_ONCE) };
    const path = `/customers?${new URLSearchParams(query)}`;
    const { customers, total } = await ask<CustomerRowsPage>(path, { signal: this.#over.signal });
    this.#total = total;
    this.#parts.delete(part);
    this.#parts.set(part, { rows: customers, version });
    const [oldest] = this.#parts.keys();
    if (this.#parts.size > MOST_KEPT && oldest !== undefined) this.#parts.delete(oldest);
    this.#changes.value += 1;
  }
}
