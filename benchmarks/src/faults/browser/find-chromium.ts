const SCRIPT = new URL('../../../../scripts/chromium.mjs', import.meta.url);

interface Finder {
  findChromium(): string | undefined;
  describePlaces(): string;
}

const { findChromium, describePlaces }: Finder = await import(SCRIPT.href);

/** The Chromium of this machine. The tests use the same one. */
export const CHROMIUM: string | undefined = findChromium();

/** Why browser faults cannot run here; undefined if they can. */
export const whyNoChromium: string | undefined =
  CHROMIUM === undefined ? `there is no Chromium: looked in ${describePlaces()}` : undefined;
