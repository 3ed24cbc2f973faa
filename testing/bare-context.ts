import { fileURLToPath } from 'node:url';
import { type Context, createContext, runInContext } from 'node:vm';
import { rolldown } from 'rolldown';

/** Bundles a file into one script, for these export conditions. Throws if an import is left. */
export async function bundle(file: URL, conditions: readonly string[]): Promise<string> {
  const input = fileURLToPath(file);
  const complaints: string[] = [];
  const build = await rolldown({
    input,
    platform: 'neutral',
    resolve: { conditionNames: ['@sluice/source', ...conditions, 'import', 'default'] },
    onLog: (_level, { message }) => complaints.push(message),
  });
  const { output } = await build.generate({ format: 'iife', name: 'sluice' });
  await build.close();
  const [chunk, ...others] = output;
  if (complaints.length + others.length + chunk.imports.length > 0) {
    throw new Error(['the bundle does not stand alone', ...complaints, ...chunk.imports].join('\n'));
  }
  return chunk.code;
}

/** The globals of edge runtimes, and nothing else: no process, require, Buffer, document, indexedDB or navigator. */
const SHARED = {
  ...{ URL, URLSearchParams, TextEncoder, TextDecoder, AbortController, AbortSignal, DOMException },
  ...{ Event, EventTarget, Blob, Response, Request, Headers, ReadableStream, WritableStream },
  ...{
    TransformStream,
    CompressionStream,
    DecompressionStream,
    structuredClone,
    queueMicrotask,
    performance,
  },
};

/** A JavaScript context in which the package runs as in an edge runtime. */
export class BareContext {
  /** Timers that have neither run nor been cancelled. */
  readonly timers = new Set<unknown>();
  /** Calls that such hosts refuse outside of a request. */
  readonly refused: string[] = [];
  /** Whether a request is being handled. */
  isInRequest = false;
  readonly #context: Context;

  constructor(bundle: string) {
    const setTimer = (callback: () => void, delayMs: number): unknown => {
      const timer = setTimeout(() => {
        this.timers.delete(timer);
        callback();
      }, delayMs);
      this.timers.add(timer);
      return timer;
    };
    this.#context = createContext(
      {
        ...SHARED,
        fetch: this.#guarded('fetch', fetch),
        setTimeout: this.#guarded('setTimeout', setTimer),
        clearTimeout: (timer: NodeJS.Timeout) => {
          this.timers.delete(timer);
          clearTimeout(timer);
        },
        crypto: { getRandomValues: this.#guarded('getRandomValues', crypto.getRandomValues.bind(crypto)) },
        random: this.#guarded('Math.random', Math.random),
        addEventListener: (_type: string, _listener: unknown, options?: { readonly capture?: boolean }) => {
          if (options?.capture) throw new TypeError('options.capture must be false, as on workerd');
        },
      },
      { codeGeneration: { strings: false, wasm: false } },
    );
    this.run(`Math.random = random; ${bundle}; globalThis.sluice = sluice`);
  }

  /** Runs code, with these values as globals. */
  run(code: string, values: Readonly<Record<string, unknown>> = {}): unknown {
    Object.assign(this.#context, values);
    return runInContext(code, this.#context);
  }

  #guarded<Args extends unknown[], Result>(
    name: string,
    call: (...args: Args) => Result,
  ): (...args: Args) => Result {
    return (...args) => {
      if (this.isInRequest) return call(...args);
      this.refused.push(name);
      throw new Error(`${name} is not allowed outside of a request`);
    };
  }
}
