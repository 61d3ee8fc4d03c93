/** When: short to read, whole for whoever looks closer. */
import { formatClock, formatDateTime } from "../../format/units.ts";

export function Moment({ ts }: { ts: number }) {
  return (
    <time className="fact" dateTime={new Date(ts).toISOString()} title={formatDateTime(ts)}>
      {formatClock(ts)}
    </time>
  );
}
