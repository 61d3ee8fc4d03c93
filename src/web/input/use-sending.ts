/** Submits a draft: runs a command, sends or queues a message; rejected text is restored completely. */
import type { QueueItem } from "../../protocol/index.ts";
import type { PageStore } from "../store/page-store.ts";
import type { Enclosed } from "../store/upload.ts";
import { useApp, useStore } from "../store/use-store.ts";
import type { Attachments } from "./attachments.tsx";
import { parseCommandLine } from "../../kit/text/command-line.ts";
import { mentionPrefix, wholeText } from "../queue/queued-text.ts";
import { NEW, putIntoDraft } from "./use-draft.ts";
import type { PageActions } from "../commands/command.ts";
import { findWebCommand, unknownCommandMessage } from "../commands/commands.ts";

export interface Sending {
  submit(mode: "send" | "queue"): Promise<void>;
  /** Returns a queued message to the draft; the newest by default. */
  pullBack(item?: QueueItem): Promise<void>;
}

export interface SendingProps {
  readonly text: string;
  readonly setText: (change: string | ((before: string) => string)) => void;
  readonly actions: PageActions;
  readonly attachments: Attachments;
}

export function useSending({ text, setText, actions, attachments }: SendingProps): Sending {
  const store = useStore();
  const hasEnded = useApp((state) => state.ended !== undefined);

  async function dispatch(written: string, mode: "send" | "queue", files: readonly Enclosed[]): Promise<boolean> {
    const line = parseCommandLine(written);
    if (line.kind === "message") return await store.send(written.trim(), mode, files);
    const command = findWebCommand(line.name);
    return await store.guarded(async () => {
      if (command === undefined) throw new Error(unknownCommandMessage(line.name));
      if (files.length > 0) throw new Error("Commands can't include files. Remove them, or write a message.");
      await command.run(store, line.args, actions);
    });
  }

  return {
    async submit(mode) {
      const written = text.trim() === "" ? "" : text.trimEnd();
      if ((written === "" && attachments.chosen.length === 0) || hasEnded) return;
      const draftSession = draftSessionOf(store);
      setText("");
      const chosen = attachments.drain();
      const files = chosen.map(({ file }) => file);
      if (await dispatch(written, mode, files)) return;
      attachments.putBack(draftSession(), chosen);
      if (written !== "") putIntoDraft(draftSession(), written);
    },
    async pullBack(item = store.getState().transcript?.head.queue.at(-1)) {
      const { sessionId } = store.getState();
      if (item === undefined || sessionId === undefined) return;
      await store.guarded(async () => {
        // Before removal: afterwards its blob cannot be found.
        const text = await wholeText(store, item);
        attachments.checkRoom(sessionId, item.attachments.length);
        await store.command({ type: "queue_remove", messageId: item.messageId }, sessionId);
        putIntoDraft(sessionId, mentionPrefix(item) + text);
        attachments.restore(sessionId, item.attachments);
      });
    },
  };
}

/** The session of the current draft, also later: a new session gets its id while its first message is sent. */
function draftSessionOf(store: PageStore): () => string {
  const { sessionId } = store.getState();
  return () => {
    const now = store.getState();
    return sessionId ?? (now.isCreatedHere ? now.sessionId : undefined) ?? NEW;
  };
}
