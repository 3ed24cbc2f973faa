// A page of a site that tracks a view and a scroll, and then a click, which goes to the next page. Needs nobody to drive it.
import { createTracker } from '@sluice/core';
import { NumberedEvents } from '../../processes/numbered-events.ts';
import { createRandom } from '../../random.ts';
import { EVENTS_OF_A_PAGE, type VisitSettings } from './visit-settings.ts';

const settings: VisitSettings = JSON.parse(decodeURIComponent(location.search.slice(1)));
const { page, last, thinkMs, maxWaitMs, isElsewhere, ...service } = settings;
const tracker = createTracker({ ...service, correlationKey: 'email', batch: { maxWaitMs } });
const events = new NumberedEvents(tracker, page, createRandom(page));

events.track(EVENTS_OF_A_PAGE - 1);
setTimeout(() => {
  events.track(1);
  if (page < last) location.href = next();
}, thinkMs);

function next(): string {
  const following: VisitSettings = { ...settings, page: page + 1 };
  const address = `${location.origin}/visit?${encodeURIComponent(JSON.stringify(following))}`;
  if (!isElsewhere) return address;
  return `${location.origin.replace('127.0.0.1', 'localhost')}/elsewhere?${encodeURIComponent(address)}`;
}
