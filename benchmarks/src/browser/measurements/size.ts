import type { Measurement, MeasurementContext } from '../../measurements/measurement.ts';
import { makeRow, type Row } from '../../row.ts';
import { bundlePage } from '../page-bundle.ts';
import { rowName, SIZE } from '../row-names.ts';
import { QUICK_SUBJECTS, SUBJECTS, sluice } from '../subjects.ts';

const KB = 1000;

/** The download size of an SDK for a page. */
export const browserSize: Measurement = {
  name: 'browser-size',
  method:
    'The page that opens an SDK and calls it, bundled by rolldown for browsers, minified, and gzipped (level 9); kB are 1,000 bytes. ' +
    'What is loaded only later does not count.',
  run,
};

async function run({ isQuick, tell }: MeasurementContext): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const subject of isQuick ? QUICK_SUBJECTS : SUBJECTS) {
    const { gzipBytes } = await bundlePage(subject.page);
    const row = makeRow({
      name: rowName(SIZE, subject.name),
      unit: 'kB',
      values: [gzipBytes / KB],
      ...(subject === sluice && { demand: { of: 'value', bound: 'at most', limit: 12 } }),
    });
    tell(`${row.name}: ${row.value.toFixed(1)} kB`);
    rows.push(row);
  }
  return rows;
}
