/**
 * Questions about the folder of a session, for reading only: its changes, its files, and what members did with them.
 */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { createTextReader, FILE_BYTES_MAX, listFiles } from "../../agents/index.ts";
import {
  RoundtableError,
  type FilePatch,
  type FileTree,
  type NamedFiles,
  type TouchedFiles,
  type WorkspaceChanges,
  type WorkspaceFile,
} from "../../protocol/index.ts";
import { resolveMessage, type Page } from "../../transcript/index.ts";
import type { RunSource } from "../sessions/runs.ts";
import { openRepository, type Repository } from "./git-changes.ts";
import { insidePath, isReached, resolveFolder } from "./inside-path.ts";
import { editorsByPath, summarizeTouched, touchedBy, type TouchedByTurn } from "./touched-files.ts";

/** Against the last commit, against the commit at the session's start, or as one turn reported them. */
export type ChangeScope = { readonly against: "head" | "start" } | { readonly turnId: string };

export interface WorkspaceQueries {
  readChanges(sessionId: string, scope: ChangeScope): Promise<WorkspaceChanges>;
  readPatch(sessionId: string, scope: ChangeScope, file: { path: string; oldPath?: string }): Promise<FilePatch>;
  readTouched(sessionId: string): Promise<TouchedFiles>;
  /** One directory, without what git ignores. */
  readTree(sessionId: string, directory: string): Promise<FileTree>;
  readFile(sessionId: string, path: string): Promise<WorkspaceFile>;
  /** Which of these name a file. */
  findNamed(sessionId: string, paths: readonly string[]): Promise<NamedFiles>;
}

const ENTRIES_MAX = 2_000;
const CANDIDATES_MAX = 20;
const TURN_PATCH_CHARS_MAX = 1024 * 1024;
const LINK = "This is a link, and links are not followed.";
/** Sessions whose frozen pages are remembered. */
const REMEMBERED_MAX = 8;

interface Folder {
  readonly cwd: string;
  readonly root: string;
}

export function createWorkspaceQueries(sourceOf: (sessionId: string) => Promise<RunSource>): WorkspaceQueries {
  const touched = createTouchedReader();

  async function folderOf(sessionId: string): Promise<Folder & { source: RunSource }> {
    const source = await sourceOf(sessionId);
    const { cwd } = source.transcript.head;
    return { cwd, root: await resolveFolder(cwd), source };
  }

  async function turnOf(source: RunSource, folder: Folder, turnId: string): Promise<TouchedByTurn> {
    const turn = (await touched(source, folder)).find((one) => one.turnId === turnId);
    if (turn !== undefined) return turn;
    throw new RoundtableError("unknown_turn", `No turn ${turnId} of this session reported changes.`);
  }

  async function repositoryOf({ root }: Folder): Promise<Repository> {
    const repository = await openRepository(root);
    if (repository !== undefined) return repository;
    throw new RoundtableError("unsupported", "This session's folder is not in a git repository.");
  }

  return {
    async readChanges(sessionId, scope) {
      const { source, ...folder } = await folderOf(sessionId);
      if ("turnId" in scope) {
        const { member, changes } = await turnOf(source, folder, scope.turnId);
        const files = changes.map(({ diffs: _diffs, ...file }) => Object.assign(file, { members: [member] }));
        return { repository: true, files, truncated: false };
      }
      const repository = await openRepository(folder.root);
      if (repository === undefined) return { repository: false, files: [], truncated: false };
      const base = await baseOf(repository, scope.against, source);
      const { files, truncated } = await repository.changes(base);
      const editors = editorsByPath(await touched(source, folder));
      const members = (path: string, oldPath = path) => editors.get(path) ?? editors.get(oldPath) ?? [];
      const shown = files.map((file) => Object.assign({ members: members(file.path, file.oldPath) }, file));
      return { repository: true, files: shown, truncated };
    },
    async readPatch(sessionId, scope, file) {
      const { source, ...folder } = await folderOf(sessionId);
      const path = insidePath(file.path, folder);
      if ("turnId" in scope) return turnPatch(await turnOf(source, folder, scope.turnId), path);
      const oldPath = file.oldPath === undefined ? undefined : insidePath(file.oldPath, folder);
      const repository = await repositoryOf(folder);
      return await repository.patch(await baseOf(repository, scope.against, source), { path, oldPath });
    },
    async readTouched(sessionId) {
      const { source, ...folder } = await folderOf(sessionId);
      return summarizeTouched(await touched(source, folder));
    },
    async readTree(sessionId, directory) {
      const { source: _source, ...folder } = await folderOf(sessionId);
      return await treeOf(folder, insidePath(directory, folder));
    },
    async readFile(sessionId, path) {
      const { source: _source, ...folder } = await folderOf(sessionId);
      return await fileOf(folder, insidePath(path, folder));
    },
    async findNamed(sessionId, paths) {
      const folder = await folderOf(sessionId).catch(nothingIfGone);
      return { paths: folder === undefined ? [] : await namedFiles(folder, paths) };
    },
  };
}

/** A folder that is gone has no files. */
function nothingIfGone(error: unknown): undefined {
  if (!(error instanceof RoundtableError) || error.code !== "unsupported") throw error;
}

function baseOf(repository: Repository, against: "head" | "start", { transcript }: RunSource): Promise<string> {
  return against === "head" ? repository.head() : repository.commitAt(transcript.head.createdTs);
}

function turnPatch({ changes }: TouchedByTurn, path: string): FilePatch {
  const patch = (changes.find((file) => file.path === path)?.diffs ?? [])
    .map((diff) => (diff.endsWith("\n") ? diff : `${diff}\n`))
    .join("");
  const truncated = patch.length > TURN_PATCH_CHARS_MAX;
  return { path, patch: patch.slice(0, TURN_PATCH_CHARS_MAX), isWhole: false, isBinary: false, truncated };
}

async function treeOf({ root }: Folder, directory: string): Promise<FileTree> {
  const full = join(root, directory);
  const facts = await lstat(full).catch(() => undefined);
  if (facts?.isDirectory() !== true || (directory !== "" && !(await isReached(root, directory))))
    throw new RoundtableError("bad_command", `There is no directory ${directory} in the session's folder.`);
  const signal = new AbortController().signal;
  const { paths, isCut } = await listFiles(full, { signal, reader: createTextReader(full) });
  const names = [...new Set(paths.map((path) => path.split("/", 1)[0] ?? ""))].sort((a, b) => (a < b ? -1 : 1));
  const kinds = await Promise.all(names.slice(0, ENTRIES_MAX).map((name) => kindOf(join(full, name))));
  const entries = kinds.flatMap((kind, at) => (kind === undefined ? [] : [{ name: names[at] ?? "", kind }]));
  return {
    directory,
    entries: entries.sort((a, b) => Number(b.kind === "directory") - Number(a.kind === "directory")),
    truncated: isCut || names.length > ENTRIES_MAX,
  };
}

/** Undefined for missing entries, devices and pipes. */
async function kindOf(full: string): Promise<FileTree["entries"][number]["kind"] | undefined> {
  const facts = await lstat(full).catch(() => undefined);
  if (facts?.isSymbolicLink() === true) return "link";
  if (facts?.isDirectory() === true) return "directory";
  return facts?.isFile() === true ? "file" : undefined;
}

async function fileOf({ root }: Folder, path: string): Promise<WorkspaceFile> {
  const facts = path === "" ? undefined : await lstat(join(root, path)).catch(() => undefined);
  if (facts === undefined) return { kind: "missing", path, candidates: await candidatesFor(root, path) };
  if (facts.isSymbolicLink() || !(await isReached(root, path))) return { kind: "other", path, why: LINK };
  if (facts.isDirectory()) return { kind: "other", path, why: "This is a directory." };
  const read = await createTextReader(root).read(path);
  if (read.kind === "text") return { kind: "text", path, text: read.text };
  if (read.kind === "binary") return { kind: "binary", path };
  if (read.kind === "huge") return { kind: "large", path, bytes: read.bytes, bytesMax: FILE_BYTES_MAX };
  return { kind: "other", path, why: read.kind === "unreadable" ? "The file cannot be read." : LINK };
}

/** A member often names a file without its directory. */
async function candidatesFor(root: string, path: string): Promise<string[]> {
  if (path === "") return [];
  const signal = new AbortController().signal;
  const { paths } = await listFiles(root, { signal, reader: createTextReader(root) });
  return paths.filter((one) => one.endsWith(`/${path}`)).slice(0, CANDIDATES_MAX);
}

/** Paths that lead out of the folder name nothing. */
async function namedFiles(folder: Folder, given: readonly string[]): Promise<string[]> {
  const insides = new Map(given.map((path) => [path, insideOrNothing(path, folder)]));
  const names = new Set([...insides.values()].map(nameOf));
  const signal = new AbortController().signal;
  const { paths } = await listFiles(folder.root, { signal, reader: createTextReader(folder.root) });
  const listed = paths.filter((path) => names.has(nameOf(path)));
  return [...insides].flatMap(([path, inside]) =>
    inside !== "" && listed.some((one) => one === inside || one.endsWith(`/${inside}`)) ? [path] : [],
  );
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function insideOrNothing(path: string, folder: Folder): string {
  try {
    return insidePath(path, folder);
  } catch {
    return "";
  }
}

/** All turns of a session that touched files; frozen pages are read once. */
function createTouchedReader(): (source: RunSource, folder: Folder) => Promise<TouchedByTurn[]> {
  const remembered = new Map<string, TouchedByTurn[][]>();
  return async ({ transcript, page }, { cwd, root }) => {
    const { head, frozen, live } = transcript;
    const pages = remembered.get(head.sessionId) ?? [];
    remembered.delete(head.sessionId);
    remembered.set(head.sessionId, pages);
    if (remembered.size > REMEMBERED_MAX) remembered.delete(remembered.keys().next().value ?? "");
    const inPage = ({ messages }: Page) =>
      touchedBy(
        messages.map((message) => resolveMessage(head, message)),
        [cwd, root],
      );
    for (let index = 0; index < frozen.length; index += 1)
      pages[index] ??= inPage(frozen[index] ?? (await page(index)));
    return [...pages.slice(0, frozen.length), ...live.map(inPage)].flat();
  };
}
