// The names of the browser rows, shared by the code that makes these rows and the code that shows them.
import { caseTitle, type SurvivalCase } from './survival-cases.ts';

export const SIZE = 'size in a page';
export const CALLED = 'calls made in time';
/** 1 if all calls were made and the page became idle in time; otherwise 0. */
export const DONE = 'done in time';
export const BUSY = 'main thread above an empty loop';
export const LONGEST = 'longest task';
export const HEAP = 'heap growth';

/** The backlogs at which track() is measured. */
export const BACKLOGS = [100, 1000, 10_000, 50_000] as const;

export function trackTitle(backlog: number): string {
  return `track() in a page, backlog of ${backlog.toLocaleString('en')}`;
}

export function survivedTitle(one: SurvivalCase): string {
  return `survived ${caseTitle(one)}`;
}

export function twiceTitle(one: SurvivalCase): string {
  return `came twice ${caseTitle(one)}`;
}

/** The name of a row: its title and the subject. */
export function rowName(title: string, subject: string): string {
  return `${title}, ${subject}`;
}

/** The unit of a count: `of 1,000`, or `of 1,000 in 60 s` if more events still arrived at that time. */
export function unitOf(events: number, mostMs?: number): string {
  return `of ${events.toLocaleString('en')}${mostMs === undefined ? '' : ` in ${mostMs / 1000} s`}`;
}
