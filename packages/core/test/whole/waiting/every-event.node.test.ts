import { describe, it } from 'vitest';
import { checkDelivery, checkSmallJournal } from '../../contracts/every-event-contract.ts';

describe('each event', () => {
  it('is delivered once, whatever the journal and the service do', () => checkDelivery(8));

  it('is delivered or dropped once, whatever a journal that is too small gives up', () =>
    checkSmallJournal(8));
});
