import { rowName, survivedTitle, twiceTitle } from '../browser/row-names.ts';
import { SUBJECTS } from '../browser/subjects.ts';
import { ALL_ENDINGS, endingTitle, MOST_EVENTS } from '../browser/survival-cases.ts';
import { arrived } from '../browser/tables.ts';
import type { Row } from '../row.ts';
import type { Plot } from './plot.ts';

const FEW = '#f6f8fa';
const ALL = '#0969da';
/** Above this share of delivered events, a cell is too dark for dark text. */
const DARK_SHARE = 0.5;

/** The survived events, by SDK and scenario. Undefined if they were not measured. */
export function survivalPlot(rows: readonly Row[]): Plot | undefined {
  const find = (title: string, subject: string) => rows.find(({ name }) => name === rowName(title, subject));
  const values = SUBJECTS.flatMap(({ name }) =>
    ALL_ENDINGS.flatMap((ending) => {
      const survived = find(survivedTitle(ending), name);
      if (survived === undefined) return [];
      const text = arrived(survived, find(twiceTitle(ending), name));
      return [{ name, ending: endingTitle(ending), delivered: survived.value, text }];
    }),
  );
  if (values.length === 0) return undefined;
  const most = MOST_EVENTS;
  return {
    name: 'survival',
    description: `Delivered of ${most.toLocaleString('en')}: ${values.map(({ name, ending, text }) => `${name} ${ending} ${text}`).join('; ')}.`,
    spec: {
      title: {
        text: 'Delivered, of 1,000 events tracked while the service was down',
        subtitle:
          'In Chromium, three runs a cell; the service was up again when the page came back. 2 or 10 s after the last call.',
      },
      width: { step: 150 },
      height: { step: 26 },
      data: { values },
      encoding: {
        x: {
          field: 'ending',
          type: 'nominal',
          sort: ALL_ENDINGS.map(endingTitle),
          title: null,
          axis: { orient: 'top', labelAngle: 0, domain: false, ticks: false },
        },
        y: {
          field: 'name',
          type: 'nominal',
          sort: SUBJECTS.map(({ name }) => name),
          title: null,
          axis: { domain: false, ticks: false },
        },
      },
      layer: [
        {
          mark: { type: 'rect', stroke: '#ffffff', strokeWidth: 2 },
          encoding: {
            color: {
              field: 'delivered',
              type: 'quantitative',
              scale: { domain: [0, most], range: [FEW, ALL] },
              legend: null,
            },
          },
        },
        {
          mark: { type: 'text', fontSize: 12 },
          encoding: {
            text: { field: 'text', type: 'nominal' },
            color: {
              condition: { test: `datum.delivered > ${most * DARK_SHARE}`, value: '#ffffff' },
              value: '#24292f',
            },
          },
        },
      ],
    },
  };
}
