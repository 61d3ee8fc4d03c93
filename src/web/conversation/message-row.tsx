/** The message at a position, or the place it will take when its page is there. One that is drawn with another is empty. */
import { memo, useEffect } from "react";
import { messageAt, PAGE_SIZE, quietRunAt } from "../../transcript/index.ts";
import { useApp, useStore } from "../store/use-store.ts";
import { NoticeView } from "./messages/notice-message.tsx";
import { QuietTurns } from "./messages/quiet-turns.tsx";
import { TurnView } from "./messages/turn-message.tsx";
import { UserView } from "./messages/user-message.tsx";

export const MessageRow = memo(function MessageRow({ position }: { position: number }) {
  const message = useApp(({ transcript }) => (transcript === undefined ? undefined : messageAt(transcript, position)));
  const run = useApp(({ transcript }) => (transcript === undefined ? undefined : quietRunAt(transcript, position)));
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

function MissingRow({ page }: { page: number }) {
  const store = useStore();
  useEffect(() => {
    void store.guarded(() => store.loadPage(page));
  }, [store, page]);
  return <div className="message missing" aria-hidden="true" />;
}
