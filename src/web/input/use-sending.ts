/** What becomes of a draft: a command is run, a message is sent or queued; what is refused comes back, whole. */
import { useApp, useStore } from "../store/use-store.ts";
import { parseCommandLine } from "./command-line.ts";
import { findWebCommand, unknownCommandWords, type PageDoors } from "./web-commands.ts";

export interface Sending {
  submit(mode: "send" | "queue"): Promise<void>;
  /** The newest message that waits comes back to be written on. */
  pullBack(): Promise<void>;
}

export interface SendingProps {
  readonly text: string;
  readonly setText: (change: string | ((before: string) => string)) => void;
  readonly doors: PageDoors;
}

export function useSending({ text, setText, doors }: SendingProps): Sending {
  const store = useStore();
  const hasEnded = useApp((state) => state.ended !== undefined);

  /** What was written meanwhile stays as well. */
  function putBack(written: string): void {
    setText((now) => (now === "" ? written : `${written}\n\n${now}`));
  }

  async function take(written: string, mode: "send" | "queue"): Promise<boolean> {
    const line = parseCommandLine(written);
    if (line.kind === "message") return await store.send(written.trim(), mode);
    const command = findWebCommand(line.name);
    return await store.guarded(async () => {
      if (command === undefined) throw new Error(unknownCommandWords(line.name));
      await command.run(store, line.args, doors);
    });
  }

  return {
    async submit(mode) {
      const written = text.trim() === "" ? "" : text.trimEnd();
      if (written === "" || hasEnded) return;
      setText("");
      if (!(await take(written, mode))) putBack(written);
    },
    async pullBack() {
      const item = store.getState().transcript?.head.queue.at(-1);
      if (item === undefined) return;
      if (await store.wish({ type: "queue_remove", messageId: item.messageId })) putBack(item.text);
    },
  };
}
