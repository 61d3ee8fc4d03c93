/**
 * The message at a position, or a placeholder until its page is loaded. A message that is rendered with another is
 * empty.
 */
import { memo, useEffect, useState } from "react";
import { type EventOf, isKnownEvent } from "../../protocol/index.ts";
import {
  formatQuietRun,
  loadedMessagesBackward,
  messageAt,
  type Notice,
  PAGE_SIZE,
  quietCost,
  quietRunAt,
  type Transcript,
  type TurnMessage,
} from "../../transcript/index.ts";
import { costLabels, formatEvent } from "../format/format-turn.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { MemberName } from "../members/member-name.tsx";
import { parseRoute } from "../store/route.ts";
import { useApp, useStore } from "../store/use-store.ts";
import { Collapsible } from "./blocks/collapsible.tsx";
import { CompactionView } from "./blocks/compaction-view.tsx";
import { MessageActions, Moment } from "./messages/message-actions.tsx";
import { TurnView } from "./messages/turn-message.tsx";
import { UserView } from "./messages/user-message.tsx";
import { columnsAt, TurnColumns } from "./turn-columns.tsx";

const NoticeView = memo(function NoticeView({ notice }: { notice: Notice }) {
  const { event } = notice;
  if (isShortPause(event)) return null;
  if (isKnownEvent(event)) {
    if (event.type === "minutes") return <MinutesView notice={notice} minutes={event} />;
    if (event.type === "compaction") return <CompactionView compaction={event} className="message notice" />;
    if (event.type === "council_paused") return <PausedView notice={notice} paused={event} />;
  }
  return (
    <p className="message notice" data-tone={toneOf(notice)} dir="auto">
      <span>{formatEvent(event)}</span>
    </p>
  );
});

/** Shorter pauses are not shown. */
const PAUSE_MS_MIN = 3_600_000;

const QuietTurns = memo(function QuietTurns({ turns }: { turns: readonly TurnMessage[] }) {
  const isNamed = useNamed(turns);
  const [first] = turns;
  if (first === undefined) return null;
  const { durationMs, usage } = quietCost(turns);
  const cost = costLabels({ end: { durationMs }, ...(usage === undefined ? {} : { usage }) });
  const facts = [formatQuietRun(turns), `round ${first.round}`, ...cost];
  return (
    <Collapsible
      id={`quiet ${first.turnId}`}
      className="quiet-turns"
      isOpenAtFirst={isNamed}
      summary={<span dir="auto">{facts.join(" · ")}</span>}
    >
      {turns.map((turn) => (
        <TurnView key={turn.turnId} turn={turn} />
      ))}
    </Collapsible>
  );
});

export const MessageRow = memo(function MessageRow({ position }: { position: number }) {
  const message = useApp(({ transcript }) => (transcript === undefined ? undefined : messageAt(transcript, position)));
  const columns = useApp(({ transcript }) => transcript && columnsAt(transcript, position)?.join(" "));
  const run = useApp(({ transcript }) => transcript && quietRun(transcript, position));
  if (columns !== undefined) {
    const positions = columns.split(" ").map(Number);
    return positions[0] === position ? <TurnColumns positions={positions} /> : null;
  }
  if (run !== undefined) return run[0]?.position === position ? <QuietTurns turns={run} /> : null;
  if (message === undefined) return <MissingRow page={Math.floor(position / PAGE_SIZE)} />;
  switch (message.kind) {
    case "user":
      return <UserView message={message} />;
    case "turn":
      return <TurnView turn={message} />;
    default:
      return <NoticeView notice={message} />;
  }
});

/** Turns of a run that stand in columns with others are drawn there. */
function quietRun(transcript: Transcript, position: number): readonly TurnMessage[] | undefined {
  const run = quietRunAt(transcript, position);
  return run?.some((turn) => columnsAt(transcript, turn.position) !== undefined) === true ? undefined : run;
}

/** The position at which a message is drawn: that of the first of its columns or its run, or its own. */
export function rowPosition(transcript: Transcript, position: number): number {
  return columnsAt(transcript, position)?.[0] ?? quietRun(transcript, position)?.[0]?.position ?? position;
}

function MissingRow({ page }: { page: number }) {
  const store = useStore();
  useEffect(() => {
    void store.guarded(() => store.loadPage(page));
  }, [store, page]);
  return <div className="message missing" aria-hidden="true" />;
}

/**
 * Turns of a round that add nothing, as one line that expands. True once the address named one of them, possibly before
 * this was rendered.
 */
function useNamed(turns: readonly TurnMessage[]): boolean {
  const [isNamed, setNamed] = useState(() => {
    const { seq, view } = parseRoute(location.hash);
    return view === undefined && holds(turns, seq);
  });
  const isTarget = useApp(({ targetSeq }) => holds(turns, targetSeq));
  if (isTarget && !isNamed) setNamed(true);
  return isNamed;
}

function holds(turns: readonly TurnMessage[], seq: number | undefined): boolean {
  return seq !== undefined && turns.some(({ seq: from, end }) => from <= seq && seq <= (end?.seq ?? from));
}

function isShortPause(event: Notice["event"]): boolean {
  if (!isKnownEvent(event) || event.type !== "session_resume") return false;
  return event.afterTs !== undefined && event.ts - event.afterTs < PAUSE_MS_MIN;
}

function toneOf({ event }: Notice): string {
  if (!isKnownEvent(event)) return "plain";
  if (event.type === "warning" || event.type === "read_only" || event.type === "recovered") return "warn";
  if (event.type === "error" || event.type === "damage") return "bad";
  if (event.type === "ui_notify")
    return { info: "plain", warn: "warn", error: "bad", success: "good" }[event.notifyType];
  return "plain";
}

function MinutesView({ notice, minutes }: { notice: Notice; minutes: EventOf<"minutes"> }) {
  return (
    <article className="message minutes" aria-label="Minutes">
      <header>
        <h2 className="card-title">Minutes</h2>
        {minutes.by === undefined ? null : (
          <span className="fact">
            by <MemberName name={minutes.by} />
          </span>
        )}
        <Moment ts={notice.ts} />
        <MessageActions seq={notice.seq} text={() => minutes.text} />
      </header>
      <Markdown text={minutes.text} />
    </article>
  );
}

function PausedView({ notice, paused }: { notice: Notice; paused: EventOf<"council_paused"> }) {
  const store = useStore();
  const holds = useApp(({ transcript }) => transcript !== undefined && isHeldBy(transcript, notice));
  return (
    <section className="message paused" aria-label="The discussion is paused">
      <p dir="auto">{paused.message}</p>
      {holds ? (
        <button type="button" className="btn primary" onClick={() => void store.tryCommand({ type: "continue" })}>
          Continue
        </button>
      ) : null}
    </section>
  );
}

/** Only the current pause can be ended, however much was written after it. */
function isHeldBy(transcript: Transcript, { seq }: Notice): boolean {
  if (transcript.head.council.state !== "paused") return false;
  for (const message of loadedMessagesBackward(transcript)) {
    if (message.kind === "notice" && message.event.type === "council_paused") return message.seq === seq;
  }
  return false;
}
