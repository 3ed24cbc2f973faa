import { inject } from 'vitest';
import { describeSlashRedirects } from '../../contracts/slash-redirect-contract.ts';
import { Trial } from '../../hostile/trial.ts';
import { pageTransport } from './page-transport.ts';

const traits = { seesConnections: false, takesContinue: true, isBrowser: true };
const trial = new Trial(() => pageTransport(), inject('hostile'), {
  ...traits,
  endsNonsense: false,
  takesEarlyAnswers: false,
});
describeSlashRedirects('a page', trial);
