/** Files: what members touched, or the whole folder; a chosen file below, at the line that was asked for. */
import { useEffect, useRef, useState } from "react";
import type { ChangedFile, FileTree, TouchedFiles, WorkspaceFile } from "../../protocol/index.ts";
import { CodeLine } from "../diff/code-line.tsx";
import { formatBytes, plural } from "../format/units.ts";
import { highlight, languageOf, type HighlightedLines } from "../highlight/highlight.ts";
import { useStore } from "../store/use-store.ts";
import { IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
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
  const open = (chosen: string) => store.openFile(chosen);
  return (
    <>
      <div className="psub">
        <Segments label="Files" options={SHOWN} chosen={shown} onChoose={setShown} />
        <span className="grow" />
        <span className="fact num">
          {count("reads")} read, {count("edits")} edited
        </span>
      </div>
      <div className="panel-body files" tabIndex={0} role="region" aria-label="Files">
        <div className="tree">
          {shown === "all" ? (
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

function linesOf(text: string): string[] {
  return text.replace(/\n$/, "").split("\n");
}

/** Lines drawn at once. */
const LINES_STEP = 1_000;

function FileLines({ path, text, line }: { path: string; text: string; line: number | undefined }) {
  const lines = linesOf(text);
  const [limit, setLimit] = useState(LINES_STEP);
  const [colours, setColours] = useState<{ text: string; lines: HighlightedLines | undefined }>();
  const target = useRef<HTMLDivElement>(null);
  const shown = Math.max(limit, (line ?? 0) + LINES_STEP / 2);
  useEffect(() => {
    let isGone = false;
    void highlight(text, languageOf(path)).then((made) => {
      if (!isGone) setColours({ text, lines: made });
    });
    return () => {
      isGone = true;
    };
  }, [path, text]);
  useEffect(() => {
    target.current?.scrollIntoView({ block: "center" });
  }, [path, line]);
  const coloured = colours?.text === text ? colours.lines : undefined;
  return (
    <div className="code-rows">
      {lines.slice(0, shown).map((content, at) => (
        <div key={at} className={at + 1 === line ? "dl one hot" : "dl one"} ref={at + 1 === line ? target : undefined}>
          <span className="ln" data-number={at + 1} />
          <code>
            <CodeLine text={content.replace(/\r$/, "")} line={coloured?.[at]} />
          </code>
        </div>
      ))}
      {lines.length > shown ? (
        <button type="button" className="btn sm more-rows" onClick={() => setLimit(shown + LINES_STEP * 5)}>
          Show more of {plural(lines.length, "line")}
        </button>
      ) : null}
    </div>
  );
}
