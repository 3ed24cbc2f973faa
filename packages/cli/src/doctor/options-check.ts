import type { ServiceSettings } from '../settings/settings.ts';
import type { Finding } from './finding.ts';

/** Whether `createTracker` takes the settings. */
export async function checkOptions({ journalDirectory, ...settings }: ServiceSettings): Promise<Finding> {
  const check = 'settings';
  if (settings.enabled === false) {
    const found = 'enabled is false: a tracker does nothing';
    return { check, state: 'problem', found, advice: 'remove it from sluice.config.*' };
  }
  const { createTracker } = await import('@sluice/core');
  try {
    await createTracker({ ...settings, journal: 'memory', logger: false, debug: false }).close({
      timeoutMs: 0,
    });
    return { check, state: 'ok', found: 'a tracker takes them' };
  } catch (error) {
    // The message says what to correct.
    return { check, state: 'problem', found: error instanceof Error ? error.message : String(error) };
  }
}
