// A page of a site that tracks a view and a scroll, and then a click, which goes to the next page. Needs nobody to drive it.
import { createTracker } from '@sluice/core';
import { NumberedEvents } from '../../processes/numbered-events.ts';
import { createRandom } from '../../random.ts';
import { EVENTS_OF_A_PAGE, neverShown, type VisitSettings } from './visit-settings.ts';

const settings: VisitSettings = JSON.parse(decodeURIComponent(location.search.slice(1)));
const { page, last, thinkMs, maxWaitMs, isElsewhere, isPrerendered, ...service } = settings;
const tracker = createTracker({ ...service, correlationKey: 'email', batch: { maxWaitMs }, logger: false });
const events = new NumberedEvents(tracker, page, createRandom(page));

events.track(EVENTS_OF_A_PAGE - 1);
if ((document as { readonly prerendering?: boolean }).prerendering)
  document.addEventListener('prerenderingchange', look);
else void look();

/** The user looks at the page. */
async function look(): Promise<void> {
  if (isPrerendered && page < last) {
    const urls = [address(page + 1), address(neverShown(page + 1))];
    prerender(urls);
    // A busy browser needs some time for it.
    await fetch(`/prerendered?${page * urls.length}`);
  }
  setTimeout(() => {
    events.track(1);
    if (page < last) location.href = next();
  }, thinkMs);
}

function next(): string {
  if (!isElsewhere) return address(page + 1);
  return `${location.origin.replace('127.0.0.1', 'localhost')}/elsewhere?${encodeURIComponent(address(page + 1))}`;
}

function address(number: number): string {
  const following: VisitSettings = { ...settings, page: number };
  return `${location.origin}/visit?${encodeURIComponent(JSON.stringify(following))}`;
}

function prerender(urls: readonly string[]): void {
  const rules = document.createElement('script');
  rules.type = 'speculationrules';
  rules.textContent = JSON.stringify({ prerender: [{ source: 'list', urls, eagerness: 'immediate' }] });
  document.head.append(rules);
}
