/** Files: what members touched, or the whole folder; a chosen file below, at the line that was asked for. */
import { useEffect, useState } from "react";
import type { ChangedFile, FileTree, TouchedFiles, WorkspaceFile } from "../../protocol/index.ts";
import { formatBytes, plural } from "../format/units.ts";
import { useStore } from "../store/use-store.ts";
import { IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { FileLines, linesOf } from "./file-lines.tsx";
import { LineCounts, PathName, Segments, Signs } from "./file-row.tsx";
import { touchedTree, type TreeNode } from "./touched-tree.ts";
import { useRemote, useWorkVersion, workspacePath } from "./use-remote.ts";

const SHOWN = [
  { value: "touched", label: "Touched" },
  { value: "all", label: "All files" },
] as const;

interface FilesProps {
  readonly sessionId: string;
  readonly touched: TouchedFiles | undefined;
  readonly changes: readonly ChangedFile[];
  readonly path?: string | undefined;
  readonly line?: number | undefined;
}

export function FilesView({ sessionId, touched, changes, path, line }: FilesProps) {
  const store = useStore();
  const [shown, setShown] = useState<"touched" | "all">("touched");
  const files = touched?.files ?? [];
  const count = (key: "reads" | "edits") =>
    files.filter(({ members }) => members.some((member) => member[key] > 0)).length;
  const [query, setQuery] = useState<string>();
  const open = (chosen: string) => {
    setQuery(undefined);
    store.openFile(chosen);
  };
  return (
    <>
      <div className="psub">
        {query === undefined ? (
          <>
            <Segments label="Files" options={SHOWN} chosen={shown} onChoose={setShown} />
            <span className="grow" />
            <span className="fact num">
              {count("reads")} read, {count("edits")} edited
            </span>
          </>
        ) : (
          <FindField query={query} onQuery={setQuery} />
        )}
        <IconButton
          icon="search"
          label="Find a file"
          isOn={query !== undefined}
          onClick={() => setQuery(query === undefined ? "" : undefined)}
        />
      </div>
      <div className="panel-body files" tabIndex={0} role="region" aria-label="Files">
        <div className="tree">
          {query !== undefined && query.trim() !== "" ? (
            <MatchingFiles sessionId={sessionId} query={query.trim()} current={path} onOpen={open} />
          ) : shown === "all" ? (
            <Directory sessionId={sessionId} directory="" depth={0} current={path} onOpen={open} />
          ) : files.length === 0 ? (
            <p className="panel-note">No member has read or edited a file yet.</p>
          ) : (
            <TouchedNodes nodes={touchedTree(files, changes)} depth={0} current={path} onOpen={open} />
          )}
        </div>
        {path === undefined ? null : <FileText sessionId={sessionId} path={path} line={line} onOpen={open} />}
      </div>
    </>
  );
}

function FindField({ query, onQuery }: { query: string; onQuery: (query: string | undefined) => void }) {
  return (
    <input
      type="text"
      className="find-file"
      aria-label="Find a file"
      placeholder="Find a file"
      autoFocus
      autoComplete="off"
      value={query}
      onChange={({ target }) => onQuery(target.value)}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        onQuery(undefined);
      }}
    />
  );
}

const MATCHES_MAX = 50;

/** Of the whole folder, best match first. */
function MatchingFiles({
  sessionId,
  query,
  current,
  onOpen,
}: Omit<RowsProps, "depth"> & { sessionId: string; query: string }) {
  const store = useStore();
  const [matches, setMatches] = useState<{ query: string; files: readonly string[] }>();
  useEffect(() => {
    let isGone = false;
    void store.guarded(async () => {
      const answer = await store.command({ type: "list_files", query, limit: MATCHES_MAX }, sessionId);
      const { files } = answer as unknown as { files: readonly string[] };
      if (!isGone) setMatches({ query, files });
    });
    return () => {
      isGone = true;
    };
  }, [store, sessionId, query]);
  if (matches === undefined) return <p className="panel-note">Searching…</p>;
  if (matches.files.length === 0) return <p className="panel-note">No matching files.</p>;
  return (
    <ul>
      {matches.files.map((file) => (
        <li key={file}>
          <button
            type="button"
            className="frow"
            aria-current={file === current ? "true" : undefined}
            onClick={() => onOpen(file)}
          >
            <Icon name="file-code" size="s" />
            <PathName path={file} />
          </button>
        </li>
      ))}
    </ul>
  );
}

interface RowsProps {
  readonly depth: number;
  readonly current: string | undefined;
  readonly onOpen: (path: string) => void;
}

/** Indents a row: set by script, as the policy of the page wants it. */
function depthOf(depth: number) {
  return { "--d": depth } as React.CSSProperties;
}

function TouchedNodes({ nodes, depth, current, onOpen }: RowsProps & { nodes: readonly TreeNode[] }) {
  return (
    <ul>
      {nodes.map((node) => (
        <TouchedRow key={node.path} node={node} depth={depth} current={current} onOpen={onOpen} />
      ))}
    </ul>
  );
}

function TouchedRow({ node, depth, current, onOpen }: RowsProps & { node: TreeNode }) {
  const [isOpen, setOpen] = useState(true);
  const isDirectory = node.children !== undefined;
  const isFolded = isDirectory && !isOpen;
  return (
    <li>
      <button
        type="button"
        className="frow"
        style={depthOf(depth)}
        aria-expanded={isDirectory ? isOpen : undefined}
        aria-current={node.path === current ? "true" : undefined}
        onClick={() => (isDirectory ? setOpen(!isOpen) : onOpen(node.path))}
      >
        <Icon name={isDirectory ? (isOpen ? "chevron-down" : "chevron-right") : "file-code"} size="s" />
        <span className="cut">{node.name}</span>
        <span className="grow" />
        {isDirectory && !isFolded ? null : (
          <>
            <LineCounts added={node.added} removed={node.removed} />
            <Signs names={node.members} />
          </>
        )}
      </button>
      {node.children === undefined || !isOpen ? null : (
        <TouchedNodes nodes={node.children} depth={depth + 1} current={current} onOpen={onOpen} />
      )}
    </li>
  );
}

interface DirectoryProps extends RowsProps {
  readonly sessionId: string;
  readonly directory: string;
}

function Directory({ sessionId, directory, depth, current, onOpen }: DirectoryProps) {
  const { value, problem } = useRemote<FileTree>(workspacePath(sessionId, "tree", { directory }), useWorkVersion());
  if (problem !== undefined) return <p className="panel-note">{problem}</p>;
  if (value === undefined) return <p className="panel-note">Loading…</p>;
  return (
    <>
      <ul>
        {value.entries.map(({ name, kind }) => {
          const path = directory === "" ? name : `${directory}/${name}`;
          return kind === "directory" ? (
            <Folder key={name} {...{ sessionId, name, directory: path, depth, current, onOpen }} />
          ) : (
            <li key={name}>
              <button
                type="button"
                className="frow"
                style={depthOf(depth)}
                aria-current={path === current ? "true" : undefined}
                onClick={() => onOpen(path)}
              >
                <Icon name={kind === "link" ? "link" : "file-code"} size="s" />
                <span className="cut">{name}</span>
              </button>
            </li>
          );
        })}
      </ul>
      {value.truncated ? <p className="panel-note">Only the first files are shown.</p> : null}
      {value.entries.length === 0 ? <p className="panel-note">No files.</p> : null}
    </>
  );
}

function Folder({ name, ...props }: DirectoryProps & { name: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <button
        type="button"
        className="frow"
        style={depthOf(props.depth)}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isOpen ? "chevron-down" : "chevron-right"} size="s" />
        <span className="cut">{name}</span>
      </button>
      {isOpen ? <Directory {...props} depth={props.depth + 1} /> : null}
    </li>
  );
}

interface FileTextProps {
  readonly sessionId: string;
  readonly path: string;
  readonly line: number | undefined;
  readonly onOpen: (path: string) => void;
}

function FileText({ sessionId, path, line, onOpen }: FileTextProps) {
  const store = useStore();
  const { value, problem } = useRemote<WorkspaceFile>(workspacePath(sessionId, "file", { path }), useWorkVersion());
  // A member often names a file without its directory.
  const [only, ...others] = value?.kind === "missing" ? value.candidates : [];
  const isElsewhere = only !== undefined && others.length === 0;
  useEffect(() => {
    if (isElsewhere) store.openFile(only, line);
  }, [isElsewhere, only, line, store]);
  const name = value?.path ?? path;
  return (
    <section className="file-text" aria-label={name}>
      <header className="file-head">
        <Icon name="file-code" size="s" />
        <PathName path={name} />
        <span className="grow" />
        {value?.kind === "text" ? <span className="fact num">{plural(linesOf(value.text).length, "line")}</span> : null}
        <IconButton
          icon="copy"
          label="Copy path"
          onClick={() =>
            void store.guarded(async () => {
              await navigator.clipboard.writeText(name);
              store.notify("Copied.");
            })
          }
        />
      </header>
      {problem === undefined ? null : <p className="panel-note">{problem}</p>}
      {value?.kind === "text" ? (
        <FileLines path={name} text={value.text} line={line} />
      ) : value === undefined || isElsewhere ? null : (
        <NoText file={value} onOpen={onOpen} />
      )}
    </section>
  );
}

function NoText({ file, onOpen }: { file: Exclude<WorkspaceFile, { kind: "text" }>; onOpen: (path: string) => void }) {
  if (file.kind === "binary") return <p className="panel-note">Not a text file.</p>;
  if (file.kind === "other") return <p className="panel-note">{file.why}</p>;
  if (file.kind === "large")
    return (
      <p className="panel-note">
        {formatBytes(file.bytes)} is too large to show. The limit is {formatBytes(file.bytesMax)}.
      </p>
    );
  if (file.candidates.length === 0) return <p className="panel-note">There is no such file.</p>;
  return (
    <>
      <p className="panel-note">Several files have this name:</p>
      <ul className="tree">
        {file.candidates.map((path) => (
          <li key={path}>
            <button type="button" className="frow" onClick={() => onOpen(path)}>
              <Icon name="file-code" size="s" />
              <PathName path={path} />
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
