import { ConfigError } from '@sluice/protocol';
import {
  flag,
  isNonEmptyString,
  methods,
  milliseconds,
  nonEmpty,
  oneOf,
  type Rule,
  type Rules,
} from '@sluice/protocol/toolbox';
import type { CheckedPart } from '../parts.ts';
import type { ConnectOptions } from '../send/http/connect-options.ts';
import { RULES } from './rules.ts';
import { thoroughly } from './thorough.ts';

const PEM = 'text in PEM form, or its bytes';

const CONNECT: Readonly<Record<keyof ConnectOptions, Rule>> = {
  ca: [(value) => (Array.isArray(value) ? value.every(isPem) : isPem(value)), `${PEM}, or an array of these`],
  cert: [isPem, PEM],
  key: [isPem, PEM],
  passphrase: [isPassphrase, ''],
  servername: nonEmpty(),
  rejectUnauthorized: flag(),
  socketPath: nonEmpty(undefined, 'a path'),
  allowH2: flag(),
};

const NODE_RULES: Rules = {
  ...RULES,
  journalDirectory: nonEmpty(undefined, 'a path'),
  fsync: oneOf(['always', 'interval', 'never']),
  exitBudgetMs: milliseconds(undefined, 0),
  delivery: {
    ...RULES.delivery,
    connect: CONNECT,
    credentials: [() => false, 'absent in Node, which has no cookies: give delivery.headers a cookie'],
    dispatcher: methods('dispatch'),
  },
};

/** Headers about one connection. Undici refuses some of them, and the others must not reach the service. */
const OF_CONNECTION =
  /^(?:accept-encoding|connection|expect|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;

export const nodeChecked: CheckedPart = thoroughly((options) => {
  const { delivery = {}, journal, journalDirectory, transport } = options;
  const { connect, dispatcher, headers = {} } = delivery;
  const name = Object.keys(headers).find((name) => OF_CONNECTION.test(name));
  if (name !== undefined) {
    const rule = `delivery.headers must not have "${name}", which is about the connection: leave it out`;
    throw new ConfigError('delivery.headers', rule);
  }
  const pairs = [
    ['journalDirectory', journalDirectory, 'the file journal', 'journal', journal],
    ['delivery.connect', connect, 'connections of Sluice', 'delivery.dispatcher', dispatcher],
    ['delivery.connect', connect, 'the transport of Sluice', 'transport', transport],
    ['delivery.dispatcher', dispatcher, 'the transport of Sluice', 'transport', transport],
  ] as const;
  for (const [option, value, purpose, other, otherValue] of pairs) {
    if (value === undefined || otherValue === undefined) continue;
    throw new ConfigError(option, `${option} is for ${purpose}: leave it out, or leave out ${other}`);
  }
}, NODE_RULES);

function isPem(value: unknown): boolean {
  return isNonEmptyString(value) || (value instanceof Uint8Array && value.length > 0);
}

/** Throws a ConfigError that does not show the value. */
function isPassphrase(value: unknown, option = ''): boolean {
  if (isNonEmptyString(value)) return true;
  throw new ConfigError(option, `${option} must be a non-empty string, got a value that is not shown`);
}
