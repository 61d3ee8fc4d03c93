/** The people of a team, on its server. */
import type { SessionSummary, TeamPerson } from "../../protocol/index.ts";

export interface Team {
  readonly me: Required<TeamPerson>;
  readonly people: readonly TeamPerson[];
}

/** Asked once, when the first session of a team is listed. */
export function createTeamReader(
  ask: () => Promise<Response>,
  setTeam: (team: Team) => void,
): (sessions: readonly SessionSummary[]) => void {
  let isSent = false;
  const read = async (): Promise<void> => {
    const { me, people } = (await (await ask()).json()) as Team;
    setTeam({ me: { id: me.id, name: me.name }, people });
  };
  return (sessions) => {
    if (isSent || sessions.every(({ at }) => at === undefined)) return;
    isSent = true;
    // Asked again with the next news.
    read().catch(() => (isSent = false));
  };
}
