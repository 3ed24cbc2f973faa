import { join } from 'node:path';
import { CONFIGURATION, GENERATION_PATH, type ProxyKind, type ProxyRules } from './proxy-kind.ts';

/** https://docs.haproxy.org/2.6/configuration.html */
export const haproxy: ProxyKind = {
  name: 'haproxy',
  debianPackage: 'haproxy',
  reloadSignal: 'SIGUSR2',
  // A master with workers, in the foreground. At a reload, the open ports pass to the new workers.
  arguments: (directory) => ['-W', '-q', '-f', join(directory, CONFIGURATION)],
  configuration: ({ port, upstreamPort, generation }, rules) => `
global
  maxconn 256
  hard-stop-after 2s
defaults
  mode http
  # Else a service that is away costs a second for each try.
  retries 0
  timeout connect 2s
  timeout client 30s
  timeout server ${rules.upstreamTimeoutMs ?? 30_000}ms
  ${rules.keepAlive ? `timeout http-keep-alive ${rules.keepAlive.idleMs}ms` : ''}
frontend senders
  bind 127.0.0.1:${port}
  http-request return content-type text/plain string ${generation} if { path ${GENERATION_PATH} }
${frontend(rules)
  .map((line) => `  ${line}`)
  .join('\n')}
  default_backend service
backend service
  server service 127.0.0.1:${upstreamPort}
`,
};

function frontend({ rate, maxBodyBytes, keepAlive, redirectTo, isStreaming }: ProxyRules): string[] {
  const lines: string[] = [];
  if (!isStreaming) lines.push('option http-buffer-request');
  if (rate) {
    lines.push(
      'stick-table type ip size 1k expire 10s store http_req_rate(1s)',
      'http-request track-sc0 src',
      `http-request deny deny_status ${rate.status} if { sc_http_req_rate(0) gt ${rate.perSecond} }`,
    );
  }
  if (maxBodyBytes) lines.push(`http-request deny deny_status 413 if { req.body_size gt ${maxBodyBytes} }`);
  // HAProxy cannot limit the number of requests per connection, except to one.
  if (keepAlive?.requests === 1) lines.push('option httpclose');
  if (redirectTo) lines.push(`http-request redirect location ${redirectTo} code 301`);
  return lines;
}
