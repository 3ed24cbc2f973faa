// An emulator in a process of its own.
import { startEmulator } from '@sluice/emulator';
import type { EmulatorAsked, EmulatorSettings, EmulatorTold } from './emulator-messages.ts';
import { onAsked, receiveSettings, takeLeave, tell } from './parent.ts';

const { data } = await receiveSettings<EmulatorSettings>();
const startedAt = performance.now();
const emulator = await startEmulator({ data, primaryKey: 'email', maxEvents: Number.POSITIVE_INFINITY });
const startMs = performance.now() - startedAt;
const { baseUrl, apiUrl, apiKey, pagesUrl } = emulator;
onAsked<EmulatorAsked>(async () => {
  await emulator.close();
  takeLeave();
});
tell<EmulatorTold>({ type: 'ready', baseUrl, apiUrl, apiKey, pagesUrl, startMs });
