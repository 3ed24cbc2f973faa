import { nginx } from '../../../src/faults/proxies/nginx.ts';
import { describeProxy } from './describe-proxy.ts';

describeProxy(nginx);
