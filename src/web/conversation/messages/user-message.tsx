/** A message of a user: words as they were written, to whom, and how far it has come with each of them. */
import { memo, useState } from "react";
import { deliveriesOf, type Delivery, type UserMessage } from "../../../transcript/index.ts";
import { useApp, useHead, useStore } from "../../store/use-store.ts";
import { formatBytes } from "../../format/units.ts";
import { formatOrigin } from "../../format/format-origin.ts";
import { formatReason } from "../../format/format-reason.ts";
import { inOrder, inPlainSight } from "../../format/plain-sight.ts";
import { AttachmentList } from "./attachment-list.tsx";
import { MessageActions } from "./message-actions.tsx";
import { Moment } from "./moment.tsx";

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

/** Where it came from, unless the message before it came from there too. */
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
          className="quiet"
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
