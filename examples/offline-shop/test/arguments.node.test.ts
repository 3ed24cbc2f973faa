import { expect, test } from 'vitest';
import { ArgumentError, parseArguments } from '../src/server/arguments.ts';

test('may be left out: ports are the same at each start, and for this machine only', () => {
  expect(parseArguments([])).toEqual({
    ...{ port: 4300, servicePort: 4301, apiPort: 4302 },
    ...{ host: '127.0.0.1', help: false },
  });
});

test('name other ports', () => {
  const args = ['--port', '8080', '--service-port=0', '--api-port=65535'];
  expect(parseArguments(args)).toMatchObject({ port: 8080, servicePort: 0, apiPort: 65_535 });
});

test.each([['--port', '65536'], ['--port', 'http'], ['--port=-1'], ['--fast'], ['fast']])(
  'are refused where they make no sense: %s %s',
  (...args) => {
    expect(() => parseArguments(args.filter(Boolean))).toThrow(ArgumentError);
  },
);
