import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCustomersFile } from '../src/running/command-line.ts';
import { temporaryDirectory } from './service.ts';

function file(content: string): string {
  const path = join(temporaryDirectory(), 'customers.ndjson');
  writeFileSync(path, content);
  return path;
}

describe('a file of customers', () => {
  it.each(['', '\n\n', '\ufeff'])('may hold none: %j', (content) => {
    expect(readCustomersFile(file(content))).toEqual([]);
  });

  it('holds one object a line', () => {
    expect(readCustomersFile(file('{"a":1}\r\n \n{"b":"ü"}\n'))).toEqual([{ a: 1 }, { b: 'ü' }]);
  });

  // Editors count these as line breaks, JSON does not.
  it.each(['\u2028', '\u2029', '\u0085'])('may have %j in a text', (separator) => {
    const customers = [{ note: `one${separator}two` }, { note: 'three' }];
    const lines = customers.map((customer) => JSON.stringify(customer));
    expect(readCustomersFile(file(lines.join('\n')))).toEqual(customers);
  });

  it.each([
    ['{"a":1}\n{"a":', 'line 2: '],
    ['\n[1]', 'line 2: it is an array'],
    ['null', 'line 1: it is null'],
    ['email,first_name', 'line 1: '],
  ])('is refused with the line at fault: %j', (content, message) => {
    expect(() => readCustomersFile(file(content))).toThrow(message);
  });

  it('is refused where it cannot be read', () => {
    expect(() => readCustomersFile('/nowhere/at all')).toThrow(/^customers must be a file .* ENOENT/);
    expect(() => readCustomersFile(temporaryDirectory())).toThrow(/EISDIR/);
  });
});
