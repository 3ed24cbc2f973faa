import { type Backoff, backoffDelayMs, type Clock } from '@sluice/protocol/toolbox';
import type { ClockOffset } from '../../accept/clock-offset.ts';
import type { Fate } from '../../base/fate.ts';
import type { Settings } from '../../options/settings.ts';
import { probeMs } from '../../pace/wait-times.ts';
import { type Rule, ruleOf } from '../../send/delivery-policy.ts';
import type { Outcome } from '../../send/http/transport.ts';
import { requestFailed } from '../../send/request-failed.ts';
import type { Books } from '../../tell/books.ts';
import type { Reporter } from '../../tell/reporter.ts';
import type { Keeper } from '../keep/keeper.ts';
import type { Parcel } from '../keep/parcel.ts';
import { type Batch, type Blame, batchOf, countOf } from './blame.ts';
import type { Gate } from './gate.ts';
import type { Relay } from './relay.ts';
import type { Requests } from './requests.ts';

/** A page that was left may see the answer to a request for so long. */
const LEASE_MS = 30_000;
const UNAUTHORIZED = 401;
const MOST_WAIT_MS = 1_000;
const DENIED: Backoff = { baseMs: 1_000, maxMs: 60_000 };
const SUSPECT: Backoff = { baseMs: 60_000, maxMs: 60 * 60_000 };
const PROBES = 3;
const WRONG_PROBES = 10;

/** What is under way. */
export interface Traffic {
  /** Batches that wait for their retry. */
  retries: Batch[];
  running: number;
  /** The most bytes of a request that the service accepts. */
  mostBytes: number;
  /** How often the page was left. */
  departures: number;
  /** How often consent was denied. */
  denials: number;
  /** How often a retry was asked for. Answers to requests before it may be about another key. */
  resumes: number;
  isStopped: boolean;
}

export interface DeliveryOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly random: () => number;
  readonly keeper: Keeper;
  readonly gate: Gate;
  readonly blame: Blame;
  readonly requests: Requests;
  /** Undefined: the service itself. */
  readonly relay: Relay | undefined;
  readonly reporter: Reporter;
  readonly books: Books;
  readonly offset: Pick<ClockOffset, 'learn'> | undefined;
  readonly end: (parcel: Parcel, fate: Fate) => void;
  /** Two parcels take the place of one. */
  readonly cut: (parcel: Parcel, count: number) => Parcel[];
  readonly keepLetter: (parcel: Parcel, status: number, words: string) => void;
}

export interface Delivery {
  /** Other pages leave these parcels alone while this one may see the answer. */
  lease(parcels: readonly Parcel[]): void;
  deliver(batch: Batch, outlives?: boolean): Promise<void>;
  /** Its halves are sent in its place. */
  halve(batch: Batch): void;
}

/** Makes a request, and does what its answer asks for. */
export function createDelivery(options: DeliveryOptions, traffic: Traffic, wake: () => void): Delivery {
  const { settings, clock, random, keeper, gate, blame, requests, relay, reporter, books } = options;
  const { end, cut, keepLetter, offset } = options;
  const { delivery } = settings;
  const backoff = { baseMs: delivery.retryBaseMs, maxMs: delivery.retryMaxMs };
  const leaseMs = Math.max(LEASE_MS, settings.advanced.headersTimeoutMs);

  function lease(all: readonly Parcel[]): void {
    keeper.lease(all, leaseMs);
  }

  async function deliver(batch: Batch, outlives = false): Promise<void> {
    const before = { ...traffic, at: clock.now() };
    const leasedUntil = before.at + leaseMs;
    const texts = batch.parcels.flatMap(({ texts }) => texts ?? []);
    const [first] = batch.parcels;
    batch.isNamed ||= outlives || first?.isFrozen === true;
    const fields = first && relay?.fields(first, texts, batch.isNamed);
    if (relay && !fields) return putBack(batch);
    traffic.running += 1;
    if (!outlives && blame.inARow === 0) {
      lease(batch.parcels);
      void keeper.commit();
    }
    blame.sent(batch);
    try {
      const outcome = await requests.post(texts, batch.sent > 1, outlives, fields);
      batch.parcels = batch.parcels.filter(({ state }) => state !== 'ended');
      // The browser goes on with requests of a page that is left, though they seem to fail.
      const isGoingOn =
        outcome.kind === 'failed' && (before.departures < traffic.departures || keeper.isLeft);
      if (!traffic.isStopped || outcome.kind === 'answered')
        handle(batch, outcome, before, isGoingOn ? leasedUntil : 0);
    } finally {
      traffic.running -= 1;
      wake();
    }
  }

  /** Without a ticket it waits for one, or ends if there will be none. */
  function putBack({ parcels: all }: Batch): void {
    keeper.endLease(all);
    for (const parcel of all) {
      parcel.state = 'waiting';
      if (relay?.mayGo(parcel)) end(parcel, 'identity-expired');
    }
  }

  function handle(
    batch: Batch,
    outcome: Outcome,
    before: Traffic & { readonly at: number },
    leasedUntil: number,
  ): void {
    const rule = ruleOf(outcome, delivery.policy);
    const now = clock.now();
    if (rule.action === 'accept') {
      if (gate.accepted()) for (const other of traffic.retries) if (!other.isAlone) other.at = now;
      blame.accepted(batch, now);
      keeper.answered();
      if (outcome.kind === 'answered') offset?.learn(outcome.date, before.at, now);
      traffic.mostBytes = Math.ceil(traffic.mostBytes * 1.02);
      if (relay && outcome.kind === 'answered') bury(batch, relay.refused(outcome.body), outcome.status);
      for (const parcel of batch.parcels) end(parcel, 'delivered');
      return;
    }
    const error = requestFailed(outcome, rule, requests.url, now);
    const { excerpt = '', retryAfterMs, status = 0 } = error;
    reporter.requestFailed(error);
    if (before.denials < traffic.denials) {
      for (const parcel of batch.parcels) end(parcel, 'denied');
      return;
    }
    const [first] = batch.parcels;
    if (relay && status === UNAUTHORIZED && first) {
      relay.refuse(first.customer);
      return void putBack(batch);
    }
    if (leasedUntil > 0) return void retry(batch, leasedUntil - now);
    keeper.endLease(batch.parcels);
    batch.status = status;
    batch.words = excerpt;
    if (rule.isAmbiguous) books.maybeDuplicate += countOf(batch);
    if (rule.isPushback && retryAfterMs) {
      gate.asked(retryAfterMs, batch);
      return void retry(batch, 0);
    }
    if (rule.action === 'pause' && before.resumes < traffic.resumes) return void retry(batch, 0);
    failed(batch, rule, now);
  }

  /** The relay refused single events of a request. */
  function bury(
    batch: Batch,
    refused: readonly (readonly [index: number, reason: string])[],
    status: number,
  ): void {
    for (const [index, reason] of refused) {
      let start = 0;
      for (const parcel of batch.parcels) {
        const at = index - start;
        start += parcel.count;
        if (at < 0 || at >= parcel.count) continue;
        const parts = [parcel];
        if (at > 0) parts.push(...cut(parts.pop() ?? parcel, at));
        const last = parts.pop() ?? parcel;
        const [bad = last, ...others] = last.count > 1 ? cut(last, 1) : [last];
        batch.parcels = batch.parcels.flatMap((other) =>
          other === parcel ? [...parts, bad, ...others] : [other],
        );
        keepLetter(bad, status, requests.redact(reason));
        break;
      }
    }
  }

  function failed(batch: Batch, rule: Rule, now: number): void {
    const { action, reason } = rule;
    const { parcels: all, status, whole, words } = batch;
    const isDenial = action === 'pause';
    const isWrong = action === 'isolate' || action === 'split';
    const why = { reason, status, words };
    if (!isDenial && action !== 'retry') batch.isRefused = true;
    if (gate.state !== 'closed' && !batch.isAlone) {
      gate.probeFailed(why);
      return void again(batch);
    }
    const isDoubt = blame.failed(batch, isWrong, action === 'retry', now);
    if (isDenial && (rule.isAskedFor || !(blame.isKnown || rule.endsEvent))) {
      again(batch);
      return void gate.hold(why);
    }
    if (isDoubt || (isDenial && !blame.isKnown)) {
      gate.doubt(isWrong ? WRONG_PROBES : PROBES);
      return void again(batch);
    }
    switch (blame.verdict(rule, batch, now)) {
      case 'drop':
        for (const parcel of all) end(parcel, 'refused');
        return;
      case 'shrink':
        traffic.mostBytes = Math.min(traffic.mostBytes, Math.ceil(bytesOf(all) / 2));
        return void halve(batch);
      case 'halve':
        return void halve(batch);
      case 'end':
        whole.isAccepted = true;
        for (const parcel of all) keepLetter(parcel, status, words);
        return;
      case 'suspect':
        if (!batch.isAlone) batch.failures = 0;
        batch.isAlone = true;
    }
    again(batch, isDenial);
  }

  /** Halves are sent at once: a request of several parcels becomes two with fewer, one parcel becomes two. */
  function halve({ parcels: all, whole }: Batch): void {
    const [first] = all;
    const middle = Math.ceil(all.length / 2);
    const halves =
      all.length > 1 || !first
        ? [all.slice(0, middle), all.slice(middle)]
        : cut(first, Math.ceil(first.count / 2)).map((part) => [part]);
    const pair = { isAccepted: false };
    for (const half of halves) traffic.retries.push(batchOf(half, whole, pair));
  }

  function again(batch: Batch, isDenial = false): void {
    const { failures, isAlone, whole } = batch;
    const spread = () => 1 + random() / 2;
    let waitMs = probeMs(Math.max(failures - 1, blame.inARow - 1, 0), backoff, random);
    if (isAlone) waitMs = backoffDelayMs(failures, SUSPECT, spread);
    else if (isDenial) waitMs = backoffDelayMs(failures - 1, DENIED, spread);
    else if (whole.isAccepted) waitMs = Math.min(waitMs, MOST_WAIT_MS * random());
    retry(batch, waitMs);
  }

  function retry(batch: Batch, waitMs: number): void {
    batch.waitMs = waitMs;
    batch.at = clock.now() + waitMs;
    traffic.retries.push(batch);
  }

  return { lease, deliver, halve };
}

export function bytesOf(parcels: readonly Parcel[]): number {
  return parcels.reduce((total, { bytes }) => total + bytes, 0);
}
