import { describe, expect, it } from 'vitest';
import { parseBenchArguments } from '../src/arguments.ts';
import { ArgumentError, select } from '../src/command-line.ts';
import { parseFaultArguments } from '../src/faults/arguments.ts';

describe('the command lines', () => {
  it('ask for everything where nothing is said', () => {
    expect(parseFaultArguments([])).toEqual({ quick: false, help: false });
    expect(parseBenchArguments([])).toEqual({ quick: false, survival: false, help: false });
  });

  it('take what there is', () => {
    const faults = ['--quick', '--only', 'sigkill', '--seed', '7', '--json', 'rows.json'];
    expect(parseFaultArguments(faults)).toMatchObject({
      quick: true,
      only: 'sigkill',
      seed: 7,
      json: 'rows.json',
    });
    expect(parseBenchArguments(['--profile', 'there', '-h'])).toMatchObject({ profile: 'there', help: true });
    expect(parseBenchArguments(['--survival'])).toMatchObject({ survival: true });
  });

  it.each([['--fast'], ['sigkill'], ['--only'], ['--quick=yes']])(
    'refuse %s, and say what there is',
    (argument) => {
      for (const parse of [parseFaultArguments, parseBenchArguments]) {
        expect(() => parse([argument])).toThrow(ArgumentError);
        expect(() => parse([argument])).toThrow(/There are --quick/);
      }
    },
  );

  it.each(['-1', '1.5', '4294967296', 'today', ''])('refuse the seed "%s"', (seed) => {
    expect(() => parseFaultArguments([`--seed=${seed}`])).toThrow(/--seed must be a whole number/);
  });

  it('name what can be chosen where the choice does not exist', () => {
    const all = [{ name: 'one' }, { name: 'two' }];
    expect(select(all, undefined)).toEqual(all);
    expect(select(all, 'two')).toEqual([{ name: 'two' }]);
    expect(() => select(all, 'three')).toThrow('--only "three": there is no such name; there are one, two.');
  });
});
