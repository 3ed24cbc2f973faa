/**
 * The script `sluice.global.js`. It sets `window.Sluice` to the package, and performs the calls that the stub in docs/in-a-page.md
 * recorded. From then on, the stub's trackers are real ones.
 */
import {
  bounds,
  ClosedError,
  ConfigError,
  checked,
  classify,
  createTracker,
  DeliveryError,
  deadLetters,
  destination,
  FetchTransport,
  guards,
  gzip,
  hooks,
  InvalidEventError,
  idempotency,
  isSluiceError,
  learn,
  logger,
  pageContext,
  pageViews,
  perCustomer,
  SluiceError,
  StorageError,
  type Tracker,
  type TrackerOptions,
} from './full.ts';

// Not `import *`: the bundler's code for that fails where a page added something to Object.prototype.
const sluice = {
  bounds,
  ClosedError,
  ConfigError,
  checked,
  classify,
  createTracker,
  DeliveryError,
  deadLetters,
  destination,
  FetchTransport,
  gzip,
  hooks,
  guards,
  InvalidEventError,
  idempotency,
  isSluiceError,
  learn,
  logger,
  pageContext,
  pageViews,
  perCustomer,
  SluiceError,
  StorageError,
};

/** A call that the stub recorded: on which of its trackers, which method, the arguments, and when. */
type Call = readonly [stub: Record<string, unknown>, method: string, args: readonly unknown[], at: number];

const page: { Sluice?: object & { calls?: Call[] } } = Object(globalThis);
const calls = page.Sluice?.calls;
const trackers = new WeakMap<object, object>();

if (page.Sluice === undefined || calls !== undefined) page.Sluice = sluice;
if (calls !== undefined) {
  for (const call of calls.splice(0)) perform(call);
  // The page may have kept a function of the stub: perform its calls at once.
  calls.push = (call) => {
    perform(call);
    return 0;
  };
}

function perform([stub, method, args, at]: Call): void {
  try {
    if (method === 'createTracker') become(stub, createTracker(args[0] as TrackerOptions));
    const tracker = trackers.get(stub);
    const call: unknown = tracker && Reflect.get(tracker, method);
    if (typeof call !== 'function') return;
    const [name, payload, options] = args;
    Reflect.apply(
      call,
      tracker,
      method === 'track' ? [name, payload, { timestamp: at, ...Object(options) }] : args,
    );
  } catch (error) {
    // A wrong call must not stop the others: throw its error later.
    setTimeout(() => {
      throw error;
    });
  }
}

function become(stub: Record<string, unknown>, tracker: Tracker): void {
  trackers.set(stub, tracker);
  Object.defineProperties(stub, Object.getOwnPropertyDescriptors(tracker));
}
