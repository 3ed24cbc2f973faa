import type { BodySource, Incoming } from '../exchange.ts';

/** What a web request does not say. */
export interface WebAbout {
  /** The address of the client, if it is known. */
  readonly address?: string | undefined;
  /** The body, if somebody has parsed it already. */
  readonly parsed?: unknown;
  /** The request of the framework, for `identify()`. */
  readonly native?: unknown;
}

/** A web request, as the relay reads it. */
export function webIncoming(request: Request, about: WebAbout = {}): Incoming {
  const { host, protocol } = new URL(request.url);
  return {
    method: request.method,
    host: request.headers.get('host') ?? host,
    isSecure: protocol === 'https:',
    peer: about.address,
    // A body that is gone cannot be read: that must not hang.
    parsed: about.parsed ?? (request.bodyUsed ? null : undefined),
    native: about.native,
    header: (name) => request.headers.get(name) ?? undefined,
    body: () => sourceOf(request.body),
    request: () => request,
  };
}

function sourceOf(body: ReadableStream<Uint8Array> | null): BodySource {
  const reader = body?.getReader();
  return {
    read(onChunk, onEnd) {
      const next = async (): Promise<void> => {
        for (;;) {
          const { done, value } = (await reader?.read()) ?? { done: true };
          if (done || value === undefined) return;
          onChunk(value);
        }
      };
      next().then(() => onEnd(), onEnd);
    },
    stop: () => void reader?.cancel().catch(() => undefined),
  };
}
