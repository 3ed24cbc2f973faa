import 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The emulator that browser tests share; see emulator.ts. */
    emulator: { baseUrl: string; apiUrl: string; apiKey: string };
  }
}
