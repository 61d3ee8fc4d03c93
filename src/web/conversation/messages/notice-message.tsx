/** Something outside any turn: minutes, the state of the council, a note of an agent, care of the log. */
import { memo } from "react";
import { isKnownEvent, type EventOf } from "../../../protocol/index.ts";
import { loadedMessagesBackward, type Notice, type Transcript } from "../../../transcript/index.ts";
import { Markdown } from "../../markdown/markdown.tsx";
import { MemberName } from "../../members/member-name.tsx";
import { useApp, useStore } from "../../store/use-store.ts";
import { formatEvent } from "../../format/format-event.ts";
import { CompactionView } from "../blocks/compaction-view.tsx";
import { MessageActions } from "./message-actions.tsx";
import { Moment } from "./moment.tsx";

export const NoticeView = memo(function NoticeView({ notice }: { notice: Notice }) {
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

/** Who comes back sooner than this has not been away. */
const PAUSE_MS_MIN = 3_600_000;

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
        <button type="button" className="primary" onClick={() => void store.tryCommand({ type: "continue" })}>
          Continue
        </button>
      ) : null}
    </section>
  );
}

/** Only the pause that still holds can be ended, however much was written after it. */
function isHeldBy(transcript: Transcript, { seq }: Notice): boolean {
  if (transcript.head.council.state !== "paused") return false;
  for (const message of loadedMessagesBackward(transcript)) {
    if (message.kind === "notice" && message.event.type === "council_paused") return message.seq === seq;
  }
  return false;
}
