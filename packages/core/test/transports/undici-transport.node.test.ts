import { startEmulator } from '@sluice/emulator';
import { afterAll } from 'vitest';
import { UndiciTransport } from '../../src/transports/undici-transport.ts';
import { describeTransport } from '../contracts/transport-contract.ts';

const emulator = await startEmulator({ primaryKey: 'email' });
afterAll(() => emulator.close());

describeTransport('UndiciTransport', () => new UndiciTransport(2, 5_000), emulator);
