/** What members did with files, as their turns report it: reads, edits and diffs. Pure. */
import { PATH_KEYS, type ChangedFile, type FileChange, type Json, type TouchedFiles } from "../../protocol/index.ts";
import { countChanges, isEdit, type ShownMessage, type ToolBlock, type TurnMessage } from "../../transcript/index.ts";

export interface TouchedByTurn {
  readonly turnId: string;
  readonly member: string;
  readonly ts: number;
  readonly reads: readonly string[];
  readonly changes: readonly TurnFile[];
}

type TurnFile = Omit<ChangedFile, "members"> & {
  /** What was reported, in order. */
  readonly diffs: readonly string[];
};

const FILES_MAX = 2_000;
const TURNS_MAX = 500;
const DONE: ReadonlySet<ToolBlock["state"]> = new Set(["success", "finished", "truncated"]);

/** Turns that touched a file, oldest first. */
export function touchedBy(messages: readonly ShownMessage[], folders: readonly string[]): TouchedByTurn[] {
  return messages.flatMap((message) => {
    if (message.kind !== "turn") return [];
    const touched = touchedByTurn(message, folders);
    return touched.reads.length + touched.changes.length === 0 ? [] : [touched];
  });
}

function touchedByTurn({ turnId, member, ts, blocks }: TurnMessage, folders: readonly string[]): TouchedByTurn {
  const tools = blocks.filter((block) => block.kind === "tool").filter(({ state }) => DONE.has(state));
  const reads = tools.filter(({ toolKind }) => toolKind === "read").flatMap(({ args }) => namedIn(args));
  const edits = tools.filter(isEdit).flatMap(editsOf);
  const reports = blocks.flatMap((block) => (block.kind === "changes" ? block.files : []));
  // A report sums up the edits of its file.
  const reported = new Set(reports.map(({ path }) => insideFolder(path, folders)));
  const all = [...edits.filter(({ path }) => !reported.has(insideFolder(path, folders))), ...reports];
  const byPath = Map.groupBy(all, ({ path }) => insideFolder(path, folders));
  return {
    turnId,
    member,
    ts,
    reads: [...new Set(reads.flatMap((path) => insideFolder(path, folders) ?? []))],
    changes: [...byPath].flatMap(([path, changes]) => (path === undefined ? [] : [joined(path, changes)])),
  };
}

function joined(path: string, changes: readonly FileChange[]): TurnFile {
  const diffs = changes.flatMap(({ diff = "" }) => (diff === "" ? [] : [diff]));
  const counts = changes.map(({ added, removed, diff = "" }) =>
    added === undefined && diff !== "" ? countChanges(diff) : { added: added ?? 0, removed: removed ?? 0 },
  );
  const isCounted = changes.some(({ added, diff = "" }) => added !== undefined || diff !== "");
  const sum = {
    added: counts.reduce((total, one) => total + one.added, 0),
    removed: counts.reduce((total, one) => total + one.removed, 0),
  };
  return { path, status: changes.at(-1)?.status ?? "modified", ...(isCounted ? sum : {}), diffs };
}

/** One change per file that the call names; a patch of several files is divided by their headers. */
function editsOf({ args, diff = "", name }: ToolBlock): FileChange[] {
  const sections = diff
    .split(/^(?=(?:diff --git .*\n(?:.*\n)*?)?--- .*\n\+\+\+ )/m)
    .filter((section) => section.includes("+++ "));
  const patched = sections.flatMap((section): FileChange[] => {
    const [, from = "", to = ""] = /^--- (?:a\/)?(.+?)\t?.*\n\+\+\+ (?:b\/)?(.+?)(?:\t.*)?$/m.exec(section) ?? [];
    const path = to === "/dev/null" ? from : to;
    const status = to === "/dev/null" ? "deleted" : section.includes("--- /dev/null\n") ? "added" : "modified";
    return path === "" ? [] : [{ path, status, diff: section }];
  });
  const named = namedIn(args);
  // Programs write names into diffs in their own way; the call identifies the file.
  if (named.length === 1 && patched.length <= 1)
    return named.map((path) => ({ status: statusOf(name), ...patched[0], path, ...(diff === "" ? {} : { diff }) }));
  return patched.length > 0 ? patched : named.map((path) => ({ path, status: statusOf(name) }));
}

function statusOf(tool: string): FileChange["status"] {
  return tool.toLowerCase() === "delete" ? "deleted" : "modified";
}

function namedIn(args: Json): string[] {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return [];
  const own = PATH_KEYS.map((key) => args[key]).find((value) => typeof value === "string" && value !== "");
  if (typeof own === "string") return [own];
  const { changes } = args;
  return Array.isArray(changes) ? changes.flatMap((one) => namedIn(one)) : [];
}

/** Relative to the folder, whose names are given; undefined outside it. */
function insideFolder(path: string, folders: readonly string[]): string | undefined {
  const folder = folders.find((one) => path.startsWith(`${one}/`));
  const relative = folder === undefined ? path : path.slice(folder.length + 1);
  const segments = relative.split("/").filter((segment) => segment !== "." && segment !== "");
  return relative.startsWith("/") || segments.length === 0 || segments.includes("..") ? undefined : segments.join("/");
}

export function summarizeTouched(turns: readonly TouchedByTurn[]): TouchedFiles {
  const files = new Map<string, Map<string, { reads: number; edits: number }>>();
  const note = (path: string, member: string, kind: "reads" | "edits") => {
    const members = files.get(path) ?? new Map<string, { reads: number; edits: number }>();
    const counts = members.get(member) ?? { reads: 0, edits: 0 };
    members.set(member, { ...counts, [kind]: counts[kind] + 1 });
    files.set(path, members);
  };
  for (const { member, reads, changes } of turns) {
    for (const path of reads) note(path, member, "reads");
    for (const { path } of changes) note(path, member, "edits");
  }
  const paths = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  const changing = turns.filter(({ changes }) => changes.length > 0).toReversed();
  return {
    files: paths.slice(0, FILES_MAX).map(([path, members]) => ({
      path,
      members: [...members].map(([name, { reads, edits }]) => ({ name, reads, edits })),
    })),
    turns: changing.slice(0, TURNS_MAX).map(({ turnId, member, ts, changes }) => ({
      turnId,
      member,
      ts,
      files: changes.map(({ diffs: _diffs, ...file }) => file),
    })),
    truncated: paths.length > FILES_MAX || changing.length > TURNS_MAX,
  };
}

/** Members that changed a file, in order of their first change. */
export function editorsByPath(turns: readonly TouchedByTurn[]): Map<string, string[]> {
  const editors = new Map<string, string[]>();
  for (const { member, changes } of turns) {
    for (const { path } of changes) {
      const known = editors.get(path) ?? [];
      if (!known.includes(member)) editors.set(path, [...known, member]);
    }
  }
  return editors;
}
