/** One session of the list: title, state in sign and word, and what can be done with it. */
import { memo, useState } from "react";
import type { SessionSummary } from "../../protocol/index.ts";
import { useStore } from "../store/use-store.ts";
import { whenOf } from "../words/amounts.ts";
import { DeleteQuestion } from "./delete-question.tsx";
import { downloadSession } from "./download-session.ts";

const TITLE_CHARS_MAX = 200;

export interface SessionRowProps {
  readonly summary: SessionSummary;
  readonly isCurrent: boolean;
  readonly isUnread: boolean;
  readonly onOpen: () => void;
}

export const SessionRow = memo(
  SessionRowView,
  (a, b) => a.summary === b.summary && a.isCurrent === b.isCurrent && a.isUnread === b.isUnread,
);

function SessionRowView({ summary, isCurrent, isUnread, onOpen }: SessionRowProps) {
  const [draft, setDraft] = useState<string>();
  const [isDeleting, setDeleting] = useState(false);
  const { sessionId, title, archived, status, updatedTs, cwd, problem, waiting = 0 } = summary;
  const name = title === "" ? "Untitled" : title;
  if (draft !== undefined) {
    return (
      <li className="session-row">
        <RenameForm summary={summary} draft={draft} onChange={setDraft} onDone={() => setDraft(undefined)} />
      </li>
    );
  }
  if (isDeleting) {
    return (
      <li className="session-row">
        <DeleteQuestion sessionId={sessionId} name={name} onDone={() => setDeleting(false)} />
      </li>
    );
  }
  const words = [
    ...(status === "idle" ? [] : [status]),
    ...(waiting === 0 ? [] : ["waits for you"]),
    ...(isUnread ? ["new"] : []),
    ...(archived ? ["archived"] : []),
    ...(problem === undefined ? [] : ["damaged"]),
    whenOf(updatedTs),
  ];
  return (
    <li className="session-row">
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
      <RowActions summary={summary} name={name} onRename={() => setDraft(title)} onDelete={() => setDeleting(true)} />
    </li>
  );
}

interface RowActionsProps {
  readonly summary: SessionSummary;
  readonly name: string;
  readonly onRename: () => void;
  readonly onDelete: () => void;
}

function RowActions({ summary: { sessionId, archived }, name, onRename, onDelete }: RowActionsProps) {
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
      <button type="button" aria-label={`Rename ${name}`} title="Rename" onClick={onRename}>
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
      <button type="button" aria-label={`Delete ${name}`} title="Delete" onClick={onDelete}>
        ✕
      </button>
    </span>
  );
}

interface RenameFormProps {
  readonly summary: SessionSummary;
  readonly draft: string;
  readonly onChange: (draft: string) => void;
  readonly onDone: () => void;
}

function RenameForm({ summary: { sessionId, title }, draft, onChange, onDone }: RenameFormProps) {
  const store = useStore();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onDone();
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
        onBlur={onDone}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          onDone();
        }}
      />
    </form>
  );
}
