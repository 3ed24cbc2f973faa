import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';

/** A diagram of some figures. */
export interface Plot {
  /** File name, without its extension. */
  readonly name: string;
  /** Its content as text, for readers who do not see it. */
  readonly description: string;
  readonly spec: TopLevelSpec;
}

/** The image in Markdown, for benchmarks/results.md. */
export function plotImage({ name, description }: Plot): string {
  return `![${description}](plots/${name}.svg)`;
}

const FONT = 'system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif';
const TEXT = '#24292f';
const FAINT = '#57606a';
/** Looks the same on light and dark pages, because its background is opaque. */
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
    // Without a screen, the width of long labels is overestimated, and they would be cut.
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
