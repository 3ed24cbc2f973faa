import { CHROMIUM, whyNoChromium } from '../faults/browser/find-chromium.ts';
import type { MeasurementContext } from '../measurements/measurement.ts';
import type { BrowserSubject } from './browser-subject.ts';
import { bundlePage, type PageBundle } from './page-bundle.ts';
import { PageServer } from './page-server.ts';

/** What every cell needs: a browser, and a site with a page for each SDK. */
export interface Field {
  readonly chromium: string;
  readonly site: string;
}

/** Bundles the pages of these SDKs, and serves them during `run`. Without a browser, reports why and returns no results. */
export async function withField<Result>(
  subjects: readonly BrowserSubject[],
  { tell }: MeasurementContext,
  run: (field: Field) => Promise<readonly Result[]>,
): Promise<readonly Result[]> {
  if (CHROMIUM === undefined) {
    tell(`skipped: ${whyNoChromium}`);
    return [];
  }
  const bundles = new Map<string, PageBundle>();
  for (const page of ['driver', ...subjects.map((subject) => subject.page)]) {
    bundles.set(page, await bundlePage(page));
  }
  const server = await PageServer.start(bundles);
  try {
    return await run({ chromium: CHROMIUM, site: server.url });
  } finally {
    await server[Symbol.asyncDispose]();
  }
}
