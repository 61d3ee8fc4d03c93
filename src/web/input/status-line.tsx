/** The line below the draft: who is working, what is queued, and key hints where there is a keyboard. */
import { useEffect, useRef, useState } from "react";
import { formatList } from "../../kit/text/format.ts";
import { type Head, membersInOrder, type MemberState } from "../../transcript/index.ts";
import { useHasKeys } from "./focus.ts";
import { useApp, useHead } from "../store/use-store.ts";

const ENDED = {
  completed: "has answered",
  interrupted: "was interrupted",
  errored: "failed",
  timed_out: "took too long",
} as const;

export function StatusLine() {
  const hasKeys = useHasKeys();
  const status = useHead((head) => statusOf(head, hasKeys)) ?? "";
  return (
    <p className="status" role="status">
      {status}
    </p>
  );
}

function statusOf(head: Head, hasKeys: boolean): string {
  const busy = membersInOrder(head)
    .filter((member) => member.state === "running")
    .map((member) => member.name);
  const key = (hint: string): string[] => (hasKeys ? [hint] : []);
  const facts = [
    ...(head.ui.working === undefined ? [] : [head.ui.working]),
    ...(busy.length > 0
      ? [`${formatList(busy)} ${busy.length > 1 ? "are" : "is"} answering`, ...key("Esc to stop")]
      : []),
    ...(head.requests.length > 0 ? key("Shift+Tab to go to the request") : []),
    ...(head.queue.length > 0 ? [`${head.queue.length} queued`] : []),
    ...(head.council.state === "paused" && head.council.message !== undefined ? [head.council.message] : []),
    ...Object.values(head.ui.status),
  ];
  return (facts.length > 0 ? facts : key("Enter to send · Shift+Enter for a new line")).join(" · ");
}

/** Screen-reader announcements: one sentence when members end their turns, nothing while they stream. */
type Members = Readonly<Record<string, MemberState>>;

export function TurnNews() {
  const members = useHead((head) => head.members);
  const opening = useApp((state) => state.opening);
  const known = useRef<{ readonly opening: number; readonly members: Members }>(undefined);
  const [announcement, setAnnouncement] = useState("");
  useEffect(() => {
    if (members === undefined) return;
    // Turns that ended before the page was opened are not announced.
    const before = known.current?.opening === opening ? known.current.members : members;
    known.current = { opening, members };
    const all = Object.values(members);
    const ended = all.filter(({ name, state }) => before[name]?.state === "running" && state !== "running");
    if (ended.length > 0) setAnnouncement(ended.map(newsOf).join(" "));
    // The same text is announced again only after it was removed.
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
