/** The files that wait to be sent with the next message of each session: pasted, dropped or chosen. */
import { useEffect, useRef, useState, type ClipboardEvent } from "react";
import { useApp, useStore } from "../store/use-store.ts";
import { ATTACHMENTS_MAX, checkAttachment } from "./attachment-check.ts";

export interface ChosenFile {
  readonly id: number;
  readonly file: File;
  readonly mime: string;
}

export interface Attachments {
  readonly chosen: readonly ChosenFile[];
  readonly isDragging: boolean;
  add(files: readonly File[]): void;
  remove(id: number): void;
  /** Gives them away: they are being sent. */
  take(): readonly ChosenFile[];
  /** They were not taken, and stay. */
  putBack(chosen: readonly ChosenFile[]): void;
  onPaste(event: ClipboardEvent): void;
}

type Waiting = ReadonlyMap<string, readonly ChosenFile[]>;

let lastId = 0;

export function useAttachments(): Attachments {
  const store = useStore();
  const session = useApp((state) => state.sessionId) ?? "new";
  const [waiting, setWaiting] = useState<Waiting>(new Map());
  const chosen = waiting.get(session) ?? [];
  // What comes back belongs where the person is by then: a new session gets its name while its first message is sent.
  const current = useRef(session);
  current.current = session;

  function change(how: (before: readonly ChosenFile[]) => readonly ChosenFile[]): void {
    const place = current.current;
    setWaiting((before) => new Map(before).set(place, how(before.get(place) ?? [])));
  }

  function add(files: readonly File[]): void {
    if (files.length === 0) return;
    void store.guarded(async () => {
      const checked = await Promise.allSettled(
        files.map(async (file) => ({ id: (lastId += 1), file, mime: await checkAttachment(file) })),
      );
      const good = checked.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      const room = Math.max(0, ATTACHMENTS_MAX - chosen.length);
      change((before) => [...before, ...good].slice(0, ATTACHMENTS_MAX));
      const bad = checked.flatMap((one) => (one.status === "rejected" ? [(one.reason as Error).message] : []));
      const tooMany = good.length > room ? [`A message carries at most ${ATTACHMENTS_MAX} files here.`] : [];
      if (bad.length + tooMany.length > 0) throw new Error([...bad, ...tooMany].join(" "));
    });
  }

  return {
    chosen,
    isDragging: useDrop(add),
    add,
    remove: (id) => change((before) => before.filter((one) => one.id !== id)),
    take() {
      change(() => []);
      return chosen;
    },
    putBack: (back) => change((before) => [...back, ...before]),
    onPaste(event) {
      const files = [...event.clipboardData.files];
      // A text that brings a picture of itself along, as office programs do, is pasted as text.
      if (files.length === 0 || event.clipboardData.getData("text/plain") !== "") return;
      event.preventDefault();
      add(files);
    },
  };
}

/** Wherever on the page something is let go; without this the browser would leave the page for the file. */
function useDrop(onFiles: (files: readonly File[]) => void): boolean {
  const [isDragging, setDragging] = useState(false);
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") === true;
    const over = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setDragging(true);
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setDragging(false);
    };
    const drop = (event: DragEvent): void => {
      setDragging(false);
      if (!hasFiles(event)) return;
      event.preventDefault();
      onFiles([...(event.dataTransfer?.files ?? [])]);
    };
    document.addEventListener("dragover", over);
    document.addEventListener("dragleave", leave);
    document.addEventListener("drop", drop);
    return () => {
      document.removeEventListener("dragover", over);
      document.removeEventListener("dragleave", leave);
      document.removeEventListener("drop", drop);
    };
  });
  return isDragging;
}
