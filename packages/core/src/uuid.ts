import { platform } from '#platform';

/** A random UUID (version 4, RFC 9562). */
export function uuid(): string {
  return platform.uuid();
}
