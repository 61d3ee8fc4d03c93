/** The cost of an event over the length of its session, as a small SVG file. */
export interface CostPoint {
  readonly events: number;
  /** Microseconds. */
  readonly store: number;
  readonly read: number;
}

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [560, 260, 56, 90, 20, 44];
const LINES = [
  { key: "store", colour: "#2f6fdf" },
  { key: "read", colour: "#c4661f" },
] as const;

export function plotCost(points: readonly CostPoint[]): string {
  const logs = points.map(({ events }) => Math.log10(events));
  const [from, to] = [Math.min(...logs), Math.max(...logs)];
  const most = Math.max(10, ...points.flatMap(({ store, read }) => [store, read]));
  const top = Math.ceil(most / 50) * 50;
  const x = (events: number) => LEFT + ((Math.log10(events) - from) / (to - from || 1)) * (WIDTH - LEFT - RIGHT);
  const y = (micros: number) => HEIGHT - BOTTOM - (micros / top) * (HEIGHT - TOP - BOTTOM);
  const ticks = [0, top / 2, top].map(
    (micros) =>
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(micros)}" y2="${y(micros)}" stroke="#8884"/>` +
      `<text x="${LEFT - 8}" y="${y(micros) + 4}" text-anchor="end">${micros} µs</text>`,
  );
  const lengths = points.map(
    ({ events }) =>
      `<text x="${x(events)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${events.toLocaleString("en")}</text>`,
  );
  const lines = LINES.map(({ key, colour }) => {
    const line = points.map((point) => `${x(point.events).toFixed(1)},${y(point[key]).toFixed(1)}`).join(" ");
    const last = points.at(-1);
    const label = last && `<text x="${WIDTH - RIGHT + 8}" y="${y(last[key]) + 4}" fill="${colour}">${key} one</text>`;
    return `<polyline points="${line}" fill="none" stroke="${colour}" stroke-width="2"/>${label ?? ""}`;
  });
  const axis = `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 6}" text-anchor="middle">events in the session</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" fill="#888">
${[...ticks, ...lengths, ...lines, axis].join("\n")}
</svg>
`;
}
