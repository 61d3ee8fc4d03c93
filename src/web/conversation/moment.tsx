/** When: short to read, whole for whoever looks closer. */
import { clockOf, momentOf } from "../words/amounts.ts";

export function Moment({ ts }: { ts: number }) {
  return (
    <time className="fact" dateTime={new Date(ts).toISOString()} title={momentOf(ts)}>
      {clockOf(ts)}
    </time>
  );
}
