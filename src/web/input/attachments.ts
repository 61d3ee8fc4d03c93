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

/** Files that are being looked at; who is ready last says what was wrong with any of them. */
interface Batch {
  open: number;
  readonly problems: string[];
}

/** Names that are told of files that are left out. */
const NAMES_MAX = 5;

type Waiting = ReadonlyMap<string, readonly ChosenFile[]>;

let lastId = 0;

export function useAttachments(): Attachments {
  const store = useStore();
  const session = useApp((state) => state.sessionId) ?? "new";
  const [waiting, setWaiting] = useState<Waiting>(new Map());
  // Files may be added twice before the page is drawn again.
  const newest = useRef(waiting);
  const batch = useRef<Batch>(undefined);
  const chosen = waiting.get(session) ?? [];
  // What comes back belongs where the person is by then: a new session gets its name while its first message is sent.
  const current = useRef(session);
  current.current = session;

  function change(how: (before: readonly ChosenFile[]) => readonly ChosenFile[]): void {
    const place = current.current;
    newest.current = new Map(newest.current).set(place, how(newest.current.get(place) ?? []));
    setWaiting(newest.current);
  }

  /** Returns those for which there is no room. */
  function take(good: readonly ChosenFile[]): readonly ChosenFile[] {
    const room = Math.max(0, ATTACHMENTS_MAX - (newest.current.get(current.current) ?? []).length);
    change((before) => [...before, ...good.slice(0, room)]);
    return good.slice(room);
  }

  function add(files: readonly File[]): void {
    if (files.length === 0) return;
    const together = (batch.current ??= { open: 0, problems: [] });
    together.open += 1;
    void store.guarded(async () => {
      const checked = await Promise.allSettled(
        files.map(async (file) => ({ id: (lastId += 1), file, mime: await checkAttachment(file) })),
      );
      const good = checked.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      const bad = checked.flatMap((one) => (one.status === "rejected" ? [(one.reason as Error).message] : []));
      together.problems.push(...bad, ...leftOutWords(take(good)));
      together.open -= 1;
      if (together.open === 0) batch.current = undefined;
      if (together.problems.length > 0) throw new Error(together.problems.join(" "));
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

function leftOutWords(left: readonly ChosenFile[]): string[] {
  if (left.length === 0) return [];
  const names = left.slice(0, NAMES_MAX).map(({ file }) => file.name);
  const rest = left.length > names.length ? ` and ${left.length - names.length} more` : "";
  return [`A message carries at most ${ATTACHMENTS_MAX} files. Left out: ${names.join(", ")}${rest}.`];
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
