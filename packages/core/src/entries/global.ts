/**
 * What `sluice.global.js` does: the package is `window.Sluice` from here on, and what the stub of README.md took before is
 * done. Its trackers are real ones from here on.
 */
import * as sluice from './full.ts';

/** A call that the stub took: of which of its trackers, what, and when. */
type Call = readonly [stub: Record<string, unknown>, method: string, args: readonly unknown[], at: number];

const page: { Sluice?: object & { calls?: Call[] } } = Object(globalThis);
const calls = page.Sluice?.calls;
const trackers = new WeakMap<object, object>();

if (page.Sluice === undefined || calls !== undefined) page.Sluice = { ...sluice };
if (calls !== undefined) {
  for (const call of calls.splice(0)) perform(call);
  // Somebody may have kept a function of the stub.
  calls.push = (call) => {
    perform(call);
    return 0;
  };
}

function perform([stub, method, args, at]: Call): void {
  try {
    if (method === 'createTracker') become(stub, sluice.createTracker(args[0] as sluice.TrackerOptions));
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
    // One call that is wrong is not to keep others from being done.
    setTimeout(() => {
      throw error;
    });
  }
}

function become(stub: Record<string, unknown>, tracker: sluice.Tracker): void {
  trackers.set(stub, tracker);
  const methods = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(tracker));
  for (const [name, { value }] of Object.entries(methods)) {
    if (typeof value === 'function') stub[name] = value.bind(tracker);
  }
}
