import { readVersion } from '../version.ts';

const LEAST_NODE = [20, 19] as const;

/** What one check found. */
export interface Finding {
  readonly check: string;
  /** `warning`: Sluice works, but not as well as it could. `problem`: it does not work. */
  readonly state: 'ok' | 'warning' | 'problem';
  readonly found: string;
  /** What to do. Undefined if all is well. */
  readonly advice?: string | undefined;
}

/** Which versions run, and whether this Node is new enough. */
export function checkVersions(): Finding {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const isNew = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1]);
  const advice = isNew ? undefined : `install Node ${LEAST_NODE.join('.')} or later`;
  const found = `Sluice ${readVersion()}, Node ${node}`;
  return { check: 'versions', state: isNew ? 'ok' : 'problem', found, advice };
}

/** Whether the environment names a proxy that is not used. */
export function checkProxies(baseUrl: string): Finding {
  const { env } = process;
  const names = baseUrl.startsWith('https:') ? ['HTTPS_PROXY', 'https_proxy'] : ['HTTP_PROXY', 'http_proxy'];
  const name = names.find((one) => env[one]);
  if (name === undefined) return { check: 'proxy', state: 'ok', found: 'the environment names none' };
  if (env.NODE_USE_ENV_PROXY === '1')
    return { check: 'proxy', state: 'ok', found: `that of ${name} is used` };
  const advice = 'set NODE_USE_ENV_PROXY=1 if the service is behind it';
  return { check: 'proxy', state: 'warning', found: `${name} is set, and Sluice does not use it`, advice };
}
