import { join } from 'node:path';
import { CONFIGURATION, GENERATION_PATH, type Place, type ProxyKind, type ProxyRules } from './proxy-kind.ts';

/** How many requests may come too early before one is refused: fewer than a tracker begins with at once. */
const BURST = 2;
const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/** https://nginx.org/en/docs/ */
export const nginx: ProxyKind = {
  name: 'nginx',
  debianPackage: 'nginx-light',
  reloadSignal: 'SIGHUP',
  arguments: (directory) => ['-p', directory, '-c', join(directory, CONFIGURATION), '-e', 'stderr'],
  configuration: (place, rules) => `
daemon off;
# As root its workers would be of another user, who may not read the directory.
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid nginx.pid;
error_log stderr crit;
events { worker_connections 256; }
http {
  access_log off;
${TEMPORARY.map((name) => `  ${name}_temp_path ${name};`).join('\n')}
  ${rules.rate ? `limit_req_zone $binary_remote_addr zone=senders:1m rate=${rules.rate.perSecond}r/s;` : ''}
  server {
    listen 127.0.0.1:${place.port};
    location = ${GENERATION_PATH} { return 200 ${place.generation}; }
    location / {
${location(place, rules)
  .map((line) => `      ${line};`)
  .join('\n')}
    }
  }
}
`,
};

function location({ upstreamPort }: Place, rules: ProxyRules): string[] {
  const { rate, maxBodyBytes, upstreamTimeoutMs, keepAlive, redirectTo, isStreaming } = rules;
  if (redirectTo) return [`return 301 ${redirectTo}`];
  const lines = [`proxy_pass http://127.0.0.1:${upstreamPort}`];
  // The default limit of nginx is 1 MiB.
  lines.push(`client_max_body_size ${maxBodyBytes ?? 0}`);
  if (upstreamTimeoutMs) lines.push(`proxy_read_timeout ${upstreamTimeoutMs}ms`);
  if (rate) lines.push(`limit_req zone=senders burst=${BURST} nodelay`);
  // The default status of nginx is 503.
  if (rate?.status === 429) lines.push('limit_req_status 429');
  if (keepAlive) {
    lines.push(`keepalive_requests ${keepAlive.requests}`, `keepalive_timeout ${keepAlive.idleMs}ms`);
  }
  if (isStreaming) lines.push('proxy_request_buffering off', 'proxy_http_version 1.1');
  return lines;
}
