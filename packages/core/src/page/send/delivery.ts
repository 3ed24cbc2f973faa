import type { Why } from '../../pace/breaker.ts';
import { type Blame, createBlame, probesOf, retryMs } from '../../send/blame.ts';
import { type Rule, ruleOf, WRONG } from '../../send/delivery-policy.ts';
import type { Outcome } from '../../send/http/transport.ts';
import { requestFailed } from '../../send/request-failed.ts';
import { countOf } from '../../send/trial.ts';
import { free, type Parcel } from '../keep/parcel.ts';
import { type Batch, batchOf, type Carried, carry } from './batch.ts';
import { UNAUTHORIZED } from './relay.ts';
import type { DeliveryOptions, Traffic } from './stages.ts';

/** A page that was left may see the answer to a request for so long. */
const LEASE_MS = 30_000;

interface Delivery {
  readonly blame: Blame;
  readonly traffic: Traffic;
  /** @param outlives Whether the request goes on though the page is left. */
  deliver(batch: Batch, outlives?: boolean): Promise<void>;
  /** Its halves are sent in its place. @param most The first one is no larger. */
  halve(batch: Batch, most?: number): void;
}

/** Makes a request, and does what its answer asks for. */
export function createDelivery(
  options: DeliveryOptions,
  wake: () => void,
  hasOthers: () => boolean,
): Delivery {
  const { settings, clock, random, parcels, keeper, gate, requests, relay, reporter, books } = options;
  const { letters, limits, offset, rejected, tabs } = options;
  const { cut, end } = parcels;
  const { delivery, isOrdered } = settings;
  const isStrict = settings.ordering === 'strict';
  const blame = createBlame(clock, isStrict);
  const traffic: Traffic = {
    ...{ retries: [], running: 0, isStopped: false },
    ...{ left: 0, denied: 0, resumed: 0 },
  };
  const backoff = { baseMs: delivery.retryBaseMs, maxMs: delivery.retryMaxMs };
  const leaseMs = Math.max(LEASE_MS, settings.advanced.headersTimeoutMs);

  async function deliver(batch: Batch, outlives = false): Promise<void> {
    const before = { ...traffic, at: clock.now(), state: gate.state, isAlive: false };
    const { parcels: sent } = batch;
    const [first] = sent;
    const texts = batch.parcels.flatMap(({ texts }) => texts ?? []);
    batch.isNamed ||= outlives || first?.isFrozen === true;
    const fields = first && relay?.fields(first, texts, batch.isNamed);
    if (relay && !fields) return void putBack(batch);
    let { carried } = batch;
    if (fields || carried?.count !== texts.length) carried = carry(texts, fields);
    batch.carried = carried;
    traffic.running += 1;
    const begin = () => {
      // While the body was packed: others may have sent it, or nobody may.
      if (before.left < traffic.left || before.denied < traffic.denied) return false;
      if (blame.inARow === 0) {
        // Other pages leave these parcels alone while this one may see the answer: also those that are left, and read nothing.
        before.isAlive = lease(batch, leaseMs);
        void keeper.commit();
      }
      return true;
    };
    batch.sent += 1;
    limits.sent?.(batch, before.at);
    blame.sent(batch);
    try {
      const outcome = await requests.post(carried, batch.sent > 1, outlives, begin);
      batch.parcels = batch.parcels.filter(({ state }) => state !== 'ended');
      if (!traffic.isStopped || outcome.kind === 'answered') handle(batch, sent, carried, outcome, before);
    } finally {
      traffic.running -= 1;
      wake();
    }
  }

  /** @param forMs 0: it is in a request no more. */
  function lease({ parcels }: Batch, forMs: number): boolean {
    tabs.tell(['out', parcels.map(({ id }) => id), clock.now() + forMs]);
    return keeper.lease(parcels, forMs);
  }

  /** Without a ticket it waits for one, or ends if there will be none. */
  function putBack(batch: Batch): void {
    lease(batch, 0);
    for (const parcel of batch.parcels) {
      parcel.state = 'waiting';
      if (relay?.mayGo(parcel)) end(parcel, 'identity-expired');
    }
  }

  /**
   * The service is back: what failed only because of it is tried at once, and goes with others. What failed most often stays: so an event
   * at fault is found that fails alone.
   */
  function resume(): void {
    const { retries } = traffic;
    const [often] = retries.filter(({ isAlone }) => !isAlone).sort((one, other) => other.sent - one.sent);
    traffic.retries = retries.filter((batch) => {
      if (batch.isAlone || batch.isLeft) return true;
      batch.at = 0;
      // Those of one bad spell count once.
      batch.refusals = Math.min(batch.refusals, batch.proofs);
      const isOwn = isStrict || batch.isNamed || batch.proofs > 1 || batch === often;
      if (!isOwn) free(batch.parcels);
      return isOwn;
    });
  }

  function handle(
    batch: Batch,
    sent: readonly Parcel[],
    carried: Carried,
    outcome: Outcome,
    before: Traffic & { readonly at: number; readonly state: string; readonly isAlive: boolean },
  ): void {
    let rule = ruleOf(outcome, delivery.policy);
    const now = clock.now();
    const isAccepted = rule.action === 'accept';
    if (outcome.kind === 'answered' && (isAccepted || rule.reason === 'intercepted')) {
      // If `classify` knows the answer, it is the service's. A page of HTML is no answer of a relay.
      const named = rejected?.(carried, outcome);
      if (named?.length === carried.count) {
        // An answer that takes nothing is a refusal.
        rule = WRONG;
        outcome = { ...outcome, body: requests.redact(`${named[0]?.[1]}`) };
      } else if (named || isAccepted) {
        const isOutage = gate.pause?.reason === 'unavailable';
        const isBack = gate.accepted();
        if (isBack) {
          batch.failures = 0;
          resume();
        }
        blame.accepted(batch);
        requests.accepted();
        // A relay takes each event once: what may have arrived is always sent again.
        if (!relay) keeper.answered();
        limits.accepted(batch, now, isBack && isOutage);
        offset?.learn(outcome.date, before.at, now);
        return void settle(sent, named ?? [], outcome.status);
      }
    }
    const error = requestFailed(outcome, rule, requests.url, now);
    const { excerpt: words = '', retryAfterMs, status = 0 } = error;
    const { action, isPushback, reason } = rule;
    const [first] = batch.parcels;
    reporter.requestFailed(error);
    if (before.denied < traffic.denied) {
      for (const parcel of batch.parcels) end(parcel, 'denied');
      return;
    }
    if (relay && status === UNAUTHORIZED && first) {
      relay.refuse(first.customer);
      return void putBack(batch);
    }
    // The browser goes on with requests of a page that is left, though they seem to fail.
    if (outcome.kind === 'failed' && before.left < traffic.left) {
      if (settings.leaving === 'once' && before.isAlive && outcome.maybeSent)
        return void settle(batch.parcels, [], 0);
      batch.isLeft = true;
      return void retry(batch, before.at + leaseMs - now);
    }
    lease(batch, 0);
    const why = { reason, status, words };
    batch.why = why;
    if (rule.isAmbiguous) books.maybeDuplicate += countOf(batch);
    const isEnough = isPushback && limits.rate?.pushedBack(before.at, now, rule.isAlive, retryAfterMs);
    if (isPushback && retryAfterMs) {
      gate.asked(retryAfterMs, why, limits.rate?.waitMs(now));
      return void retry(batch, 0);
    }
    if (action === 'pause' && before.resumed < traffic.resumed) return void retry(batch, 0);
    // The service may only want fewer requests.
    if (gate.state === 'closed' && isEnough) again(batch);
    else failed(batch, rule, why, now, before);
  }

  /** The events of a request end: the refused ones as dead letters, which are stored in the transaction that releases them. */
  function settle(
    sent: readonly Parcel[],
    refused: readonly (readonly [index: number, reason: string])[],
    status: number,
  ): void {
    const events = sent.flatMap(({ count, id, texts = Array<undefined>(count).fill(undefined) }) =>
      texts.map((text) => [text, id] as const),
    );
    const excerpts: string[] = [];
    for (const [index, reason] of refused) {
      const [text, id] = events[index] ?? [];
      if (text === undefined) continue;
      const excerpt = requests.redact(reason);
      letters.keep(text, `${id} ${index}`, { status, excerpt });
      excerpts.push(excerpt);
    }
    const left = events.filter(([text]) => text !== undefined).length - excerpts.length;
    for (const parcel of sent) end(parcel, left > 0 ? 'delivered' : 'deadLettered', excerpts.length);
    // This emits nothing: a listener of the next one finds all counted.
    reporter.settled('deadLettered', excerpts.length);
    reporter.settled('delivered', left);
    for (const excerpt of excerpts) reporter.emit('deadLettered', { count: 1, status, excerpt });
  }

  function failed(batch: Batch, rule: Rule, why: Why, now: number, before: { readonly state: string }): void {
    const { parcels: all, whole } = batch;
    const { action, endsEvent } = rule;
    const isDenial = action === 'pause';
    // There may be nothing else to try: then the event at fault must be found all the same.
    const isOnly =
      isStrict || (isOrdered && (isDenial ? endsEvent === true : !whole.isAccepted) && !hasOthers());
    const isClosed = gate.state === 'closed';
    if (!isClosed && !batch.isAlone) {
      // It waits before anybody hears of a pause: a new key lets it go at once.
      if (!isOnly) again(batch);
      // What was sent before the doubt is no probe.
      if (before.state !== 'closed') gate.failed(why);
      if (!isOnly) return;
    }
    if (action === 'isolate') limits.refused?.(batch, now, blame.isSteady);
    switch (blame.failed(batch, rule, isOnly, isClosed)) {
      case 'hold':
        again(batch);
        if (isClosed) gate.hold(why);
        return;
      case 'doubt':
        again(batch);
        gate.doubt(probesOf(rule, isOnly));
        return;
      case 'drop':
        for (const parcel of all) end(parcel, 'refused');
        return;
      case 'halve':
        if (action === 'split') limits.tooLarge(batch, now);
        return void halve(batch);
      case 'end':
        return void settle(all, [[0, why.words]], why.status);
      case 'suspect':
        batch.isSuspect = true;
        if (batch.isAlone || (isStrict && batch.failures < (delivery.maxTries ?? Number.POSITIVE_INFINITY)))
          break;
        batch.isAlone = true;
        batch.failures = 1;
        for (const parcel of all) parcel.isAlone = true;
    }
    again(batch, isDenial);
  }

  /**
   * Halves are sent at once: a request of several parcels becomes two with fewer, one parcel becomes two. If it never failed, the second
   * one waits as anything new.
   */
  function halve(batch: Batch, most = Number.POSITIVE_INFINITY): void {
    const half = (count: number) => Math.max(1, Math.floor(Math.min(most, (count + 1) / 2)));
    const [first, second] = batch.parcels;
    const all = first && !second ? cut(first, half(first.count)) : batch.parcels;
    const count = half(all.length);
    const rest = all.slice(count);
    const failed = batch.proofs > 0 ? batch : undefined;
    retry(batchOf(all.slice(0, count), failed), 0);
    if (failed) retry(batchOf(rest, failed), 0);
    else free(rest);
  }

  function again(batch: Batch, isDenial = false): void {
    retry(batch, retryMs(batch, isDenial, backoff, random));
  }

  function retry(batch: Batch, waitMs: number): void {
    batch.waitMs = waitMs;
    batch.at = clock.now() + waitMs;
    traffic.retries.push(batch);
    // With much in memory, the texts that are stored are read again when they are sent.
    if (parcels.bytes <= settings.buffer.maxBytes / 4) return;
    batch.carried = undefined;
    for (const parcel of batch.parcels) if (parcel.isStored) parcels.unload(parcel);
  }

  return { blame, deliver, halve, traffic };
}
