/**
 * The script `sluice.global.js`. It sets `window.Sluice` to the package, and performs the calls that the stub in docs/in-a-page.md
 * recorded. From then on, the stub's trackers are real ones.
 */
import * as full from './full.ts';

// Each by its name: the bundler's code for the object `full` fails where a page added something to Object.prototype.
const sluice = {
  bounds: full.bounds,
  ClosedError: full.ClosedError,
  ConfigError: full.ConfigError,
  checked: full.checked,
  classify: full.classify,
  createTracker: full.createTracker,
  DeliveryError: full.DeliveryError,
  deadLetters: full.deadLetters,
  destination: full.destination,
  FetchTransport: full.FetchTransport,
  gzip: full.gzip,
  hooks: full.hooks,
  guards: full.guards,
  InvalidEventError: full.InvalidEventError,
  idempotency: full.idempotency,
  isSluiceError: full.isSluiceError,
  learn: full.learn,
  logger: full.logger,
  pageContext: full.pageContext,
  pageViews: full.pageViews,
  perCustomer: full.perCustomer,
  SluiceError: full.SluiceError,
  StorageError: full.StorageError,
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
    if (method === 'createTracker') {
      const made = full.createTracker(args[0] as full.TrackerOptions);
      trackers.set(stub, made);
      Object.defineProperties(stub, Object.getOwnPropertyDescriptors(made));
    }
    const tracker = trackers.get(stub);
    const call: unknown = tracker && Reflect.get(tracker, method);
    if (typeof call !== 'function') return;
    const [name, payload, options] = args;
    const given = method === 'track' ? [name, payload, { timestamp: at, ...Object(options) }] : args;
    Reflect.apply(call, tracker, given);
  } catch (error) {
    // A wrong call must not stop the others: throw its error later.
    setTimeout(() => {
      throw error;
    });
  }
}
