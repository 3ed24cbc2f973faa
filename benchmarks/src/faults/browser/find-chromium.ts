const SCRIPT = new URL('../../../../scripts/chromium.mjs', import.meta.url);

interface Finder {
  findChromium(): string | undefined;
  describePlaces(): string;
}

const { findChromium, describePlaces }: Finder = await import(SCRIPT.href);

/** The Chromium of this machine, as the tests find it. */
export const CHROMIUM: string | undefined = findChromium();

/** Why nothing can be shown in a browser here; undefined where it can. */
export const whyNoChromium: string | undefined =
  CHROMIUM === undefined ? `there is no Chromium: looked in ${describePlaces()}` : undefined;
