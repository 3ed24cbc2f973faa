import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const applications = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/**
 * Finds Chromium. If CHROMIUM_PATH is set, only that path counts. Otherwise returns the first Chromium on PATH or in the usual
 * places. Returns undefined if there is none.
 */
export function findChromium(env = process.env) {
  const folders = [...(env.PATH ?? '').split(delimiter), '/usr/bin'].filter(Boolean);
  const places = env.CHROMIUM_PATH
    ? [env.CHROMIUM_PATH]
    : [...folders.flatMap((folder) => names.map((name) => join(folder, name))), ...applications];
  return places.find(isExecutable);
}

/** Describes where `findChromium` looks, for a user whose Chromium is not found. */
export function describePlaces(env = process.env) {
  return env.CHROMIUM_PATH
    ? `CHROMIUM_PATH, which names ${env.CHROMIUM_PATH}`
    : `PATH and /usr/bin for ${names.join(', ')}; ${applications.join('; ')}`;
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
