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

type KeyHint = readonly [key: string, does: string];

const BUSY_KEYS: readonly KeyHint[] = [
  ["Enter", "send now"],
  ["Tab", "queue for later"],
  ["Esc", "stop everyone"],
];
const REQUEST_KEYS: readonly KeyHint[] = [["Shift+Tab", "go to the request"]];
const IDLE_KEYS: readonly KeyHint[] = [
  ["Enter", "send"],
  ["Shift+Enter", "new line"],
];

export function StatusLine() {
  const hasKeys = useHasKeys();
  const answering = useHead(formatAnswering) ?? "";
  const facts = useHead(formatFacts) ?? "";
  const hasRequest = useHead((head) => head.requests.length > 0) ?? false;
  const keys = answering === "" ? IDLE_KEYS : hasRequest ? REQUEST_KEYS : BUSY_KEYS;
  return (
    <>
      <p className="status" role="status">
        {/* In sight, the heads of the answers say it. */}
        <span className="unseen">{answering}</span>
        {facts}
      </p>
      {hasKeys && facts === "" ? (
        <p className="key-hints">
          {keys.map(([key, does]) => (
            <span key={key}>
              <kbd>{key}</kbd> {does}
            </span>
          ))}
        </p>
      ) : null}
    </>
  );
}

function formatAnswering(head: Head): string {
  const busy = membersInOrder(head)
    .filter((member) => member.state === "running")
    .map((member) => member.name);
  return busy.length === 0 ? "" : `${formatList(busy)} ${busy.length > 1 ? "are" : "is"} answering`;
}

function formatFacts(head: Head): string {
  return [
    ...(head.ui.working === undefined ? [] : [head.ui.working]),
    ...(head.queue.length > 0 ? [`${head.queue.length} queued`] : []),
    ...(head.council.state === "paused" && head.council.message !== undefined ? [head.council.message] : []),
    ...Object.values(head.ui.status),
  ].join(" · ");
}

/** Screen-reader announcements: one sentence when members end their turns, nothing while they stream. */
type Members = Readonly<Record<string, MemberState>>;

export function TurnNews() {
  const members = useHead((head) => head.members);
  const opening = useApp((state) => state.opening);
  const known = useRef<{ readonly opening: number; readonly members: Members }>(undefined);
  const [announcement, setAnnouncement] = useState("");
  useEffect(() => {
    if (known.current?.opening !== opening) setAnnouncement("");
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
