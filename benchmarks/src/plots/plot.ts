import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';

/** A picture of some figures. */
export interface Plot {
  /** Of its file, without an ending. */
  readonly name: string;
  /** What it shows, for those who do not see it. */
  readonly description: string;
  readonly spec: TopLevelSpec;
}

/** As it stands in benchmarks/results.md. */
export function plotImage({ name, description }: Plot): string {
  return `![${description}](plots/${name}.svg)`;
}

const FONT = 'system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif';
const TEXT = '#24292f';
const FAINT = '#57606a';
/** Looks the same on light and dark pages: what is behind it is never seen. */
const CONFIG = {
  background: '#ffffff',
  padding: 16,
  font: FONT,
  title: {
    anchor: 'start',
    color: TEXT,
    fontSize: 15,
    subtitleColor: FAINT,
    subtitleFontSize: 12,
    offset: 12,
  },
  axis: {
    // Without a screen, long texts are taken for longer than they are, and would be cut.
    labelLimit: 0,
    labelColor: TEXT,
    titleColor: FAINT,
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: 'normal',
  },
  view: { stroke: null },
} as const;

/** The plot as SVG. */
export function renderSvg({ spec }: Plot): Promise<string> {
  const { spec: compiled } = compile({ ...spec, config: CONFIG });
  return new View(parse(compiled), { renderer: 'none' }).toSVG();
}
