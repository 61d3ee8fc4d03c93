/** A session of the list: title, state as glyph and label, and actions. */
import { memo, useState } from "react";
import type { SessionSummary } from "../../protocol/index.ts";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { useStore } from "../store/use-store.ts";
import { formatWhen } from "../format/units.ts";
import { inPlainSight } from "../format/plain-sight.ts";
import { DeleteQuestion } from "./trash-dialog.tsx";
import { downloadSession } from "./session-life.ts";

const TITLE_CHARS_MAX = 200;

export interface SessionRowProps {
  readonly summary: SessionSummary;
  readonly isCurrent: boolean;
  readonly isUnread: boolean;
  /** Its current state is known. */
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
  const [isReturned, setReturned] = useState(false);
  const { sessionId, title } = summary;
  const name = title === "" ? "Untitled" : inPlainSight(title);
  function endRename({ isLeft }: { isLeft: boolean }): void {
    setReturned(!isLeft);
    setDraft(undefined);
  }
  function endDelete({ isGone }: { isGone: boolean }): void {
    setReturned(!isGone);
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
        isReturned={isReturned}
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
  const facts = [
    ...(status === "idle" ? [] : [status]),
    ...(waiting === 0 ? [] : ["needs you"]),
    ...(isUnread ? ["new"] : []),
    ...(archived ? ["archived"] : []),
    ...(problem === undefined ? [] : ["damaged"]),
    formatWhen(updatedTs),
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
        {facts.join(" · ")}
      </span>
    </button>
  );
}

interface RowActionsProps {
  readonly summary: SessionSummary;
  readonly name: string;
  /** A dialog opened from here was closed by a key. */
  readonly isReturned: boolean;
  readonly onRename: () => void;
  readonly onDelete: () => void;
}

function RowActions({ summary: { sessionId, archived }, name, isReturned, onRename, onDelete }: RowActionsProps) {
  const store = useStore();
  const download = () => store.guarded(() => downloadSession(store, { sessionId, format: "html" }));
  const items: MenuItem[] = [
    { label: "Rename", onChoose: onRename },
    {
      label: archived ? "Unarchive" : "Archive",
      onChoose: () => void store.tryCommand({ type: "archive", archived: !archived }, sessionId),
    },
    { label: "Download", title: "One HTML file; /export has more formats", onChoose: () => void download() },
    { label: "Delete", onChoose: onDelete },
  ];
  return <Menu label={`Actions for ${name}`} items={items} isFocused={isReturned} />;
}

interface RenameFormProps {
  readonly summary: SessionSummary;
  readonly draft: string;
  readonly onChange: (draft: string) => void;
  /** `isLeft`: the focus is elsewhere already. */
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
        void store.tryCommand({ type: "rename", title: wanted }, sessionId);
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
