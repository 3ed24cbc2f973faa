import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describePlaces, findChromium } from './chromium.mjs';
import { root } from './workspace.mjs';

const LIBRARIES = ['/usr/lib', '/usr/libexec'];

/** False if the path of this folder contains a %: Vite serves no such file. */
export const servesBrowsers = !root.includes('%');

/** The browsers, with the names of their vitest projects: whether tests can run in them, and what helps if they cannot. */
export function findEngines(env = process.env) {
  const hints = {
    chromium: `it is not in ${describePlaces(env)}; set CHROMIUM_PATH, or on Debian apt-get install chromium`,
    firefox: 'set FIREFOX_PATH, or on Debian apt-get install firefox-esr',
    webkit: 'on Debian apt-get install webkit2gtk-driver xvfb xauth',
  };
  const found = { chromium: findChromium(env), firefox: findFirefox(env), webkit: findWebKitGtk(env) };
  const names = /** @type {const} */ (['chromium', 'firefox', 'webkit']);
  return names.map((name) => ({
    name,
    isFound: servesBrowsers && found[name] !== undefined,
    hint: servesBrowsers ? hints[name] : `move this folder, as Vite serves no path with a %: ${root}`,
  }));
}

/** The Firefox that FIREFOX_PATH names, or else the first one on PATH or in /usr/bin. firefox-esr is tried before firefox. */
export function findFirefox(env = process.env) {
  return env.FIREFOX_PATH ?? findProgram('firefox-esr', env) ?? findProgram('firefox', env);
}

/**
 * Finds WebKitGTK's MiniBrowser, which comes with the WebKitGTK driver, and xvfb-run, which gives it a screen.
 * Returns undefined if one of them is missing.
 * @returns {{ miniBrowser: string, xvfbRun: string } | undefined}
 */
export function findWebKitGtk(env = process.env) {
  const xvfbRun = findProgram('xvfb-run', env);
  const folders = LIBRARIES.filter(existsSync).flatMap((folder) => [
    folder,
    ...readdirSync(folder).map((name) => join(folder, name)),
  ]);
  const miniBrowser = folders.map((folder) => join(folder, 'webkit2gtk-4.1', 'MiniBrowser')).find(existsSync);
  return xvfbRun && miniBrowser ? { miniBrowser, xvfbRun } : undefined;
}

/**
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 */
function findProgram(name, env) {
  const folders = [...(env.PATH ?? '').split(delimiter).filter(Boolean), '/usr/bin'];
  return folders.map((folder) => join(folder, name)).find(existsSync);
}
