import 'vitest';
import type { HostileAddresses } from '../packages/core/test/hostile/script.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The emulator that browser tests share; see emulator.ts. */
    emulator: { baseUrl: string; apiUrl: string; apiKey: string };
    /** The hostile service that browser tests share. */
    hostile: HostileAddresses;
    /** The files that a page without a bundler loads, and entries of core; see browser-files.ts. */
    files: { module: string; script: string; stub: string; index: string; testing: string };
  }
}
