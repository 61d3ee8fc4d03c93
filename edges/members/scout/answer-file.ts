/** Answers a question about a named file: its beginning and its definitions, with lines. */
import type { EmbeddedTurn } from "../../../src/agents/index.ts";
import { definitionOf } from "../search/definition.ts";
import { readFileTool, type Workspace } from "../search/file-tools.ts";
import { cutLine } from "../search/excerpt.ts";
import { counted, fenced, inlineCode, reference } from "../markdown.ts";

const HEAD_LINES_MAX = 24;
const OUTLINE_MAX = 30;

interface Outline {
  shown: string;
  head: readonly string[];
  lineCount: number;
  definitions: readonly { name: string; as: string; line: number }[];
}

export async function answerFile(turn: EmbeddedTurn, workspace: Workspace, path: string): Promise<void> {
  const outline = await readFileTool(turn, workspace, { path, cut: (text) => outlineOf(path, text) });
  const { head, lineCount, definitions } = outline;
  await turn.write(`**${reference(path)}** has ${counted(lineCount, "line")}. It begins:\n\n${fenced(head, path)}\n`);
  if (definitions.length === 0) return;
  const shown = definitions.slice(0, OUTLINE_MAX);
  const left = definitions.length - shown.length;
  const lines = shown.map((one) => `- line ${one.line}: ${one.as} ${inlineCode(one.name)}`);
  if (left > 0) lines.push(`- … and ${left} more`);
  await turn.write(`It defines:\n\n${lines.join("\n")}\n`);
}

function outlineOf(path: string, text: string): Outline {
  const all = text.split("\n").map((line) => line.replace(/\r$/, ""));
  if (all.at(-1) === "") all.pop();
  const head = all.slice(0, HEAD_LINES_MAX).map(cutLine);
  const definitions = all.flatMap((line, index) => {
    const isTopLevel = !/^\s/.test(line);
    const definition = isTopLevel ? definitionOf(line, path) : undefined;
    return definition === undefined ? [] : [{ ...definition, line: index + 1 }];
  });
  return { shown: head.join("\n"), head, lineCount: all.length, definitions };
}

/** Files whose path is or ends with a name of the question, shortest first. */
export function resolvePaths(named: readonly string[], paths: readonly string[]): string[] {
  const resolved = named.flatMap((name) => {
    const lower = name.toLowerCase();
    const exact = paths.filter((path) => path.toLowerCase() === lower);
    if (exact.length > 0) return exact;
    return paths.filter((path) => path.toLowerCase().endsWith(`/${lower}`)).sort((a, b) => a.length - b.length);
  });
  return [...new Set(resolved)];
}
