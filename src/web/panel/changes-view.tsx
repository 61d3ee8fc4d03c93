/** Changes: of the session, since the last commit, or of one turn; by member; unified or side by side. */
import { useEffect, useRef, useState } from "react";
import type { ChangedFile, FilePatch, TouchedFiles, WorkspaceChanges } from "../../protocol/index.ts";
import type { DiffLayout } from "../diff/diff.tsx";
import { FileDiff } from "../diff/patch.tsx";
import { formatClock, plural } from "../format/units.ts";
import { Icon } from "../ui/icon.tsx";
import { LineCounts, PathName, Segments, Signs } from "./file-row.tsx";
import { type Remote, useRemote, useWorkVersion, workspacePath } from "./use-remote.ts";

type Scope = "start" | "head" | "turn";

const SCOPES = [
  { value: "start", label: "Session" },
  { value: "head", label: "HEAD" },
  { value: "turn", label: "Last turn" },
] as const;

const LAYOUTS = [
  { value: "unified", label: <Icon name="rows-3" size="s" />, name: "Unified" },
  { value: "split", label: <Icon name="columns-3" size="s" />, name: "Side by side" },
] as const;

const NOTHING: Readonly<Record<Scope, string>> = {
  start: "No changes since this session started.",
  head: "No uncommitted changes.",
  turn: "No turn has changed files yet.",
};

interface ChangesProps {
  readonly sessionId: string;
  readonly touched: TouchedFiles | undefined;
  /** Since the session started; the panel counts them, too. */
  readonly sinceStart: Remote<WorkspaceChanges>;
  /** The file to begin with. */
  readonly path?: string | undefined;
}

export function ChangesView({ sessionId, touched, sinceStart, path }: ChangesProps) {
  const [scope, setScope] = useState<Scope>("start");
  const [turnId, setTurnId] = useState("");
  const [member, setMember] = useState("");
  const [layout, setLayout] = useState<DiffLayout>("unified");
  const version = useWorkVersion();
  const turns = touched?.turns ?? [];
  const turn = turns.find((one) => one.turnId === turnId) ?? turns[0];
  const query: Record<string, string> = scope === "turn" ? { turn: turn?.turnId ?? "" } : { against: scope };
  const isQueried = scope !== "turn" || turn !== undefined;
  const other = useRemote<WorkspaceChanges>(
    isQueried && scope !== "start" ? workspacePath(sessionId, "changes", query) : undefined,
    version,
  );
  const { value, problem, isLoading } = scope === "start" ? sinceStart : other;
  const members = [...new Set((value?.files ?? []).flatMap((file) => file.members))];
  const files = (value?.files ?? []).filter((file) => member === "" || file.members.includes(member));
  return (
    <>
      <div className="psub">
        <Segments label="Compare with" options={SCOPES} chosen={scope} onChoose={setScope} />
        <MemberChoice members={members} chosen={member} onChoose={setMember} />
        <span className="grow" />
        <Totals files={files} />
        <Segments label="Layout" options={LAYOUTS} chosen={layout} onChoose={setLayout} />
      </div>
      {scope === "turn" && turns.length > 1 ? (
        <TurnChoice
          turns={turns}
          chosen={turn?.turnId}
          onChoose={(chosen) => {
            setTurnId(chosen);
            setMember("");
          }}
        />
      ) : null}
      <div className="panel-body" tabIndex={0} role="region" aria-label="Changes in the folder" aria-busy={isLoading}>
        <Remarks scope={scope} problem={problem} isQueried={isQueried} changes={value} count={files.length} />
        <FileList
          key={`${scope} ${turn?.turnId ?? ""} ${member}`}
          files={files}
          sessionId={sessionId}
          query={query}
          layout={layout}
          version={version}
          first={path}
        />
        {value?.truncated === true ? <p className="panel-note">Only the first files are shown.</p> : null}
      </div>
    </>
  );
}

interface MemberChoiceProps {
  readonly members: readonly string[];
  readonly chosen: string;
  readonly onChoose: (name: string) => void;
}

function MemberChoice({ members, chosen, onChoose }: MemberChoiceProps) {
  if (members.length < 2 && chosen === "") return null;
  return (
    <select aria-label="Member" value={chosen} onChange={({ target }) => onChoose(target.value)}>
      <option value="">Everyone</option>
      {members.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

interface TurnChoiceProps {
  readonly turns: TouchedFiles["turns"];
  readonly chosen: string | undefined;
  readonly onChoose: (turnId: string) => void;
}

function TurnChoice({ turns, chosen, onChoose }: TurnChoiceProps) {
  return (
    <div className="psub">
      <select aria-label="Turn" value={chosen} onChange={({ target }) => onChoose(target.value)}>
        {turns.map(({ turnId, member, ts, files }) => (
          <option key={turnId} value={turnId}>
            {`${member} · ${formatClock(ts)} · ${plural(files.length, "file")}`}
          </option>
        ))}
      </select>
    </div>
  );
}

interface RemarksProps {
  readonly scope: Scope;
  readonly problem: string | undefined;
  readonly isQueried: boolean;
  readonly changes: WorkspaceChanges | undefined;
  readonly count: number;
}

/** What is to be said instead of files. */
function Remarks({ scope, problem, isQueried, changes, count }: RemarksProps) {
  if (problem !== undefined) return <p className="panel-note">{problem}</p>;
  if (changes?.repository === false)
    return (
      <p className="panel-note">
        This folder is not a git repository. See Last turn for the changes that members reported.
      </p>
    );
  const isKnown = changes !== undefined || !isQueried;
  return isKnown && count === 0 ? <p className="panel-note">{NOTHING[scope]}</p> : null;
}

function Totals({ files }: { files: readonly ChangedFile[] }) {
  const sum = (key: "added" | "removed") => files.reduce((total, file) => total + (file[key] ?? 0), 0);
  return files.length === 0 ? null : <LineCounts added={sum("added")} removed={sum("removed")} />;
}

interface FileListProps {
  readonly files: readonly ChangedFile[];
  readonly sessionId: string;
  readonly query: Readonly<Record<string, string>>;
  readonly layout: DiffLayout;
  readonly version: string;
  readonly first: string | undefined;
}

function FileList({ files, sessionId, query, layout, version, first }: FileListProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set(first === undefined ? [] : [first]));
  const [current, setCurrent] = useState(first);
  const list = useRef<HTMLDivElement>(null);
  const firstPath = files[0]?.path;
  useEffect(() => {
    if (firstPath === undefined) return;
    setCurrent((before) => before ?? firstPath);
    setOpen((before) => (before.size === 0 ? new Set([firstPath]) : before));
  }, [firstPath]);
  function show(path: string): void {
    setCurrent(path);
    setOpen(new Set([...open, path]));
    const heads = [...(list.current?.querySelectorAll<HTMLElement>("[data-path]") ?? [])];
    heads.find((head) => head.dataset["path"] === path)?.scrollIntoView({ block: "start" });
  }
  function toggle(path: string): void {
    const rest = new Set(open);
    if (!rest.delete(path)) rest.add(path);
    setOpen(rest);
  }
  if (files.length === 0) return null;
  return (
    <div ref={list}>
      <ul className="file-list">
        {files.map((file) => (
          <li key={file.path}>
            <ChangedRow file={file} isCurrent={file.path === current} onShow={() => show(file.path)} />
          </li>
        ))}
      </ul>
      {files.map((file) => (
        <section key={file.path} data-path={file.path} aria-label={file.path}>
          <button
            type="button"
            className="file-head"
            aria-expanded={open.has(file.path)}
            onClick={() => toggle(file.path)}
          >
            <Icon name={open.has(file.path) ? "chevron-down" : "chevron-right"} size="s" />
            <PathName path={file.path} />
            <span className="grow" />
            <LineCounts added={file.added} removed={file.removed} />
          </button>
          {open.has(file.path) ? (
            <ChangedFileDiff file={file} sessionId={sessionId} query={query} layout={layout} version={version} />
          ) : null}
        </section>
      ))}
    </div>
  );
}

interface ChangedRowProps {
  readonly file: ChangedFile;
  readonly isCurrent: boolean;
  readonly onShow: () => void;
}

function ChangedRow({ file, isCurrent, onShow }: ChangedRowProps) {
  return (
    <button type="button" className="frow" aria-current={isCurrent ? "true" : undefined} onClick={onShow}>
      <Icon name="file-code" size="s" />
      <PathName path={file.path} />
      {file.status === "modified" ? null : <span className="fact">{file.status}</span>}
      <span className="grow" />
      <Signs names={file.members} />
      <LineCounts added={file.added} removed={file.removed} />
    </button>
  );
}

interface FileDiffProps extends Omit<FileListProps, "files" | "first"> {
  readonly file: ChangedFile;
}

function ChangedFileDiff({
  file: { path, oldPath, added, removed },
  sessionId,
  query,
  layout,
  version,
}: FileDiffProps) {
  const renamed = oldPath === undefined ? {} : { oldPath };
  const { value, problem } = useRemote<FilePatch>(
    workspacePath(sessionId, "patch", { ...query, path, ...renamed }),
    `${version} ${added} ${removed}`,
  );
  if (problem !== undefined) return <p className="panel-note">{problem}</p>;
  if (value === undefined) return <p className="panel-note">Loading…</p>;
  if (value.isBinary) return <p className="panel-note">Not a text file, or too large to compare.</p>;
  return (
    <>
      {oldPath === undefined ? null : <p className="panel-note">Renamed from {oldPath}</p>}
      {value.patch.includes("@@ ") ? (
        <FileDiff patch={value.patch} path={path} layout={layout} />
      ) : oldPath === undefined ? (
        <p className="panel-note">No changed lines to show.</p>
      ) : null}
      {value.truncated ? <p className="panel-note">The diff is longer than 1 MB; the rest is not shown.</p> : null}
    </>
  );
}
