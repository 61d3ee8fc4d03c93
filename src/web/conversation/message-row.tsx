/**
 * The message at a position, or a placeholder until its page is loaded. A message that is rendered with another is
 * empty.
 */
import { memo, useEffect, useState } from "react";
import { type Attachment, type EventOf, isKnownEvent } from "../../protocol/index.ts";
import {
  deliveriesOf,
  type Delivery,
  formatQuietRun,
  formatReason,
  loadedMessagesBackward,
  messageAt,
  type Notice,
  PAGE_SIZE,
  quietCost,
  quietRunAt,
  type Transcript,
  type TurnMessage,
  type UserMessage,
} from "../../transcript/index.ts";
import { costLabels, formatEvent, formatOrigin } from "../format/format-turn.ts";
import { inOrder, inPlainSight } from "../format/plain-sight.ts";
import { formatBytes } from "../format/units.ts";
import { IMAGE_TYPES } from "../input/attachment-check.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { MemberName } from "../members/member-name.tsx";
import { parseRoute } from "../store/route.ts";
import { useApp, useHead, useStore } from "../store/use-store.ts";
import { Collapsible } from "./blocks/collapsible.tsx";
import { CompactionView } from "./blocks/compaction-view.tsx";
import { messageAuthor } from "./messages/author.ts";
import { MessageActions, Moment } from "./messages/message-actions.tsx";
import { useStoredImage } from "./messages/use-stored-image.ts";
import { TurnView } from "./messages/turn-message.tsx";
import { columnsAt, TurnColumns } from "./turn-columns.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";

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
  const isTarget = useApp(({ target }) => holds(turns, target?.seq));
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

/** A user message: text as written, recipients, and delivery to each of them. */
const UserView = memo(function UserView({ message }: { message: UserMessage }) {
  const store = useStore();
  const isOwn = message.clientId === store.client.clientId;
  const author = useApp((state) => messageAuthor(message, state));
  const name = author && inPlainSight(author);
  return (
    <article className="message user" aria-label={name ?? "you"}>
      <header className="asked-by">
        <b>{name ?? "You"}</b>
        <Moment ts={message.ts} />
        {message.to.length === 0 && !message.toAll ? null : <span className="fact">to {formatTo(message)}</span>}
        {isOwn ? null : <Origin message={message} />}
        <MessageActions seq={message.seq} text={() => message.text} pinId={message.messageId} />
      </header>
      <UserText message={message} />
      <Ticks message={message} />
    </article>
  );
});

/** "everyone", "claude and codex". */
function formatTo({ to, toAll }: UserMessage): string {
  if (toAll) return "everyone";
  const names = to.map(inPlainSight);
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** Its origin, unless the previous message has the same. */
function Origin({ message }: { message: UserMessage }) {
  const origin = useApp(({ transcript }) => (transcript === undefined ? "" : formatOrigin(transcript, message)));
  return origin === "" ? null : <span className="fact">{inPlainSight(origin)}</span>;
}

function UserText({ message }: { message: UserMessage }) {
  const store = useStore();
  const [whole, setWhole] = useState<string>();
  const { textBlob, attachments } = message;
  return (
    <>
      <Question text={inOrder(whole ?? message.text)} />
      {textBlob === undefined || whole !== undefined ? null : (
        <button
          type="button"
          className="btn sm quiet"
          onClick={() => void store.guarded(async () => setWhole(await (await store.readBlob(textBlob.sha256)).text()))}
        >
          Show all {formatBytes(textBlob.bytes)}
        </button>
      )}
      <AttachmentList attachments={attachments} />
    </>
  );
}

/** A longer first line is no heading. */
const HEADING_CHARS_MAX = 400;

/** The first line is the heading of the answers below it. */
function Question({ text }: { text: string }) {
  const end = text.indexOf("\n");
  const [first, rest] = end < 0 ? [text, ""] : [text.slice(0, end), text.slice(end + 1)];
  if (first.trim() === "" || first.length > HEADING_CHARS_MAX) {
    return (
      <div className="text" dir="auto">
        <h2 className="unseen">{first.trim() === "" ? "Your message" : `${first.slice(0, HEADING_CHARS_MAX)}…`}</h2>
        <p className="asked-more">{text}</p>
      </div>
    );
  }
  return (
    <div className="text" dir="auto">
      <h2>{rest === "" ? first : `${first}\n`}</h2>
      {rest.trim() === "" ? null : <p className="asked-more">{rest}</p>}
    </div>
  );
}

const TICKS: Record<Delivery["state"], IconName> = {
  pending: "clock",
  delivered: "check",
  answering: "check",
  answered: "check",
  dropped: "circle-x",
};

function Ticks({ message }: { message: UserMessage }) {
  const deliveries = useHead((head) => deliveriesOf(head, message)) ?? message.deliveries;
  const entries = Object.entries(deliveries);
  if (entries.length === 0) return null;
  // Answers speak for themselves.
  const isPlain = entries.every(([, { state }]) => state === "answered" || state === "answering");
  return (
    <ul className={isPlain ? "ticks unseen" : "ticks"} aria-label="Delivery">
      {entries.map(([name, { state, reason }]) => (
        <li key={name} data-delivery={state} title={reason === undefined ? state : `${state}: ${reason}`}>
          <Icon name={TICKS[state]} size="s" /> {name}
          <span className="unseen"> {state}</span>
          {state === "dropped" ? ` · ${formatReason(reason ?? "") || "no answer"}` : ""}
        </li>
      ))}
    </ul>
  );
}

/** Attachments of a message: thumbnails loaded when in view, and downloadable files. */
function AttachmentList({ attachments }: { attachments: readonly Attachment[] }) {
  if (attachments.length === 0) return null;
  return (
    <ul className="attachments" aria-label="Attachments">
      {attachments.map((attachment, at) => (
        <li key={`${at} ${attachment.blob.sha256}`}>
          {IMAGE_TYPES.includes(attachment.mime) ? <Thumbnail attachment={attachment} /> : null}
          <span>
            <SaveButton attachment={attachment} /> <span className="fact">{formatBytes(attachment.blob.bytes)}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}

function Thumbnail({ attachment }: { attachment: Attachment }) {
  const { name } = attachment;
  const { url, failed } = useStoredImage(attachment);
  const [isLarge, setLarge] = useState(false);
  const [isBroken, setBroken] = useState(false);
  if (failed || isBroken) return <span className="fact">Image unavailable </span>;
  return (
    <button
      type="button"
      className="thumbnail"
      aria-label={`${isLarge ? "Smaller" : "Larger"}: ${name}`}
      aria-expanded={isLarge}
      onClick={() => setLarge(!isLarge)}
    >
      {url === undefined ? null : <img src={url} alt={name} data-large={isLarge} onError={() => setBroken(true)} />}
    </button>
  );
}

function SaveButton({ attachment: { name, blob } }: { attachment: Attachment }) {
  const store = useStore();
  async function save(): Promise<void> {
    const url = URL.createObjectURL(await store.readBlob(blob.sha256));
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    link.click();
    // The browser has read it by then.
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  }
  return (
    <button type="button" className="btn sm quiet" aria-label={`Save ${name}`} onClick={() => void store.guarded(save)}>
      {inPlainSight(name)}
    </button>
  );
}
