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
      <header>
        <h2>
          <span className="speaker">you</span>
        </h2>
        {message.toAll || message.to.length === 0 ? null : (
          <span className="fact">to {message.to.map((name) => `@${name}`).join(" ")}</span>
        )}
        {isOwn ? null : <Origin message={message} />}
        <Moment ts={message.ts} />
        <MessageActions seq={message.seq} text={() => message.text} pinId={message.messageId}>
          {message.to.length < 2 ? null : (
            <button type="button" aria-haspopup="dialog" onClick={() => store.compare(message.messageId)}>
              Compare
            </button>
          )}
        </MessageActions>
      </header>
      <UserText message={message} />
      <Ticks message={message} />
    </article>
  );
});

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
      <div className="text" dir="auto">
        {inOrder(whole ?? message.text)}
      </div>
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
  return (
    <ul className="ticks" aria-label="Delivery">
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
  if (failed || isBroken) return <span className="fact">(The picture could not be fetched.) </span>;
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
