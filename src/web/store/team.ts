/** The people of a team, on its server. */
import { type Clock, systemClock } from "../../kit/clock.ts";
import type { SessionSummary, TeamPerson } from "../../protocol/index.ts";

export interface Team {
  readonly me: Required<TeamPerson>;
  readonly people: readonly TeamPerson[];
  /** What this device may do. */
  readonly scope?: "read" | "use" | "manage";
}

/** About a session that was shown and is there no more. On a team's server it may be there for others. */
export function goneNotice(team: Team | undefined): string {
  if (team === undefined) return "This session was deleted elsewhere. It is in the trash.";
  return "You no longer have access to this session: your role was removed, or the session was unshared or deleted.";
}

export interface TeamReaderOptions {
  readonly ask: () => Promise<Response>;
  readonly now: () => { readonly team?: Team | undefined; readonly ended?: string };
  readonly setTeam: (team: Team) => void;
  readonly clock?: Clock;
  readonly page?: Pick<Document, "hidden" | "addEventListener">;
}

const READ_AGAIN_MS = 60_000;
/** At least this long between two reads. */
const BETWEEN_MS = 10_000;

/**
 * Called with news of the list: people are read when the first session of a team is listed, then again and again while
 * the page is visible, because they join and are removed.
 */
export function createTeamReader({
  ask,
  now,
  setTeam,
  clock = systemClock,
  page = document,
}: TeamReaderOptions): (sessions: readonly SessionSummary[]) => void {
  let isReading = false;
  let readMs = -Infinity;
  let hasTeam = false;
  async function read(): Promise<void> {
    if (isReading || clock.monotonic() - readMs < BETWEEN_MS) return;
    isReading = true;
    readMs = clock.monotonic();
    try {
      const answer = await ask();
      if (answer.ok) update((await answer.json()) as Team);
    } catch {
      // Offline: read again later.
    }
    isReading = false;
  }
  function update({ me, people, scope }: Team): void {
    const team = { me: { id: me.id, name: me.name }, people, ...(scope === undefined ? {} : { scope }) };
    if (JSON.stringify(team) !== JSON.stringify(now().team)) setTeam(team);
  }
  function readWhileVisible(): void {
    if (!page.hidden && now().ended === undefined) void read();
  }
  function repeat(): void {
    readWhileVisible();
    clock.after(READ_AGAIN_MS, repeat);
  }
  return (sessions) => {
    if (sessions.every(({ at }) => at === undefined)) return;
    if (now().team === undefined) void read();
    if (hasTeam) return;
    hasTeam = true;
    page.addEventListener("visibilitychange", readWhileVisible);
    repeat();
  };
}
