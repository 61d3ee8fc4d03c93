/**
 * Selects the current conversation from a file that also stores abandoned branches. Parallel calls look like branches
 * in the tree, but their results and blocks belong to the answer that made them.
 */
import { forksOf, lastBranch } from "../../../src/host/index.ts";
import { textOf } from "../../../src/kit/fields.ts";
import { answerIdOf, blocksOf, resultIdsOf, type ClaudeNode } from "./lines.ts";

export interface Chosen {
  readonly path: readonly ClaudeNode[];
  /** Number of abandoned messages before each line of the path, or after the last. */
  readonly forks: ReadonlyMap<ClaudeNode | undefined, number>;
  readonly isBroken: boolean;
}

export function chooseBranch(nodes: readonly ClaudeNode[]): Chosen {
  const { path, left, isBroken } = lastBranch(nodes);
  const besides = sideBySide(path, left);
  const whole = [...path, ...besides].sort((one, other) => one.number - other.number);
  const away = left.filter((node) => !besides.has(node) && (node.type === "user" || node.type === "assistant"));
  return { path: whole, forks: forksOf(whole, away), isBroken };
}

function sideBySide(path: readonly ClaudeNode[], left: readonly ClaudeNode[]): ReadonlySet<ClaudeNode> {
  const answers = new Set(path.flatMap((node) => answerIdOf(node) ?? []));
  const blocks = left.filter((node) => answers.has(answerIdOf(node) ?? ""));
  const calls = new Set(
    [...path, ...blocks].filter(({ type }) => type === "assistant").flatMap((node) => callIdsOf(node)),
  );
  const results = left.filter((node) => node.type === "user" && isResultOf(node, calls));
  return new Set([...blocks, ...results]);
}

function callIdsOf(node: ClaudeNode): string[] {
  return blocksOf(node).flatMap((block) => (block["type"] === "tool_use" ? (textOf(block["id"]) ?? []) : []));
}

function isResultOf(node: ClaudeNode, calls: ReadonlySet<string>): boolean {
  const ids = resultIdsOf(node);
  return ids.length > 0 && ids.every((id) => calls.has(id));
}
