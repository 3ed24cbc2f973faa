// How the rows of the browser are called: who makes them and who shows them agree here.
import { caseTitle, type SurvivalCase } from './survival-cases.ts';

export const SIZE = 'size in a page';
export const CALLED = 'calls made in time';
/** 1 where all calls were made and the page was at rest in time, or else 0. */
export const DONE = 'done in time';
export const BUSY = 'main thread above an empty loop';
export const LONGEST = 'longest task';
export const HEAP = 'heap growth';

/** At which track() is measured. */
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

/** A row's name, of what it tells and whose figure it is. */
export function rowName(title: string, subject: string): string {
  return `${title}, ${subject}`;
}

/** What is counted of so many events: `of 1,000`, and ` in 60 s` where more were on their way then. */
export function unitOf(events: number, mostMs?: number): string {
  return `of ${events.toLocaleString('en')}${mostMs === undefined ? '' : ` in ${mostMs / 1000} s`}`;
}
