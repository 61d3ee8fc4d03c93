/** Subagents of Claude Code: in files of their own, or, in older versions, as side chains in the session's file. */
import { type SourceFile, type TurnDraft } from "../../../src/host/index.ts";
import { fieldsOf, textOf, nonBlankText, type Fields } from "../../../src/kit/fields.ts";
import { modelOf } from "./answers.ts";
import { blocksOf, nodesOf, resultIdsOf, type ClaudeNode } from "./lines.ts";
import { OpenTurn } from "./open-turn.ts";
import { parseUserEntry } from "./user-entry.ts";

/** More than any real conversation has; beyond it only the calls are shown. */
const SUBAGENTS_MAX = 1_000;

export interface SubagentFile {
  /** As in the file's name. */
  readonly agentId: string;
  readonly file: SourceFile;
  /** Files beside it, if any. */
  readonly meta?: unknown;
}

interface Subagent {
  readonly agentId: string | undefined;
  readonly toolUseId: string | undefined;
  readonly name: string | undefined;
  readonly prompt: string;
  readonly nodes: readonly ClaudeNode[];
}

export class Subagents {
  readonly #waiting: Subagent[];

  constructor(files: readonly SubagentFile[], sidechains: readonly ClaudeNode[]) {
    this.#waiting = [...files.map(fromFile), ...chainsOf(sidechains)].slice(0, SUBAGENTS_MAX);
  }

  /** Adds the subagents started by the calls of this line to their turn. */
  addSubagents(turn: TurnDraft, node: ClaudeNode, agentIdOf: (toolUseId: string) => string | undefined): void {
    if (this.#waiting.length === 0) return;
    for (const block of blocksOf(node)) {
      const toolUseId = block["type"] === "tool_use" ? textOf(block["id"]) : undefined;
      if (toolUseId === undefined || !turn.hasCall(toolUseId)) continue;
      const subagent = this.#claim(toolUseId, agentIdOf(toolUseId), fieldsOf(block["input"]) ?? {});
      if (subagent !== undefined)
        this.#addSubagent(turn, subagent, { toolUseId, input: fieldsOf(block["input"]) ?? {} });
    }
  }

  #claim(toolUseId: string, agentId: string | undefined, input: Fields): Subagent | undefined {
    const prompt = nonBlankText(input["prompt"]);
    const at = this.#waiting.findIndex(
      (one) =>
        one.toolUseId === toolUseId ||
        (agentId !== undefined && one.agentId === agentId) ||
        (one.toolUseId === undefined && prompt !== undefined && one.prompt === prompt),
    );
    return at === -1 ? undefined : this.#waiting.splice(at, 1)[0];
  }

  #addSubagent(parent: TurnDraft, { name, prompt, nodes }: Subagent, call: { toolUseId: string; input: Fields }): void {
    const [first] = nodes;
    if (first === undefined) return;
    const label =
      name ?? nonBlankText(call.input["subagent_type"]) ?? nonBlankText(call.input["description"]) ?? "subagent";
    const model = nodes.map(modelOf).find((one) => one !== undefined);
    const child = parent.subagent(first.ts, { name: label, task: prompt, nativeId: call.toolUseId, model });
    if (child === undefined) return;
    const open = new OpenTurn(child);
    const agentIdOf = agentIdsIn(nodes);
    for (const node of nodes) {
      if (node.type === "assistant") {
        open.answer(node);
        this.addSubagents(child, node, agentIdOf);
      } else if (node.type === "user") open.results(node);
    }
    parent.endSubagent(child, open.ending, lastText(nodes));
  }
}

/** The subagent started by a call, from its result. */
export function agentIdsIn(nodes: readonly ClaudeNode[]): (toolUseId: string) => string | undefined {
  const ids = new Map<string, string>();
  for (const node of nodes) {
    const agentId = textOf(fieldsOf(node.line["toolUseResult"])?.["agentId"]);
    if (agentId === undefined) continue;
    for (const id of resultIdsOf(node)) ids.set(id, agentId);
  }
  return (toolUseId) => ids.get(toolUseId);
}

function fromFile({ agentId, file, meta }: SubagentFile): Subagent {
  const nodes = nodesOf(file.lines);
  const metaFields = fieldsOf(meta);
  const toolUseId = textOf(metaFields?.["toolUseId"]);
  return { agentId, toolUseId, name: nonBlankText(metaFields?.["agentType"]), prompt: promptOf(nodes), nodes };
}

/** Each side chain begins with a line that has no parent on a side chain. */
function chainsOf(nodes: readonly ClaudeNode[]): Subagent[] {
  const chains = new Map<ClaudeNode, ClaudeNode[]>();
  const rootOf = new Map<string, ClaudeNode>();
  for (const node of nodes) {
    const root = rootOf.get(node.parentId ?? "") ?? node;
    rootOf.set(node.id, root);
    const chain = chains.get(root);
    if (chain === undefined) chains.set(root, [node]);
    else chain.push(node);
  }
  return [...chains.values()].map((chain) => ({
    agentId: textOf(chain[0]?.line["agentId"]),
    toolUseId: undefined,
    name: undefined,
    prompt: promptOf(chain),
    nodes: chain,
  }));
}

function promptOf(nodes: readonly ClaudeNode[]): string {
  const first = nodes.find(({ type }) => type === "user");
  const entry = first === undefined ? undefined : parseUserEntry(blocksOf(first));
  return entry?.kind === "prompt" ? entry.text : "";
}

function lastText(nodes: readonly ClaudeNode[]): string | undefined {
  const texts = nodes.filter(({ type }) => type === "assistant").flatMap((node) => blocksOf(node));
  return nonBlankText(texts.findLast((block) => block["type"] === "text")?.["text"]);
}
