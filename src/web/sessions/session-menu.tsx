/** What can be done with a session, in one menu: in its row and in its header. */
import { useEffect, useRef, useState } from "react";
import type { SessionSummary } from "../../protocol/index.ts";
import { inPlainSight } from "../format/plain-sight.ts";
import { useHasKeys } from "../input/focus.ts";
import { copyLink } from "../store/copy-text.ts";
import type { PageStore } from "../store/page-store.ts";
import { useApp, useStore } from "../store/use-store.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { deleteFrom, downloadSession, EXPORT_FORMATS, type ExportFormat, forkFrom } from "./session-life.ts";

const TITLE_CHARS_MAX = 200;

export interface SessionMenuProps {
  readonly sessionId: string;
  /** Out of the order of Tab: its row is the stop. */
  readonly tabIndex?: number;
  /** Asked for by a key on the row. */
  readonly isRenaming?: boolean;
  readonly onRenamed?: () => void;
  /** Of the menu and its dialogs. */
  readonly onOpenChange?: (isOpen: boolean) => void;
  /** In the header of the open session. */
  readonly onPermissions?: () => void;
}

export function SessionMenu(props: SessionMenuProps) {
  const { sessionId, tabIndex, isRenaming = false, onRenamed, onOpenChange, onPermissions } = props;
  const store = useStore();
  const summary = useApp(({ sessions }) => sessions.find((one) => one.sessionId === sessionId));
  const hasKeys = useHasKeys();
  const [dialog, setDialog] = useState<"rename" | "export">();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const open = isRenaming ? "rename" : dialog;
  useOpenChange(isMenuOpen || open !== undefined, onOpenChange);
  if (summary === undefined) return null;
  const name = nameOf(summary);
  const close = (): void => {
    setDialog(undefined);
    onRenamed?.();
  };
  const items = menuItems(store, summary, { hasKeys, onDialog: setDialog, onPermissions });
  return (
    <>
      <Menu
        label={`Actions for ${name}`}
        items={items}
        onOpenChange={setMenuOpen}
        {...(tabIndex === undefined ? {} : { tabIndex })}
      />
      {open === "rename" ? <RenameDialog summary={summary} onClose={close} /> : null}
      {open === "export" ? <ExportDialog summary={summary} onClose={close} /> : null}
    </>
  );
}

interface ItemOptions {
  readonly hasKeys: boolean;
  readonly onDialog: (dialog: "rename" | "export") => void;
  readonly onPermissions: (() => void) | undefined;
}

function menuItems(store: PageStore, summary: SessionSummary, options: ItemOptions): MenuItem[] {
  const { hasKeys, onDialog, onPermissions } = options;
  const { sessionId, archived } = summary;
  const key = (name: string) => (hasKeys ? { aside: <kbd aria-hidden="true">{name}</kbd> } : {});
  return [
    { label: "Rename", icon: "pencil", ...key("F2"), onChoose: () => onDialog("rename") },
    { label: "Fork", icon: "git-fork", onChoose: () => void store.guarded(() => forkFrom(store, { sessionId })) },
    { label: "Replay", icon: "play", onChoose: () => store.goTo({ sessionId, view: "replay" }) },
    {
      label: "Usage",
      icon: "history",
      onChoose: () => {
        store.goTo({ sessionId });
        store.setPanel({ tab: "members" });
      },
    },
    ...(onPermissions === undefined
      ? []
      : [{ label: "Permissions", icon: "shield", onChoose: onPermissions } satisfies MenuItem]),
    {
      label: "Copy link",
      icon: "link",
      isApart: true,
      onChoose: () => void copyLink(store, `${location.origin}/#/s/${sessionId}`),
    },
    { label: "Export…", icon: "download", onChoose: () => onDialog("export") },
    {
      label: archived ? "Unarchive" : "Archive",
      icon: archived ? "archive-restore" : "archive",
      ...key("E"),
      onChoose: () => void store.tryCommand({ type: "archive", archived: !archived }, sessionId),
    },
    {
      label: "Move to trash",
      icon: "trash-2",
      isDanger: true,
      isApart: true,
      onChoose: () => void store.guarded(() => deleteFrom(store, sessionId)),
    },
  ];
}

function useOpenChange(isOpen: boolean, onOpenChange: SessionMenuProps["onOpenChange"]): void {
  const latest = useRef(onOpenChange);
  latest.current = onOpenChange;
  const wasOpen = useRef(false);
  useEffect(() => {
    if (isOpen !== wasOpen.current) latest.current?.(isOpen);
    wasOpen.current = isOpen;
  }, [isOpen]);
}

export function nameOf({ title }: Pick<SessionSummary, "title">): string {
  return title === "" ? "Untitled" : inPlainSight(title);
}

interface DialogProps {
  readonly summary: SessionSummary;
  readonly onClose: () => void;
}

function RenameDialog({ summary: { sessionId, title }, onClose }: DialogProps) {
  const store = useStore();
  const [draft, setDraft] = useState(title);
  function rename(): void {
    const wanted = draft.trim().slice(0, TITLE_CHARS_MAX);
    if (wanted !== "" && wanted !== title) void store.tryCommand({ type: "rename", title: wanted }, sessionId);
  }
  return (
    <FormDialog title="Rename session" action="Rename" onSubmit={rename} onClose={onClose}>
      <input
        type="text"
        aria-label="Title"
        value={draft}
        maxLength={TITLE_CHARS_MAX}
        autoFocus
        onFocus={({ target }) => target.select()}
        onChange={({ target }) => setDraft(target.value)}
      />
    </FormDialog>
  );
}

const FORMAT_LABELS: Readonly<Record<ExportFormat, string>> = {
  html: "HTML, a single file to read",
  markdown: "Markdown",
  jsonl: "JSON lines, to import again",
};

function ExportDialog({ summary: { sessionId }, onClose }: DialogProps) {
  const store = useStore();
  const [format, setFormat] = useState<ExportFormat>("html");
  const [isRedacted, setRedacted] = useState(false);
  return (
    <FormDialog
      title="Export session"
      action="Export"
      onSubmit={() => void store.guarded(() => downloadSession(store, { sessionId, format, isRedacted }))}
      onClose={onClose}
    >
      {EXPORT_FORMATS.map((one) => (
        <label key={one} className="check-row">
          <input type="radio" name="format" checked={one === format} onChange={() => setFormat(one)} />
          {FORMAT_LABELS[one]}
        </label>
      ))}
      <label className="check-row">
        <input type="checkbox" checked={isRedacted} onChange={({ target }) => setRedacted(target.checked)} />
        Remove keys, tokens, home paths and my name
      </label>
    </FormDialog>
  );
}
