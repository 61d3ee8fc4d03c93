/** One session of the list: title, state in sign and word, and what can be done with it. */
import { memo, useState } from "react";
import type { SessionSummary } from "../../protocol/index.ts";
import { useStore } from "../store/use-store.ts";
import { whenOf } from "../words/amounts.ts";
import { inPlainSight } from "../words/plain-sight.ts";
import { DeleteQuestion } from "./delete-question.tsx";
import { downloadSession } from "./download-session.ts";

const TITLE_CHARS_MAX = 200;

export interface SessionRowProps {
  readonly summary: SessionSummary;
  readonly isCurrent: boolean;
  readonly isUnread: boolean;
  /** What it does now is known. */
  readonly isLive: boolean;
  readonly onOpen: () => void;
}

export const SessionRow = memo(
  SessionRowView,
  (a, b) =>
    a.summary === b.summary && a.isCurrent === b.isCurrent && a.isUnread === b.isUnread && a.isLive === b.isLive,
);

function SessionRowView({ summary, onOpen, ...state }: SessionRowProps) {
  const [draft, setDraft] = useState<string>();
  const [isDeleting, setDeleting] = useState(false);
  const [returned, setReturned] = useState<Returned>();
  const { sessionId, title } = summary;
  const name = title === "" ? "Untitled" : inPlainSight(title);
  function endRename({ isLeft }: { isLeft: boolean }): void {
    setReturned(isLeft ? undefined : "rename");
    setDraft(undefined);
  }
  function endDelete({ isGone }: { isGone: boolean }): void {
    setReturned(isGone ? undefined : "delete");
    setDeleting(false);
  }
  if (draft !== undefined) {
    return (
      <li className="session-row">
        <RenameForm summary={summary} draft={draft} onChange={setDraft} onDone={endRename} />
      </li>
    );
  }
  if (isDeleting) {
    return (
      <li className="session-row">
        <DeleteQuestion sessionId={sessionId} name={name} onDone={endDelete} />
      </li>
    );
  }
  return (
    <li className="session-row">
      <OpenButton summary={summary} name={name} onOpen={onOpen} {...state} />
      <RowActions
        summary={summary}
        name={name}
        returned={returned}
        onRename={() => setDraft(title)}
        onDelete={() => setDeleting(true)}
      />
    </li>
  );
}

function OpenButton({
  summary,
  name,
  isCurrent,
  isUnread,
  isLive,
  onOpen,
}: SessionRowProps & { readonly name: string }) {
  const { archived, updatedTs, cwd, problem, waiting = 0 } = summary;
  const status = isLive ? summary.status : "idle";
  const words = [
    ...(status === "idle" ? [] : [status]),
    ...(waiting === 0 ? [] : ["waits for you"]),
    ...(isUnread ? ["new"] : []),
    ...(archived ? ["archived"] : []),
    ...(problem === undefined ? [] : ["damaged"]),
    whenOf(updatedTs),
  ];
  return (
    <button
      type="button"
      className="session-open"
      data-status={status}
      data-unread={isUnread}
      aria-current={isCurrent}
      title={problem ?? cwd}
      onClick={onOpen}
    >
      <span className="row-title" dir="auto">
        {name}
      </span>
      <span className="fact">
        {status === "running" ? <span className="pulse" aria-hidden="true" /> : null}
        {words.join(" · ")}
      </span>
    </button>
  );
}

/** Which button gets the focus back, when what it opened is closed by a key. */
type Returned = "rename" | "delete" | undefined;

interface RowActionsProps {
  readonly summary: SessionSummary;
  readonly name: string;
  readonly returned: Returned;
  readonly onRename: () => void;
  readonly onDelete: () => void;
}

function RowActions({ summary: { sessionId, archived }, name, returned, onRename, onDelete }: RowActionsProps) {
  const store = useStore();
  return (
    <span className="row-actions">
      <button
        type="button"
        aria-label={`Download ${name}`}
        title="Download as one HTML file; /export has more"
        onClick={() => void store.guarded(() => downloadSession(store, { sessionId, format: "html" }))}
      >
        ⤓
      </button>
      <button
        type="button"
        aria-label={`Rename ${name}`}
        title="Rename"
        autoFocus={returned === "rename"}
        onClick={onRename}
      >
        ✎
      </button>
      <button
        type="button"
        aria-label={`${archived ? "Bring back" : "Archive"} ${name}`}
        title={archived ? "Bring back" : "Archive"}
        onClick={() => void store.wish({ type: "archive", archived: !archived }, sessionId)}
      >
        {archived ? "↥" : "▾"}
      </button>
      <button
        type="button"
        aria-label={`Delete ${name}`}
        title="Delete"
        autoFocus={returned === "delete"}
        onClick={onDelete}
      >
        ✕
      </button>
    </span>
  );
}

interface RenameFormProps {
  readonly summary: SessionSummary;
  readonly draft: string;
  readonly onChange: (draft: string) => void;
  /** Left: the focus is elsewhere already. */
  readonly onDone: (how: { isLeft: boolean }) => void;
}

function RenameForm({ summary: { sessionId, title }, draft, onChange, onDone }: RenameFormProps) {
  const store = useStore();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onDone({ isLeft: false });
        const wanted = draft.trim().slice(0, TITLE_CHARS_MAX);
        if (wanted === "" || wanted === title) return;
        void store.wish({ type: "rename", title: wanted }, sessionId);
      }}
    >
      <input
        type="text"
        aria-label="Title"
        value={draft}
        autoFocus
        onChange={({ target }) => onChange(target.value)}
        onBlur={() => onDone({ isLeft: true })}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          onDone({ isLeft: false });
        }}
      />
    </form>
  );
}
