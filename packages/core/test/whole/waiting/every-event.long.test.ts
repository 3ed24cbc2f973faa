import { describe, it } from 'vitest';
import { isFull } from '../../../../../testing/full.ts';
import { checkDelivery, checkSmallJournal } from '../../contracts/every-event-contract.ts';

const RUNS = isFull ? 300 : 100;

describe('each event', () => {
  it('is delivered once, whatever the journal and the service do', () => checkDelivery(RUNS));

  it('is delivered or dropped once, whatever a journal that is too small gives up', () =>
    checkSmallJournal(RUNS));
});
