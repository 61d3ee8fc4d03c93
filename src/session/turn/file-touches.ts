/** Which files a fact of the log shows to be changed, and who changed which lately. */

import type { EventDraft, Json } from "../../protocol/index.ts";
import { COLLISION_MS, TOUCHES_REMEMBERED_MAX } from "../limits.ts";
import { fitEvent } from "../fit-event.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Ledger } from "../ledger.ts";

/** By what agents call the file they change. */
const PATH_KEYS = ["path", "file_path", "filePath", "notebook_path", "file", "target_file", "abs_path"];
const LIST_KEYS = ["paths", "files", "changes", "edits"];
const PATHS_MAX = 200;

/** As they are named there, each once. */
function pathsIn(draft: EventDraft): string[] {
  if (draft.type === "change_report") return unique(draft.files.map((file) => file.path));
  if (draft.type === "tool_result" && draft.ok && draft.diff !== undefined) return pathsOfDiff(draft.diff);
  return [];
}

/** What a call of an edit would change, which is none yet: it may be refused, or fail. */
export function announcedPaths(draft: EventDraft): string[] {
  if (draft.type === "tool_call_start") return draft.kind === "edit" ? pathsOfArgs(draft.args) : [];
  return draft.type === "tool_call_update" ? pathsOfArgs(draft.args ?? null) : [];
}

function pathsOfArgs(args: Json): string[] {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return [];
  const named = PATH_KEYS.flatMap((key) => (typeof args[key] === "string" ? [args[key]] : []));
  const listed = LIST_KEYS.flatMap((key) => listedPaths(args[key]));
  return unique([...named, ...listed]);
}

/** A list of names or of changes, or a record whose keys are names. */
function listedPaths(list: Json | undefined): string[] {
  if (typeof list !== "object" || list === null) return [];
  if (!Array.isArray(list)) return Object.keys(list).filter((key) => /[./\\]/.test(key));
  return list.slice(0, PATHS_MAX).flatMap((one) => {
    if (typeof one === "string") return [one];
    if (typeof one !== "object" || one === null || Array.isArray(one)) return [];
    return PATH_KEYS.flatMap((key) => (typeof one[key] === "string" ? [one[key]] : []));
  });
}

function pathsOfDiff(diff: string): string[] {
  const paths: string[] = [];
  for (const [, path = ""] of diff.matchAll(/^(?:\+\+\+|---) (?:[ab]\/)?([^\t\r\n]+)/gm)) {
    if (path !== "/dev/null") paths.push(path);
  }
  return unique(paths);
}

function unique(paths: readonly string[]): string[] {
  return [...new Set(paths.filter((path) => path !== "" && path.length <= 4096))].slice(0, PATHS_MAX);
}

/** One name a file: relative to the directory of the session where it lies inside, with `/` and without `.` and `..`. */
export function fileName(cwd: string, path: string): string {
  const slashed = path.replaceAll("\\", "/");
  const isAbsolute = slashed.startsWith("/") || /^[A-Za-z]:\//.test(slashed);
  const base = cwd.replaceAll("\\", "/").replace(/\/+$/, "");
  const whole = isAbsolute ? slashed : `${base}/${slashed}`;
  const segments: string[] = [];
  for (const part of whole.split("/")) {
    if (part === "..") segments.pop();
    else if (part !== "" && part !== ".") segments.push(part);
  }
  const clean = `${whole.startsWith("/") ? "/" : ""}${segments.join("/")}`;
  return clean.startsWith(`${base}/`) ? clean.slice(base.length + 1) : clean;
}

export interface FileTouches {
  /** A call that would change these files; updates count only for a call that was announced as an edit. */
  announce(toolCallId: string, paths: readonly string[], isStart: boolean): void;
  /** The files that the call was announced with, once: it is over. */
  settle(toolCallId: string): readonly string[];
  /** Notes it, and gives the others who changed the file within COLLISION_MS and were not yet named with this member. */
  touch(file: string, member: string, nowMs: number): string[];
}

export function createFileTouches(): FileTouches {
  /** By file and member, the oldest touch first. */
  const touches = new Map<string, { file: string; member: string; atMs: number }>();
  /** By file and pair, when it was last said. */
  const reportedPairs = new Map<string, number>();

  function forgetOld(nowMs: number): void {
    for (const [key, { atMs }] of touches) {
      if (nowMs - atMs <= COLLISION_MS && touches.size <= TOUCHES_REMEMBERED_MAX) break;
      touches.delete(key);
    }
    for (const [key, atMs] of reportedPairs) {
      if (nowMs - atMs <= COLLISION_MS && reportedPairs.size <= TOUCHES_REMEMBERED_MAX) break;
      reportedPairs.delete(key);
    }
  }

  const announced = new Map<string, readonly string[]>();

  return {
    announce(toolCallId, paths, isStart) {
      const before = announced.get(toolCallId);
      if (before === undefined && !isStart) return;
      announced.set(toolCallId, [...(before ?? []), ...paths].slice(0, PATHS_MAX));
      const [oldest] = announced.keys();
      if (announced.size > TOUCHES_REMEMBERED_MAX && oldest !== undefined) announced.delete(oldest);
    },
    settle(toolCallId) {
      const paths = announced.get(toolCallId) ?? [];
      announced.delete(toolCallId);
      return paths;
    },
    touch(file, member, nowMs) {
      const key = `${member}\0${file}`;
      touches.delete(key);
      touches.set(key, { file, member, atMs: nowMs });
      forgetOld(nowMs);
      const others = [...touches.values()].filter((one) => one.file === file && one.member !== member);
      return others
        .map((one) => one.member)
        .filter((other) => {
          const pair = `${[member, other].sort().join(" ")}\0${file}`;
          if (reportedPairs.has(pair)) return false;
          reportedPairs.set(pair, nowMs);
          return true;
        });
    },
  };
}

/** * Warns when two members of a writable session change the same file within a minute: once a pair, file and minute. Only a
 * change that was made counts, not one that was announced.
 */
export interface CollisionDeps {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly touches: FileTouches;
}

export function noteTouches({ ledger, clock, touches }: CollisionDeps, drafts: readonly EventDraft[]): void {
  for (const draft of drafts) {
    const { member, turnId } = draft;
    if (member === undefined || turnId === undefined) continue;
    const paths = [...pathsIn(draft), ...madeByCall(touches, draft)];
    if (paths.length === 0 || ledger.transcript.head.settings?.writable !== true) continue;
    const { cwd } = ledger.transcript.head;
    for (const file of new Set(paths.map((path) => fileName(cwd, path)))) {
      for (const other of touches.touch(file, member, clock.monotonic())) {
        const message = `${other} and ${member} both changed ${file} within a minute. One may have overwritten the other.`;
        ledger.append([fitEvent({ type: "warning", member, turnId, code: "file_collision", message, detail: file })]);
      }
    }
  }
}

/** The files that an edit was announced with, when it has ended well. */
function madeByCall(touches: FileTouches, draft: EventDraft): readonly string[] {
  if (draft.type === "tool_call_start") {
    if (draft.kind === "edit") touches.announce(draft.toolCallId, announcedPaths(draft), true);
  } else if (draft.type === "tool_call_update") touches.announce(draft.toolCallId, announcedPaths(draft), false);
  else if (draft.type === "tool_result") {
    const paths = touches.settle(draft.toolCallId);
    return draft.ok ? paths : [];
  }
  return [];
}
