import { thoroughRedactorOfAll } from '@sluice/protocol/toolbox';
import type { CommandSpec } from '../command-spec.ts';
import { checkDirectory, checkDisk } from '../doctor/directory-checks.ts';
import { checkProxies, checkVersions, type Finding } from '../doctor/finding.ts';
import { checkOptions } from '../doctor/options-check.ts';
import { checkService } from '../doctor/service-checks.ts';
import { EXIT } from '../exit-codes.ts';
import { oneJournal } from '../settings/directory.ts';
import { findJournal, readSettings, requireService, UNUSED_KEY } from '../settings/settings.ts';

const NO_CORRELATION_KEY: Finding = {
  ...{ check: 'settings', state: 'warning', found: 'correlationKey is missing: a tracker needs it' },
  advice: 'set SLUICE_CORRELATION_KEY, unless your code names it',
};
const MARKS = { ok: 'ok    ', warning: 'warn  ', problem: 'WRONG ' } as const;

export const doctorCommand: CommandSpec = {
  usage: 'doctor [dir]',
  summary: 'check address, key, clock, disk and directory, and say what to do; sends no event',
  usesService: true,
  examples: [['sluice doctor', 'before the first event, and when events wait']],
  async run([dir], flags, output) {
    const settings = await readSettings(flags);
    const service = await requireService({ correlationKey: UNUSED_KEY, ...settings }, dir);
    const found = await findJournal(settings, dir).catch(() => service.journalDirectory);
    const directory = await oneJournal(found);
    const redact = thoroughRedactorOfAll([service.apiKey]);
    const options = await checkOptions(service);
    const findings: Finding[] = [
      checkVersions(),
      settings.correlationKey === undefined && options.state === 'ok' ? NO_CORRELATION_KEY : options,
      ...(await checkService(service)),
      checkProxies(service.baseUrl),
      await checkDirectory(directory),
      await checkDisk(directory, service.storage?.minFreeBytes),
    ];
    const { colors } = output;
    for (const one of findings) {
      // An address may have the key in its path.
      const finding = { ...one, found: redact(one.found) };
      const { check, state, found, advice } = finding;
      const color = { ok: colors.green, warning: colors.yellow, problem: colors.red }[state];
      output.result(
        finding,
        () => `${color(MARKS[state])}${check}: ${found}${advice === undefined ? '' : `; ${advice}`}`,
      );
    }
    return findings.some(({ state }) => state === 'problem') ? EXIT.failed : EXIT.done;
  },
};
