/** A user message: text as written, recipients, and delivery to each of them. */
import { memo, useState } from "react";
import type { Attachment } from "../../../protocol/index.ts";
import { deliveriesOf, formatReason, type Delivery, type UserMessage } from "../../../transcript/index.ts";
import { formatOrigin } from "../../format/format-turn.ts";
import { inOrder, inPlainSight } from "../../format/plain-sight.ts";
import { formatBytes } from "../../format/units.ts";
import { IMAGE_TYPES } from "../../input/attachment-check.ts";
import { useApp, useHead, useStore } from "../../store/use-store.ts";
import { MessageActions, Moment } from "./message-actions.tsx";
import { useStoredImage } from "./use-stored-image.ts";

export const UserView = memo(function UserView({ message }: { message: UserMessage }) {
  const store = useStore();
  const isOwn = message.clientId === store.client.clientId;
  return (
    <article className="message user" aria-label="you">
      <header className="asked-by">
        <b>You</b>
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

const TICKS: Record<Delivery["state"], string> = {
  pending: "…",
  delivered: "✓",
  answering: "✓",
  answered: "✓✓",
  dropped: "✗",
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
          <span aria-hidden="true">{TICKS[state]}</span> {name}
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
