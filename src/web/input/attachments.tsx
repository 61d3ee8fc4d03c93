/** Attachments of each session's next message: pasted, dropped, chosen, or returned from the queue. */
import { type ClipboardEvent, useEffect, useRef, useState } from "react";
import { type Attachment, ATTACHMENTS_MAX } from "../../protocol/index.ts";
import { Icon } from "../ui/icon.tsx";
import { useStoredImage } from "../conversation/messages/use-stored-image.ts";
import { formatBytes } from "../format/units.ts";
import type { Enclosed } from "../store/upload.ts";
import { useApp, useStore } from "../store/use-store.ts";
import { checkAttachment, IMAGE_TYPES } from "./attachment-check.ts";
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
  /** Removes them for sending. */
  drain(): readonly ChosenFile[];
  /** Returns them to the session's draft after a rejected message. */
  putBack(sessionId: string, chosen: readonly ChosenFile[]): void;
  /** Throws a message when the session's draft would have too many. */
  checkRoom(sessionId: string, count: number): void;
  /** Attachments of a message returned from the queue; the session already has them. */
  restore(sessionId: string, files: readonly Attachment[]): void;
  onPaste(event: ClipboardEvent): void;
}

/** Files being checked together; the last one to finish reports the errors of all. */
interface Batch {
  open: number;
  readonly problems: string[];
}

/** Maximum file names in an error. */
const NAMES_MAX = 5;

type Waiting = ReadonlyMap<string, readonly ChosenFile[]>;

let lastId = 0;

export function useAttachments(): Attachments {
  const store = useStore();
  const session = useApp((state) => state.sessionId) ?? NEW;
  const [waiting, setWaiting] = useState<Waiting>(new Map());
  // Files may be added twice before the next render.
  const newest = useRef(waiting);
  const batch = useRef<Batch>(undefined);
  const chosen = waiting.get(session) ?? [];
  // Checked files belong to the current session: a new one gets its id meanwhile.
  const current = useRef(session);
  current.current = session;

  function change(how: (before: readonly ChosenFile[]) => readonly ChosenFile[], sessionId = current.current): void {
    newest.current = new Map(newest.current).set(sessionId, how(newest.current.get(sessionId) ?? []));
    setWaiting(newest.current);
  }

  /** Returns those that exceed the limit. */
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
      // Text with a picture of itself, as office programs copy it, is pasted as text.
      if (files.length === 0 || event.clipboardData.getData("text/plain") !== "") return;
      event.preventDefault();
      add(files);
    },
  };
}

function checkRoom(there: number, count: number): void {
  if (count === 0 || there + count <= ATTACHMENTS_MAX) return;
  throw new Error(`A message can have at most ${ATTACHMENTS_MAX} files, so the queued message stays in the queue.`);
}

function asChosen(file: Attachment): ChosenFile {
  return { id: (lastId += 1), file, mime: file.mime };
}

function leftOutMessages(left: readonly ChosenFile[]): string[] {
  if (left.length === 0) return [];
  const names = left.slice(0, NAMES_MAX).map(({ file }) => file.name);
  const rest = left.length > names.length ? ` and ${left.length - names.length} more` : "";
  return [`A message can have at most ${ATTACHMENTS_MAX} files. Left out: ${names.join(", ")}${rest}.`];
}

/** Drops anywhere on the page; otherwise the browser would navigate to the file. */
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

/** Attachments of the draft, and the button to add more. */
export function AttachmentChips({ attachments }: { attachments: Attachments }) {
  const { chosen, isDragging } = attachments;
  return (
    <>
      {isDragging ? <p className="drop-hint">Drop to attach</p> : null}
      {chosen.length === 0 ? null : (
        <ul className="chips" aria-label="To be sent with the message">
          {chosen.map((one) => (
            <Chip key={one.id} chosen={one} onRemove={() => attachments.remove(one.id)} />
          ))}
        </ul>
      )}
    </>
  );
}

function Chip({ chosen: { file, mime }, onRemove }: { chosen: ChosenFile; onRemove: () => void }) {
  const isImage = IMAGE_TYPES.includes(mime);
  const isHere = file instanceof File;
  const own = useObjectUrl(isImage && isHere ? file : undefined);
  const stored = useStoredImage(isImage && !isHere ? file : undefined);
  const url = own ?? stored.url;
  return (
    <li className="attached-file">
      {url === undefined ? null : <img src={url} alt="" />}
      <span className="chip-name" dir="auto">
        {file.name}
      </span>
      <span className="fact">{formatBytes(isHere ? file.size : file.blob.bytes)}</span>
      <button type="button" aria-label={`Remove ${file.name}`} onClick={onRemove}>
        ✕
      </button>
    </li>
  );
}

function useObjectUrl(file: File | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (file === undefined) return undefined;
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return url;
}

export function AttachButton({ attachments, isDisabled }: { attachments: Attachments; isDisabled: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={({ target }) => {
          attachments.add([...(target.files ?? [])]);
          // Allows choosing the same file again.
          target.value = "";
        }}
      />
      <button
        type="button"
        className="ib attach"
        aria-label="Attach images or files"
        title="Attach images or files; pasting and dropping work too"
        disabled={isDisabled}
        onClick={() => input.current?.click()}
      >
        <Icon name="paperclip" />
      </button>
    </>
  );
}
