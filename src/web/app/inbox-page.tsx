/** The inbox: what needs the user in any session, with the thing itself and the answers, then what works and is ready. */
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { ANSWER_GRACE_MS } from "../../client/index.ts";
import type { Json } from "../../protocol/index.ts";
import { type DescribedRequest, describeRequest } from "../../transcript/index.ts";
import { nameClient } from "../format/format-request.ts";
import { inPlainSight } from "../format/plain-sight.ts";
import { formatRowTime, groupSessions, isUnread, stateOf } from "../sessions/group-sessions.ts";
import { RequestFacts, RequestThing } from "../requests/request-thing.tsx";
import { nameOf } from "../sessions/session-menu.tsx";
import { SessionRow } from "../sessions/session-row.tsx";
import { useMinute } from "../sessions/session-sidebar.tsx";
import type { WaitingRequest } from "../store/app-state.ts";
import { useApp, useStore } from "../store/use-store.ts";
import { Button } from "../ui/button.tsx";
import { Sign } from "../ui/sign.tsx";

/** Further requests are shown as a number. */
const CARDS_MAX = 20;

export function InboxPage() {
  const store = useStore();
  const inbox = useApp((state) => state.inbox);
  const sessions = useApp((state) => state.sessions);
  const seen = useApp((state) => state.seen);
  const isLive = useApp(({ connection, ended }) => connection.state === "online" && ended === undefined);
  const nowTs = useMinute();
  const shown = inbox.slice(0, CARDS_MAX);
  const movedMs = useMoved(shown.map(({ requestId }) => requestId).join(" "));
  const groups = groupSessions(
    sessions.filter(({ archived }) => !archived),
    { nowTs, seen, isLive },
  ).filter(({ title }) => title === "Working" || title === "Ready");
  return (
    <div className="inbox" role="region" aria-label="Inbox" tabIndex={0}>
      <section aria-label="Needs you">
        <h2 className="group">
          Needs you<span className="group-count num">{inbox.length}</span>
        </h2>
        {inbox.length === 0 ? <p className="inbox-empty">Nothing is waiting for you.</p> : null}
        {shown.map((waiting) => (
          <RequestPreview key={waiting.requestId} waiting={waiting} nowTs={nowTs} movedMs={movedMs} />
        ))}
        {inbox.length > CARDS_MAX ? <p className="fact inbox-empty">{inbox.length - CARDS_MAX} more.</p> : null}
      </section>
      {groups.map(({ title, sessions: rows }) => (
        <section key={title} aria-label={title}>
          <h2 className="group">
            {title}
            <span className="group-count num">{rows.length}</span>
          </h2>
          <ul>
            {rows.map((summary) => (
              <SessionRow
                key={summary.sessionId}
                summary={summary}
                state={stateOf(summary, { isLive })}
                isCurrent={false}
                isUnread={isUnread(summary, seen)}
                request={undefined}
                nowTs={nowTs}
                onOpen={() => store.goTo({ sessionId: summary.sessionId })}
              />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

/** When the cards last moved or came back into view: a press right after that was meant for what stood there before. */
function useMoved(ids: string): RefObject<number> {
  const movedMs = useRef(performance.now());
  useLayoutEffect(() => {
    movedMs.current = performance.now();
  }, [ids]);
  useEffect(() => {
    const onChange = (): void => {
      movedMs.current = performance.now();
    };
    document.addEventListener("visibilitychange", onChange);
    return () => document.removeEventListener("visibilitychange", onChange);
  }, []);
  return movedMs;
}

interface PreviewProps {
  readonly waiting: WaitingRequest;
  readonly nowTs: number;
  readonly movedMs: RefObject<number>;
}

function RequestPreview({ waiting, nowTs, movedMs }: PreviewProps) {
  const store = useStore();
  const { sessionId, requestId, member, request } = waiting;
  const summary = useApp(({ sessions }) => sessions.find((one) => one.sessionId === sessionId));
  const [isBusy, setBusy] = useState(false);
  const described = describeRequest({ member, request });
  const { kind, diff } = described;
  const title = inPlainSight(kind === "question" ? described.what : purposeOf(described));
  const time = summary === undefined ? "" : ` · ${formatRowTime(summary, "needs", nowTs)}`;
  async function give(result: Json): Promise<void> {
    if (isBusy || performance.now() - movedMs.current < ANSWER_GRACE_MS) return;
    setBusy(true);
    const by = nameClient("browser", store.client.clientId);
    if (!(await store.tryCommand({ type: "answer", by, requestId, result }, sessionId))) setBusy(false);
  }
  const choices = quickChoices(described);
  return (
    <article className="inbox-card" aria-label={title} aria-busy={isBusy}>
      <div className="inbox-top">
        <Sign hue={summary?.members.indexOf(member) ?? -1} size="l" />
        <div className="grow">
          <h3 dir="auto">{title}</h3>
          <p className="fact cut" dir="auto">
            {summary === undefined ? "Another session" : nameOf(summary)}
            {time}
          </p>
        </div>
        {diff === undefined ? null : (
          <span className="diff-counts num">
            <span className="plus">+{diff.added}</span> <span className="minus">−{diff.removed}</span>
          </span>
        )}
      </div>
      {described.message === undefined ? null : (
        <p className="inbox-message" dir="auto">
          {inPlainSight(described.message)}
        </p>
      )}
      <RequestThing described={described} />
      {kind === "question" ? null : <RequestFacts described={described} />}
      <div className="inbox-go">
        {choices.map(({ label, answer }, at) => (
          <Button
            key={label}
            disabled={isBusy}
            {...(kind === "question" ? {} : { variant: at === 0 ? "primary" : "deny" })}
            onClick={() => void give(answer)}
          >
            {inPlainSight(label)}
          </Button>
        ))}
        <Button {...(choices.length === 0 ? { variant: "primary" } : {})} onClick={() => store.goTo({ sessionId })}>
          {kind !== "question" ? "Open" : choices.length === 0 ? "Answer" : "Reply…"}
        </Button>
      </div>
    </article>
  );
}

/** "codex wants to edit shutdown.ts": the file by its name; its path stands with the change. */
function purposeOf({ heading, files }: DescribedRequest): string {
  const text = heading.replace(" asks to ", " wants to ");
  const [file] = files;
  if (files.length !== 1 || file === undefined || !text.endsWith(file)) return text;
  return text.slice(0, -file.length) + (file.split("/").at(-1) ?? file);
}

/** What can be answered without opening the session: once or not at all, or one of at most two answers. */
function quickChoices({ kind, choices }: DescribedRequest): DescribedRequest["choices"] {
  if (kind === "question") return choices.length <= 2 ? choices : [];
  const [once, deny] = ["1", "4"].map((key) => choices.find(({ keys }) => keys.includes(key)));
  return once === undefined || deny === undefined ? [] : [once, deny];
}
