/** The files that wait to be sent with the next message of each session: pasted, dropped, chosen, or taken back. */
import { useEffect, useRef, useState, type ClipboardEvent } from "react";
import { useApp, useStore } from "../store/use-store.ts";
import { ATTACHMENTS_MAX, type Attachment } from "../../protocol/index.ts";
import type { Enclosed } from "../store/upload.ts";
import { checkAttachment } from "./attachment-check.ts";
import { NEW } from "./use-draft.ts";

export interface ChosenFile {
  readonly id: number;
  readonly file: Enclosed;
  readonly mime: string;
}

export interface Attachments {
  readonly chosen: readonly ChosenFile[];
  readonly isDragging: boolean;
  add(files: readonly File[]): void;
  remove(id: number): void;
  /** Gives them away: they are being sent. */
  drain(): readonly ChosenFile[];
  /** They were not taken, and stay with the draft of that session. */
  putBack(sessionId: string, chosen: readonly ChosenFile[]): void;
  /** Throws a sentence when the draft of that session would hold too many with these. */
  checkRoom(sessionId: string, count: number): void;
  /** Of a message that is taken back; the session has them already. */
  restore(sessionId: string, files: readonly Attachment[]): void;
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
  const session = useApp((state) => state.sessionId) ?? NEW;
  const [waiting, setWaiting] = useState<Waiting>(new Map());
  // Files may be added twice before the page is drawn again.
  const newest = useRef(waiting);
  const batch = useRef<Batch>(undefined);
  const chosen = waiting.get(session) ?? [];
  // Files that were looked at belong where the person is by then: a new session gets its name meanwhile.
  const current = useRef(session);
  current.current = session;

  function change(how: (before: readonly ChosenFile[]) => readonly ChosenFile[], sessionId = current.current): void {
    newest.current = new Map(newest.current).set(sessionId, how(newest.current.get(sessionId) ?? []));
    setWaiting(newest.current);
  }

  /** Returns those for which there is no room. */
  function append(good: readonly ChosenFile[]): readonly ChosenFile[] {
    const room = Math.max(0, ATTACHMENTS_MAX - (newest.current.get(current.current) ?? []).length);
    change((before) => [...before, ...good.slice(0, room)]);
    return good.slice(room);
  }

  function putBack(sessionId: string, back: readonly ChosenFile[]): void {
    change((before) => [...back, ...before], sessionId);
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
      together.problems.push(...bad, ...leftOutMessages(append(good)));
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
    drain() {
      change(() => []);
      return chosen;
    },
    putBack,
    checkRoom: (sessionId, count) => checkRoom(newest.current.get(sessionId)?.length ?? 0, count),
    restore: (sessionId, files) => putBack(sessionId, files.map(asChosen)),
    onPaste(event) {
      const files = [...event.clipboardData.files];
      // A text that brings a picture of itself along, as office programs do, is pasted as text.
      if (files.length === 0 || event.clipboardData.getData("text/plain") !== "") return;
      event.preventDefault();
      add(files);
    },
  };
}

function checkRoom(there: number, count: number): void {
  if (count === 0 || there + count <= ATTACHMENTS_MAX) return;
  throw new Error(`With its files the draft would carry more than ${ATTACHMENTS_MAX}; it stays in the queue.`);
}

function asChosen(file: Attachment): ChosenFile {
  return { id: (lastId += 1), file, mime: file.mime };
}

function leftOutMessages(left: readonly ChosenFile[]): string[] {
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
