import { haproxy } from '../../../src/faults/proxies/haproxy.ts';
import { describeProxy } from './describe-proxy.ts';

describeProxy(haproxy);
