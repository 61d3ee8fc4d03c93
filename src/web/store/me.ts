/** The person of this page, on a team's server. */
import type { SessionSummary } from "../../protocol/index.ts";

/** Asked once, when the first session of a team is listed. */
export function createMeReader(
  ask: () => Promise<Response>,
  setMe: (name: string) => void,
): (sessions: readonly SessionSummary[]) => void {
  let isSent = false;
  const read = async (): Promise<void> => {
    const { me } = (await (await ask()).json()) as { me: { name: string } };
    setMe(me.name);
  };
  return (sessions) => {
    if (isSent || sessions.every(({ at }) => at === undefined)) return;
    isSent = true;
    // Asked again with the next news.
    read().catch(() => (isSent = false));
  };
}
