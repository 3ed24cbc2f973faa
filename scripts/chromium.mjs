import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const applications = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** The Chromium that CHROMIUM_PATH names and no other, or else the first one on PATH or in the usual places. */
export function findChromium(env = process.env) {
  const folders = [...(env.PATH ?? '').split(delimiter), '/usr/bin'].filter(Boolean);
  const places = env.CHROMIUM_PATH
    ? [env.CHROMIUM_PATH]
    : [...folders.flatMap((folder) => names.map((name) => join(folder, name))), ...applications];
  return places.find(isExecutable);
}

/** Says those places, for somebody who has a Chromium that is not found. */
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
