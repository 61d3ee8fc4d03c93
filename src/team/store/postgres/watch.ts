/**
 * What delivery relies on where a wake-up is lost: one statement a second for everything that is waited for on this node,
 * however many wait. Wakes what has changed since the last one.
 */
import type { Clock } from "../../../kit/clock.ts";
import type { WakeUps } from "../wake-ups.ts";
import type { Queries } from "./database.ts";

const WATCH_MS = 1_000;

/** Sessions by their end, runners by what waits for them, commands by their acknowledgement. */
const WATCH = {
  name: "watch",
  text: `
    select id, concat_ws(' ', head, head_epoch, replacements) as state from roundtable.session where id = any($1)
    union all
    select runner, string_agg(position::text, ' ' order by position) from roundtable.command
      where runner = any($1) and ack is null group by runner
    union all
    select key, 'done' from roundtable.command where key = any($1) and ack is not null`,
};

export interface Watch {
  close(): Promise<void>;
}

export function startWatch({ query }: Queries, wakeUps: WakeUps, clock: Clock): Watch {
  let known = new Map<string, string>();
  let isClosed = false;
  let working: Promise<void> | undefined;
  let cancel: (() => void) | undefined;
  const poll = async (): Promise<void> => {
    const ids = [...wakeUps.topics];
    const rows = ids.length === 0 ? [] : await query({ ...WATCH, values: [ids] });
    const states = new Map(rows.map((row) => [String(row["id"]), String(row["state"])]));
    const before = known;
    known = new Map(ids.map((id) => [id, states.get(id) ?? ""]));
    // What is new here may have changed between the first read and this one.
    for (const [id, state] of known) if (before.get(id) !== state) wakeUps.wake(id);
  };
  const pollLater = (): void => {
    if (isClosed) return;
    cancel = clock.after(WATCH_MS, () => {
      // A database that is away is asked again.
      working = poll()
        .catch(() => {})
        .finally(pollLater);
    });
  };
  pollLater();
  return {
    async close() {
      isClosed = true;
      cancel?.();
      await working;
    },
  };
}
