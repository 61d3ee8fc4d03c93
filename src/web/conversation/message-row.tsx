/** The message at a position, or the place it will take when its page is there. */
import { memo, useEffect } from "react";
import { messageAt, PAGE_SIZE } from "../../transcript/index.ts";
import { useApp, useStore } from "../store/use-store.ts";
import { NoticeView } from "./notice-message.tsx";
import { TurnView } from "./turn-message.tsx";
import { UserView } from "./user-message.tsx";

export const MessageRow = memo(function MessageRow({ position }: { position: number }) {
  const message = useApp(({ transcript }) => (transcript === undefined ? undefined : messageAt(transcript, position)));
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
