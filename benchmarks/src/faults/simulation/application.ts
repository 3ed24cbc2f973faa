import type { DropReason, FinishOptions, Ordering, Tracker } from '@sluice/core';
import { BATCH_OVERHEAD_BYTES } from '@sluice/protocol/toolbox';
import { numberedUuid } from '../../processes/numbered-uuid.ts';
import type { DiskCalls } from './disk-calls.ts';
import type { Log } from './log.ts';
import type { Machine } from './machine.ts';
import { droppedOf, STRICT, type TrackedEvent } from './model.ts';
import type { Settings } from './settings.ts';
import { VirtualProcess } from './virtual-process.ts';
import { type Watched, watch } from './watch.ts';

/** How long a closing tracker tries to release everything. */
const SHUT_DOWN_MS = 5_000;
/** `durable()` has no time-out of its own, and some calls to the disk take seconds. */
const DURABLE_MS = 10 * 60_000;
/** Drop reasons of an event that the tracker does not take. */
const NOT_TAKEN: ReadonlySet<DropReason> = new Set(['buffer-full', 'closed', 'journal-full']);
/** How much a call may exceed its time-out. */
const GRACE_MS = 10;
const CORRELATION_KEY = 'email';
const CUSTOMERS = ['ada@example.com', 'bob@example.com', 'eve@example.com'];

/** A process with a tracker. Checks the tracker's reports against the model. */
export class Application {
  readonly process: VirtualProcess = new VirtualProcess();
  readonly log: Log;
  readonly #number: number;
  readonly #machine: Machine;
  readonly #fsync: Settings['journal']['fsync'];
  readonly #mostPadding: number;
  readonly #ordering: Ordering | undefined;
  readonly #hasPriorities: boolean;
  readonly #tracker: Tracker;
  readonly #calls: DiskCalls;
  #tracked = 0;
  /** The event in the current call of track(), and the size of a request with only that event. */
  #tracking = { uuid: '', bytes: 0 };
  /** The events that the tracker took, in order, and how many of them it has reported as written. */
  readonly #taken: TrackedEvent[] = [];
  #written = 0;
  /** Whether the unwritten events are the newest. Not so if some events had to go on without the journal. */
  #isOrdered = true;
  #dropped = 0;
  #deadLettered = 0;
  /** Events that the tracker did not take. */
  #refused = 0;
  #isClosing = false;
  /** Whether it ended before all its calls to the disk had: these took too long. */
  wasCutOff = false;

  constructor(number: number, machine: Machine, settings: Settings) {
    const { tracker, journal, hasPriorities, mostPadding } = settings;
    this.#number = number;
    this.#machine = machine;
    const { log } = machine;
    this.log = log && ((line) => log(`application ${number}: ${line}`));
    this.#fsync = journal.fsync;
    this.#mostPadding = mostPadding;
    this.#ordering = tracker.ordering;
    this.#hasPriorities = hasPriorities && tracker.ordering !== 'strict';
    const { clock, calls, fs, locks, transport } = machine.surround(
      ...([this.process, number, tracker.delivery?.policy] as const),
    );
    this.#calls = calls;
    this.log?.(`starts: ${JSON.stringify({ tracker, journal })}`);
    this.#tracker = machine.core.createTracker(
      { ...tracker, clock, transport },
      { ...journal, clock, fs, locks },
    );
    this.#tracker.on('dropped', ({ reason, count }) => {
      if (NOT_TAKEN.has(reason)) this.#refused += count;
    });
    this.#tracker.on('storageFailed', () => {
      this.#isOrdered = false;
    });
    this.#tracker.on('invalid', ({ error }) => {
      this.#refused += 1;
      machine.model.refused([this.#tracking.uuid]);
      if (this.#tracking.bytes <= machine.service.mostBytes) machine.model.problem(String(error));
    });
  }

  /** How many events its tracker has reported as dropped. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Whether the tracker reports no pending events. */
  get isIdle(): boolean {
    return this.#tracker.stats().pending === 0;
  }

  track(isBad: boolean): void {
    const { model, random, agenda } = this.#machine;
    const uuid = numberedUuid(this.#number, this.#tracked);
    const payload = {
      number: this.#tracked,
      padding: 'ä'.repeat(random(this.#mostPadding / 2)),
    };
    this.#tracked += 1;
    const correlationValue = CUSTOMERS[random(CUSTOMERS.length)] ?? '';
    const text = JSON.stringify({
      event: 'happened',
      correlationKey: CORRELATION_KEY,
      correlationValue,
      source: 'custom',
      timestamp: new Date(Math.floor(agenda.now)).toISOString(),
      uuid,
      payload,
    });
    const place = this.#tracked;
    const sequence = { unordered: undefined, 'per-customer': correlationValue, strict: STRICT }[
      this.#ordering ?? 'unordered'
    ];
    const event = model.track({ uuid, text, isBad, client: this.#number, place, sequence });
    this.#tracking = { uuid, bytes: Buffer.byteLength(text) + BATCH_OVERHEAD_BYTES };
    const priority = this.#hasPriorities && random(4) === 0 ? 'high' : 'normal';
    const before = this.#refused;
    try {
      this.#tracker.track('happened', payload, { uuid, correlationValue, priority });
    } catch (error) {
      model.problem(`track() threw: ${String(error)}`);
    }
    const isTaken = this.#refused === before;
    if (isTaken) this.#taken.push(event);
    this.log?.(`tracks ${uuid}${isBad ? ', a bad one' : ''}${isTaken ? '' : '; it is not taken'}`);
  }

  /** Checks the tracker's stats. */
  observe(): void {
    const { model } = this.#machine;
    if (this.process.isDead || !this.process.hasActed()) return;
    const stats = this.#tracker.stats();
    model.balance(stats);
    model.deadLettered(stats.deadLettered - this.#deadLettered);
    this.#deadLettered = stats.deadLettered;
    this.#dropped = droppedOf(stats);
    if (stats.journal !== 'file') return;
    if (stats.unwritten === 0) this.#isOrdered = true;
    else if (this.#hasPriorities || this.#ordering === 'per-customer') this.#isOrdered = false;
    const written = this.#isOrdered ? this.#taken.length - stats.unwritten : 0;
    if (written <= this.#written) return;
    this.log?.(`${written} are written`);
    const events = this.#taken.slice(this.#written, written);
    this.#written = written;
    model.promise(events, this.#fsync === 'always' ? 'synced' : 'written');
  }

  setApiKey(key: string): void {
    this.log?.(`setApiKey(${key})`);
    this.#tracker.setApiKey(key);
  }

  durable(): void {
    const { model } = this.#machine;
    const events = this.#taken.slice();
    this.log?.('durable()');
    watch(this.#watched('durable()', DURABLE_MS), this.#tracker.durable(), {
      resolved: () => {
        this.log?.(`${events.length} are durable`);
        model.promise(events, this.#fsync === 'never' ? 'written' : 'synced');
      },
      rejected: (error) => {
        this.log?.(`durable() rejects: ${String(error)}`);
        const { diskWeather, isScarce } = this.#machine;
        if (diskWeather.faults === 0 && !isScarce && !this.#isClosing) {
          model.problem(`durable() rejects on a disk that works: ${String(error)}`);
        }
      },
    });
  }

  flush(options: FinishOptions & { timeoutMs: number }, done?: () => void): void {
    this.log?.(`flush(${options.timeoutMs})`);
    watch(this.#watched('flush()', options.timeoutMs + GRACE_MS), this.#tracker.flush(options), {
      resolved: (report) => {
        this.log?.(`flushed: ${JSON.stringify(report)}`);
        done?.();
      },
    });
  }

  /** Closes the tracker, and then ends the process. */
  close(timeoutMs: number, done?: () => void): void {
    const { model, agenda } = this.#machine;
    const closedAt = agenda.now;
    const given = this.#tracker.stats().dropped.closed;
    this.#isClosing = true;
    this.log?.(`close(${timeoutMs})`);
    watch(this.#watched('close()', timeoutMs + SHUT_DOWN_MS + GRACE_MS), this.#tracker.close({ timeoutMs }), {
      resolved: (report) => {
        this.observe();
        this.log?.(`closed: ${JSON.stringify(report)}`);
        if (this.#tracker.stats().dropped.closed === given) model.promise(this.#taken, 'written');
        this.wasCutOff = agenda.now - closedAt >= SHUT_DOWN_MS;
        this.#checkCalls();
        this.end();
        done?.();
      },
    });
  }

  stop(): void {
    this.log?.('is stopped');
    this.process.stop();
  }

  goOn(): void {
    this.log?.('goes on');
    this.process.goOn();
  }

  /** Ends the process after its exit listeners have run. They write synchronously, so all events are written. */
  exit(): void {
    const { model, diskWeather } = this.#machine;
    const { dropped } = this.#tracker.stats();
    if (dropped.closed === 0 && diskWeather.faults === 0) model.promise(this.#taken, 'written');
    this.end();
  }

  /** Ends the process. What follows does not matter any more. */
  abandon(): void {
    this.end();
  }

  /** Ends the process at once. Its tracker reaches nothing any more; closing it only frees its memory. */
  end(): void {
    if (this.process.isDead) return;
    this.log?.('ends');
    this.process.end();
    void this.#tracker.close({ timeoutMs: 0 });
  }

  /** A closed tracker must not change the disk any more. If closing took too long, its calls are cut off, as by a crash. */
  #checkCalls(): void {
    if (this.wasCutOff) this.#machine.cutOffs += 1;
    else if (this.#calls.changing > 0)
      this.#machine.model.problem('close() resolved with changes to the disk under way');
  }

  #watched(what: string, mostMs: number): Watched {
    return { machine: this.#machine, process: this.process, what, mostMs };
  }
}
