import { inject } from 'vitest';
import { FetchTransport } from '../../src/transports/fetch-transport.ts';
import { describeTransport } from '../contracts/transport-contract.ts';

describeTransport('FetchTransport', () => new FetchTransport(), inject('emulator'));
