import type { RequestContent } from '../admin/contract.ts';
import type { Sendable } from './sent-request.ts';

const MOST_KEPT = 200;

/** A request whose content is kept. */
export interface RecentRequest {
  /** As pages show it: secrets are masked, and a gzipped body is unpacked. */
  readonly content: RequestContent;
  /** The same request, to send it again; undefined if a part of its body was not kept. */
  readonly repeatable: Sendable | undefined;
}

/** Keeps the last 200 refused requests and the last 200 others with their content, in memory. */
export class RecentRequests {
  readonly #refused = new Map<number, RecentRequest>();
  readonly #others = new Map<number, RecentRequest>();

  add(id: number, request: RecentRequest, isRefused: boolean): void {
    const kept = isRefused ? this.#refused : this.#others;
    kept.set(id, request);
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  }

  get(id: number): RecentRequest | undefined {
    return this.#refused.get(id) ?? this.#others.get(id);
  }

  clear(): void {
    this.#refused.clear();
    this.#others.clear();
  }
}
