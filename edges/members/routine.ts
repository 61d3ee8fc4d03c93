/**
 * What the routines of the members share: the workspace, attachments they cannot read, and messages that arrive late.
 */
import { realpath } from "node:fs/promises";
import { type AgentSetup, createTextReader, type EmbeddedTurn } from "../../src/agents/index.ts";
import { counted } from "./markdown.ts";
import type { Workspace } from "./search/file-tools.ts";

export async function openWorkspace(setup: AgentSetup): Promise<Workspace> {
  const root = await realpath(setup.cwd);
  return { root, reader: createTextReader(root) };
}

export async function noteAttachments(
  turn: EmbeddedTurn,
  reads: "files in this directory" | "the git history",
): Promise<void> {
  const { length } = turn.attachments;
  if (length > 0) await turn.write(`I only read ${reads}; ignoring ${counted(length, "attachment")}.\n\n`);
}

/** Messages that arrived while the answer was written are answered in the same turn. */
export async function answerSteers(turn: EmbeddedTurn, answer: (text: string) => Promise<void>): Promise<void> {
  for (let texts = turn.consumeSteers(); texts.length > 0; texts = turn.consumeSteers()) {
    for (const text of texts) {
      await turn.write("\n\nYou also asked:\n\n");
      await answer(text);
    }
  }
}
