/** Detects files changed by agents, and warns when two members change the same file. */

import type { EventDraft, Json } from "../../protocol/index.ts";
import { COLLISION_MS, TOUCHES_REMEMBERED_MAX } from "../limits.ts";
import { fitEvent } from "../fit-event.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Ledger } from "../ledger.ts";

/** Argument names under which agents pass the changed file. */
const PATH_KEYS = ["path", "file_path", "filePath", "notebook_path", "file", "target_file", "abs_path"];
const LIST_KEYS = ["paths", "files", "changes", "edits"];
const PATHS_MAX = 200;

/** Unique paths as reported. */
function pathsIn(draft: EventDraft): string[] {
  if (draft.type === "change_report") return unique(draft.files.map((file) => file.path));
  if (draft.type === "tool_result" && draft.ok && draft.diff !== undefined) return pathsOfDiff(draft.diff);
  return [];
}

/** Files that an edit call would change; it may still be denied or fail. */
export function announcedPaths(draft: EventDraft): string[] {
  if (draft.type === "tool_call_start") return draft.kind === "edit" ? pathsOfArgs(draft.args) : [];
  return draft.type === "tool_call_update" ? pathsOfArgs(draft.args ?? null) : [];
}

export function pathsOfArgs(args: Json): string[] {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return [];
  const named = PATH_KEYS.flatMap((key) => (typeof args[key] === "string" ? [args[key]] : []));
  const listed = LIST_KEYS.flatMap((key) => listedPaths(args[key]));
  return unique([...named, ...listed]);
}

/** A list of names or changes, or a record keyed by name. */
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

/** Canonical name: relative to the session's directory when inside it, with `/`, without `.` and `..`. */
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
  /** Files of a pending call; updates count only for calls that started as edits. */
  announce(toolCallId: string, paths: readonly string[], isStart: boolean): void;
  /** Files announced for the call; forgets them. */
  settle(toolCallId: string): readonly string[];
  /**
   * Records a change; returns the others who changed the file within COLLISION_MS and were not yet reported with this
   * member.
   */
  touch(file: string, member: string, nowMs: number): string[];
}

export function createFileTouches(): FileTouches {
  /** By file and member, oldest first. */
  const touches = new Map<string, { file: string; member: string; atMs: number }>();
  /** By file and pair: time of the last warning. */
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

/**
 * Warns when two members of a writable session change the same file within a minute: once per pair, file and minute.
 * Completed changes count, announced ones do not.
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

/** Files announced by an edit that succeeded. */
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
