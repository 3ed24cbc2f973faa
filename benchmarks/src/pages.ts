import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type SurvivalResults, survivalSection } from './browser/survival-section.ts';
import { type Plot, renderSvg } from './plots/plot.ts';
import { survivalPlot } from './plots/survival-plot.ts';
import { readmeSection } from './readme-section.ts';
import { type Results, resultsPage } from './results-page.ts';
import { README_SECTION, SURVIVAL_SECTION } from './sections.ts';

const BENCHMARKS = new URL('../', import.meta.url);
const README = new URL('../README.md', BENCHMARKS);
const RESULTS = new URL('results.md', BENCHMARKS);

/** Throws if a page lacks the comments that mark a written section. Called before minutes of work, not after. */
export function checkPages(): void {
  README_SECTION.read(readFileSync(README, 'utf8'));
  SURVIVAL_SECTION.read(readFileSync(RESULTS, 'utf8'));
}

/** Writes benchmarks/results.md except its survival section, benchmarks/plots, and the section of the README. */
export async function writePages(results: Results): Promise<void> {
  writeFileSync(README, README_SECTION.replace(readFileSync(README, 'utf8'), readmeSection(results)));
  const survival = SURVIVAL_SECTION.read(readFileSync(RESULTS, 'utf8'));
  writeFileSync(RESULTS, resultsPage(results, survival));
  await writePlots(results.plots);
}

/** Writes the survival section of benchmarks/results.md, and its plot. */
export async function writeSurvival(results: SurvivalResults): Promise<void> {
  const page = readFileSync(RESULTS, 'utf8');
  writeFileSync(RESULTS, SURVIVAL_SECTION.replace(page, survivalSection(results)));
  await writePlots([survivalPlot(results.rows)]);
}

async function writePlots(plots: readonly (Plot | undefined)[]): Promise<void> {
  const directory = new URL('plots/', BENCHMARKS);
  mkdirSync(directory, { recursive: true });
  for (const plot of plots) {
    if (plot !== undefined) writeFileSync(new URL(`${plot.name}.svg`, directory), await renderSvg(plot));
  }
}
