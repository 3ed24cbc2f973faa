import { ConfigError } from '@sluice/protocol';
import { withoutSecrets } from '@sluice/protocol/toolbox';
import type { RelayOptions } from '../options.ts';
import { readServerOptions, type ServerOptions } from './server.ts';

type Environment = Readonly<Record<string, string | undefined>>;

type Read = (text: string) => unknown;

const list: Read = (text) => text.split(',').map((item) => item.trim());
const json: Read = (text) => JSON.parse(text);
const text: Read = (text) => text;
/** Throws if it is none: the message does not show it, because it may be a secret in the wrong variable. */
const number: Read = (text) => {
  if (Number.isNaN(Number(text))) throw new TypeError('no number');
  return Number(text);
};

/** The variables of each option: its name, its meaning, and how its text is read. */
const OPTIONS: readonly (readonly [option: string, variable: string, read: Read, meaning: string])[] = [
  ['baseUrl', 'SLUICE_BASE_URL', text, 'address of the service'],
  ['apiKey', 'SLUICE_API_KEY', text, 'API key of the account'],
  ['correlationKey', 'SLUICE_CORRELATION_KEY', text, 'primary key of the audience'],
  [
    'secret',
    'SLUICE_RELAY_SECRET',
    list,
    'signs tickets; more than one, separated by commas, to rotate them',
  ],
  ['jwt', 'SLUICE_RELAY_JWT', json, 'JSON: {"algorithm","audience","issuer","keys":{"kid":"…"}}'],
  ['enforcement', 'SLUICE_RELAY_ENFORCEMENT', text, 'observe or enforce'],
  ['durability', 'SLUICE_RELAY_DURABILITY', text, 'journal or upstream'],
  ['directory', 'SLUICE_RELAY_DIRECTORY', text, 'where events wait; two accounts need one each'],
  ['origins', 'SLUICE_RELAY_ORIGINS', list, 'origins of pages, separated by commas'],
  ['proxies', 'SLUICE_RELAY_PROXIES', list, 'proxies in front, separated by commas'],
  ['ticketMs', 'SLUICE_RELAY_TICKET_MS', number, 'life of a ticket'],
  [
    'acceptForMs',
    'SLUICE_RELAY_ACCEPT_FOR_MS',
    number,
    'how long events are taken after their ticket has ended',
  ],
  ['context', 'SLUICE_RELAY_CONTEXT', json, 'JSON: {"key","receivedAt","userAgent","address"}'],
  ['limits', 'SLUICE_RELAY_LIMITS', json, 'JSON, as the option limits'],
  ['host', 'SLUICE_RELAY_HOST', text, 'address to listen on'],
  ['port', 'SLUICE_RELAY_PORT', number, 'port to listen on, 0 (the default) for any free one'],
  ['path', 'SLUICE_RELAY_PATH', text, 'path of the relay, /s by default'],
];

export const HELP: string = `sluice-relay takes events from pages, and delivers them to the service.

Environment:
${OPTIONS.map(([, variable, , meaning]) => `  ${variable.padEnd(28)}${meaning}\n`).join('')}
Once it listens, it prints one line of JSON on standard output: {"url":…}
It ends on SIGTERM or SIGINT. Exit codes: 0 ended, 1 failed (a port in use, too), 2 wrong variables.

Example:
  SLUICE_BASE_URL=https://events.example.com SLUICE_CORRELATION_KEY=email SLUICE_API_KEY=… SLUICE_RELAY_SECRET=… \\
    SLUICE_RELAY_JWT='{"algorithm":"HS256","audience":"shop","keys":{"2026":"…"}}' sluice-relay
`;

/** What the environment says. Throws a ConfigError that names the variable. */
export function readEnvironment(environment: Environment): RelayOptions & ServerOptions {
  const options: Record<string, unknown> = {};
  for (const [option, variable, read] of OPTIONS) {
    const given = environment[variable];
    if (given === undefined || given === '') continue;
    try {
      options[option] = read(given);
    } catch {
      throw new ConfigError(option, `${option} must be ${read === number ? 'a number' : 'JSON'}`);
    }
  }
  const { apiKey, host, path, port, secret } = options;
  // The cast is safe: this checks them.
  withoutSecrets([apiKey, secret].flat(), () => readServerOptions({ host, port, path } as ServerOptions));
  // The cast is safe: createRelay checks all others.
  return options as unknown as RelayOptions & ServerOptions;
}

/** The message of an error in the words of the environment. */
export function inVariables({ option, message }: ConfigError): string {
  const [, variable] = OPTIONS.find(([name]) => option === name || option.startsWith(`${name}.`)) ?? [];
  return variable === undefined ? message : `${variable}: ${message}`;
}
