import { zlibGzip } from '../src/zlib-gzip.ts';
import { describeGzip } from './contracts/gzip-contract.ts';

describeGzip('zlib', zlibGzip);
