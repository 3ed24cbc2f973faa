import { inject } from 'vitest';
import { FetchTransport } from '../../src/transports/fetch-transport.ts';
import { describeAtHostileService } from '../contracts/hostile-contract.ts';
import { describeTransport } from '../contracts/transport-contract.ts';

const create = () => new FetchTransport();
describeTransport('FetchTransport', create, inject('emulator'));
describeAtHostileService('FetchTransport', create, inject('hostile'), {
  ...{ seesConnections: false, takesContinue: true, isBrowser: true },
});
