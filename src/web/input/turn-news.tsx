/** For those who hear the page: one sentence when members have ended their turns, and never a word while they speak. */
import { useEffect, useRef, useState } from "react";
import type { MemberState } from "../../transcript/index.ts";
import { useApp, useHead } from "../store/use-store.ts";

type Members = Readonly<Record<string, MemberState>>;

const ENDED = {
  completed: "has answered",
  interrupted: "was interrupted",
  errored: "failed",
  timed_out: "took too long",
} as const;

export function TurnNews() {
  const members = useHead((head) => head.members);
  const opening = useApp((state) => state.opening);
  const known = useRef<{ readonly opening: number; readonly members: Members }>(undefined);
  const [announcement, setAnnouncement] = useState("");
  useEffect(() => {
    if (members === undefined) return;
    // What had ended before the page came is read, not told.
    const before = known.current?.opening === opening ? known.current.members : members;
    known.current = { opening, members };
    const all = Object.values(members);
    const ended = all.filter(({ name, state }) => before[name]?.state === "running" && state !== "running");
    if (ended.length > 0) setAnnouncement(ended.map(newsOf).join(" "));
    // The same words are heard again only when they were gone.
    else if (all.some(({ name, state }) => state === "running" && before[name]?.state !== "running"))
      setAnnouncement("");
  }, [members, opening]);
  return (
    <p className="unseen turn-news" aria-live="polite">
      {announcement}
    </p>
  );
}

function newsOf({ name, lastOutcome = "completed" }: MemberState): string {
  return `${name} ${ENDED[lastOutcome]}.`;
}
