import { BlockList, isIP, isIPv4 } from 'node:net';
import { type Incoming, UNIX_SOCKET } from '../exchange.ts';

const MAPPED = /^::ffff:(?=\d+\.)/i;
/** Azure adds the port: `203.0.113.9:50123`, `[2001:db8::9]:50123`. */
const WITH_PORT = /^(?:\[(.+)\]|([\d.]+))(?::\d+)?$/;
const GROUPS = 8;

/** Finds the address of a client behind the named proxies. */
export class Addresses {
  readonly #proxies = new BlockList();
  readonly #hasProxies: boolean;

  /** @param proxies Addresses, or subnets such as `10.0.0.0/8`. */
  constructor(proxies: readonly string[]) {
    this.#hasProxies = proxies.length > 0;
    for (const proxy of proxies) {
      const [address = '', bits] = proxy.split('/');
      if (bits === undefined) this.#proxies.addAddress(address, familyOf(address));
      else this.#proxies.addSubnet(address, Number(bits), familyOf(address));
    }
  }

  /** Whatever else the header says was written by the client. Undefined if the address is not known. */
  of(incoming: Pick<Incoming, 'peer' | 'header'>): string | undefined {
    let address = incoming.peer?.replace(MAPPED, '');
    if (address === undefined) return undefined;
    const forwarded = incoming.header('x-forwarded-for')?.split(',') ?? [];
    while (this.#isProxy(address)) {
      const before = forwarded.pop()?.trim().replace(WITH_PORT, '$1$2').replace(MAPPED, '');
      if (before === undefined || !isIP(before)) break;
      address = before;
    }
    return isIP(address) ? address : undefined;
  }

  /** To look into an empty list would take longer than most of a request. */
  #isProxy(address: string): boolean {
    if (!this.#hasProxies || address === UNIX_SOCKET) return this.#hasProxies;
    return isIP(address) !== 0 && this.#proxies.check(address, familyOf(address));
  }
}

/** Whether it is an address or a subnet. */
export function isProxy(text: string): boolean {
  const [address = '', bits = '0', ...rest] = text.split('/');
  return (
    isIP(address) !== 0 &&
    rest.length === 0 &&
    /^\d{1,3}$/.test(bits) &&
    Number(bits) <= (isIPv4(address) ? 32 : 128)
  );
}

/** The subnet that one client has: a host may take any of 2^64 addresses in IPv6. */
export function subnetOf(address: string): string {
  return isIPv4(address) ? address : `${groupsOf(address).slice(0, 4).join(':')}::`;
}

/** An address without what tells a household from its neighbours: /24 and /48. */
export function cut(address: string): string {
  if (isIPv4(address)) return address.replace(/\d+$/, '0');
  return `${groupsOf(address).slice(0, 3).join(':')}::`;
}

/** The first groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  const [start = '', end] = address
    .replace(/%.*/, '')
    .split('::')
    .map((half) => half.split(':').filter(Boolean));
  if (!Array.isArray(start)) return [];
  const missing = end === undefined ? 0 : GROUPS - start.length - end.length;
  return [...start, ...Array<string>(Math.max(0, missing)).fill('0'), ...(end ?? [])].map((group) =>
    group.replace(/^0+(?=.)/, '').toLowerCase(),
  );
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}
