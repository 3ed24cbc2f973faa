import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type Plot, renderSvg } from './plots/plot.ts';
import { readmeSection, withSection } from './readme-section.ts';
import { type Results, resultsPage } from './results-page.ts';

const BENCHMARKS = new URL('../', import.meta.url);

/** Writes benchmarks/results.md, benchmarks/plots and the section of the README that shows them. */
export async function writePages(results: Results): Promise<void> {
  const readme = new URL('../README.md', BENCHMARKS);
  writeFileSync(readme, withSection(readFileSync(readme, 'utf8'), readmeSection(results)));
  writeFileSync(new URL('results.md', BENCHMARKS), resultsPage(results));
  await Promise.all([...results.plots, ...results.browser.plots].map(writePlot));
}

async function writePlot(plot: Plot): Promise<void> {
  const directory = new URL('plots/', BENCHMARKS);
  mkdirSync(directory, { recursive: true });
  writeFileSync(new URL(`${plot.name}.svg`, directory), await renderSvg(plot));
}
