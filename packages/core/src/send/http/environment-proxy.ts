import { ConfigError } from '@sluice/protocol';
// By its file: Bun has a stub in place of the module, which makes no requests.
import { type buildConnector, EnvHttpProxyAgent } from 'undici/index.js';

/**
 * Sends requests through the proxies that the environment names (`HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`). Like Node's own
 * `fetch`, this needs `NODE_USE_ENV_PROXY=1`. Undefined if there is no proxy. Throws a ConfigError if a proxy is not a URL.
 *
 * @param connect How to connect to the service.
 */
export function environmentProxy(connect: buildConnector.BuildOptions): EnvHttpProxyAgent | undefined {
  if (process.env.NODE_USE_ENV_PROXY !== '1') return undefined;
  const httpProxy = proxyIn('HTTP_PROXY');
  const httpsProxy = proxyIn('HTTPS_PROXY');
  if (!httpProxy && !httpsProxy) return undefined;
  return new EnvHttpProxyAgent({
    httpProxy,
    httpsProxy,
    // For http, send the whole URL to the proxy, as Node and curl do: many proxies allow a tunnel only to port 443.
    proxyTunnel: false,
    connect,
    requestTls: connect,
  });
}

/** Reads a variable. The name in lower case goes first, as everywhere. */
function proxyIn(name: string): string {
  const { [name.toLowerCase()]: proxy = process.env[name] ?? '' } = process.env;
  if (proxy === '' || (/^https?:/i.test(proxy) && URL.canParse(proxy))) return proxy;
  const rule = `${name} must be a URL such as http://127.0.0.1:3128; it is not shown, because it may hold a password`;
  throw new ConfigError(name, rule);
}
