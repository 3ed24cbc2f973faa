import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { AudiencePage } from '../audience/audience-page.tsx';
import { CataloguePage } from '../catalogue/catalogue-page.tsx';
import { FaultsPage } from '../faults/faults-page.tsx';
import { ActButton } from '../parts/dialog.tsx';
import { formatSome } from '../parts/text.tsx';
import { RequestsPage } from '../requests/requests-page.tsx';
import { SettingsPage } from '../settings/settings-page.tsx';
import { TrackerPage } from '../tracker/tracker-page.tsx';
import { useKeys } from './keys.ts';
import { emulators, lost, status } from './live.ts';
import { link, route } from './route.ts';

/** The pages, by their name in the address. */
const PAGES: Readonly<Record<string, readonly [title: string, View: ComponentType]>> = {
  tracker: ['Event tracker', TrackerPage],
  catalogue: ['Catalogue', CataloguePage],
  audience: ['Audience', AudiencePage],
  settings: ['Settings', SettingsPage],
  requests: ['Requests', RequestsPage],
  faults: ['Faults', FaultsPage],
};

/** All pages in one: the navigation, and the page that the address names (by default, the event tracker). */
export function App() {
  const { page } = route.value;
  const [title, View] = (Object.hasOwn(PAGES, page) && PAGES[page]) || ['Event tracker', TrackerPage];
  useEffect(() => {
    document.title = `${title} · Sluice emulator`;
  }, [title]);
  useKeys({ '/': goToSearch });
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('content')?.focus()}>
        Skip to content
      </button>
      <header class="bar row">
        <strong>Sluice emulator</strong>
        <nav class="row grow" aria-label="Pages">
          {Object.entries(PAGES).map(([name, [each]]) => (
            <a key={name} href={link([name])} aria-current={each === title ? 'page' : undefined}>
              {each}
            </a>
          ))}
        </nav>
        <ActiveFaults />
      </header>
      <main id="content" tabIndex={-1}>
        <div role="status">
          {lost.value && <p class="notice bad">{lost.value}</p>}
          {status.value?.primaryKey === null && page !== 'audience' && (
            <p class="notice">
              The emulator refuses every request until you select a primary key: the attribute that identifies
              a customer. <a href={link(['audience'])}>Select one in the audience section</a>
            </p>
          )}
        </div>
        <h1>{title}</h1>
        {/* The state of a page belongs to one emulator. */}
        <View key={`${title} ${emulators.value}`} />
      </main>
    </>
  );
}

/** How many faults are active, and a button that stops them. */
function ActiveFaults() {
  const { activeFaults = 0 } = status.value ?? {};
  if (activeFaults === 0) return null;
  return (
    <span class="notice bad row">
      <a href={link(['faults'])}>{`${formatSome(activeFaults, 'fault is', 'faults are')} active`}</a>
      <ActButton label="Stop all faults" method="DELETE" path="/faults" />
    </span>
  );
}

/** Moves the focus to the search of the page. */
function goToSearch(): void {
  const search = document.querySelector<HTMLInputElement>('main input[type="search"]');
  search?.focus();
  search?.select();
}
