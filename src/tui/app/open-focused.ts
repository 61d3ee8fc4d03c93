/** `o` on a member that has the focus: opens its folded work, then a file that it cites or has changed. */
import path from "node:path";
import { isEdit, toolAction, type TurnMessage } from "../../transcript/index.ts";
import { fileReferences } from "../markdown/inline-text.ts";
import type { AppContext } from "./app-context.ts";

/** More would not be read. */
const FILES_MAX = 30;

interface FileAt {
  readonly file: string;
  readonly line: number | undefined;
}

type Opened = FileAt | "fold";

/** False when nothing has the focus. */
export function openFocused(app: AppContext): boolean {
  const { log, prompt } = app;
  const turn = prompt.text === "" && !prompt.isSearching ? log.focused : undefined;
  if (turn === undefined) return false;
  if (log.isFocusedOpen || !log.toggleFocused()) void openFile(app, turn).catch((error: unknown) => app.fail(error));
  return true;
}

/** At once when there is one, chosen from a list when there are several; else the work is folded again. */
async function openFile(app: AppContext, turn: TurnMessage): Promise<void> {
  const { log, transcript } = app;
  const cwd = transcript?.head.cwd ?? "";
  const files = filesOf(turn, cwd);
  const canFold = log.isFocusedOpen;
  const [first] = files;
  if (first === undefined) return void log.toggleFocused();
  const choices = files.map((value) => ({ label: labelOf(value), value: value as Opened }));
  const fold = { label: "Fold the work again", value: "fold" as Opened };
  const isOne = files.length === 1 && !canFold;
  const picked = isOne ? first : await app.pick("Open", canFold ? [...choices, fold] : choices);
  if (picked === undefined) return;
  if (picked === "fold") return void log.toggleFocused();
  await app.openFile(path.resolve(cwd, picked.file), picked.line);
}

function labelOf({ file, line }: FileAt): string {
  return line === undefined ? file : `${file}:${line}`;
}

/** Files of the session's directory, each with its lines once: those it changed, then those it names. */
function filesOf(turn: TurnMessage, cwd: string): FileAt[] {
  const named = turn.blocks.flatMap((block): FileAt[] => {
    if (block.kind === "text") return fileReferences(block.text);
    if (block.kind !== "tool" || !isEdit(block)) return [];
    const [, line] = /^@@ -\d+(?:,\d+)? \+(\d+)/m.exec(block.diff ?? "") ?? [];
    return [{ file: toolAction(block, cwd).target, line: line === undefined ? undefined : Number(line) }];
  });
  const inside = named.filter(({ file }) => isInside(file));
  return [...new Map(inside.map((one) => [labelOf(one), one])).values()].slice(0, FILES_MAX);
}

function isInside(file: string): boolean {
  return file !== "" && !path.isAbsolute(file) && !file.split(/[/\\]/).includes("..") && !/[,→\p{Cc}]/u.test(file);
}
