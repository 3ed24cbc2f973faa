import { inject } from 'vitest';
import { FetchTransport } from '../../../src/send/http/fetch-transport.ts';
import { describeSlashRedirects } from '../../contracts/slash-redirect-contract.ts';
import { Trial } from '../../hostile/trial.ts';

const traits = { seesConnections: false, takesContinue: true, isBrowser: true };
const trial = new Trial(() => new FetchTransport(), inject('hostile'), {
  ...traits,
  endsNonsense: false,
  takesEarlyAnswers: false,
});
describeSlashRedirects('FetchTransport in a page', trial);
