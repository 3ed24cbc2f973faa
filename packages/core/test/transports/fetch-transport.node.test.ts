import { startEmulator } from '@sluice/emulator';
import { afterAll } from 'vitest';
import { FetchTransport } from '../../src/transports/fetch-transport.ts';
import { describeTransport } from '../contracts/transport-contract.ts';

const emulator = await startEmulator({ primaryKey: 'email' });
afterAll(() => emulator.close());

describeTransport('FetchTransport on Node', () => new FetchTransport(), emulator);
