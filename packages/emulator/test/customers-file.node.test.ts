import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCustomersFile } from '../src/customers-file.ts';
import { temporaryDirectory } from './service.ts';

function file(content: string): string {
  const path = join(temporaryDirectory(), 'customers.ndjson');
  writeFileSync(path, content);
  return path;
}

describe('a file of customers', () => {
  it.each(['', '\n\n', '\ufeff'])('may hold none: %j', async (content) => {
    expect(await readCustomersFile(file(content))).toEqual([]);
  });

  it('holds one object a line', async () => {
    expect(await readCustomersFile(file('{"a":1}\r\n \n{"b":"ü"}\n'))).toEqual([{ a: 1 }, { b: 'ü' }]);
  });

  it.each([
    ['{"a":1}\n{"a":', 'line 2 is not JSON'],
    ['\n[1]', 'line 2 is an array'],
    ['null', 'line 1 is null'],
    ['email,first_name', 'line 1 is not JSON'],
  ])('is refused with the line at fault: %j', async (content, message) => {
    await expect(readCustomersFile(file(content))).rejects.toThrow(message);
  });

  it('is refused where it cannot be read', async () => {
    await expect(readCustomersFile('/nowhere/at all')).rejects.toThrow(/^customers must be a file .* ENOENT/);
    await expect(readCustomersFile(temporaryDirectory())).rejects.toThrow(/EISDIR/);
  });
});
