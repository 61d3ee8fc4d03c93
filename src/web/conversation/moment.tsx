/** When: short to read, whole for whoever looks closer. */
import { clockOf } from "../words/amounts.ts";

export function Moment({ ts }: { ts: number }) {
  const date = new Date(ts);
  return (
    <time className="fact" dateTime={date.toISOString()} title={date.toLocaleString()}>
      {clockOf(ts)}
    </time>
  );
}
