import type uPlot from 'uplot';
import type { RateSeries } from './rate-series.ts';

const LABEL = 'no connection';

/** Hatches the unknown parts of a chart, in the colour `line`. If there is room, it also writes the reason. */
export function drawGaps(plot: uPlot, gaps: RateSeries['gaps'], line: string, text: string): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (const [first, last] of gaps) {
    const left = plot.valToPos(first, 'x', true);
    const width = plot.valToPos(last + 1, 'x', true) - left;
    hatch(ctx, left, bbox.top, width, bbox.height, line);
    ctx.fillStyle = text;
    ctx.font = `${12 * devicePixelRatio}px ${getComputedStyle(plot.root).fontFamily}`;
    ctx.textAlign = 'center';
    if (ctx.measureText(LABEL).width + 16 < width)
      ctx.fillText(LABEL, left + width / 2, bbox.top + bbox.height / 2);
  }
  ctx.restore();
}

function hatch(
  ctx: CanvasRenderingContext2D,
  left: number,
  top: number,
  width: number,
  height: number,
  colour: string,
): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  ctx.beginPath();
  for (let x = left - height; x < left + width; x += 8 * devicePixelRatio) {
    ctx.moveTo(x, top + height);
    ctx.lineTo(x + height, top);
  }
  ctx.strokeStyle = colour;
  ctx.lineWidth = 2 * devicePixelRatio;
  ctx.stroke();
  ctx.restore();
}
