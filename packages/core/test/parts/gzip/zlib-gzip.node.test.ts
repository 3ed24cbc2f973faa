import { zlibGzip } from '../../../src/parts/gzip/zlib-gzip.ts';
import { describeGzip } from '../../contracts/gzip-contract.ts';

describeGzip('zlib', zlibGzip);
