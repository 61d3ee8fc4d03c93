/** Wire 002: the session exported as sprout's files. */
import { mkdtempSync } from "node:fs";
import { join as joinPath } from "node:path";
import { expect } from "vitest";
import {
  Speakers,
  unaddressed,
  USER,
  type Conversation,
  type ToolState,
} from "../../../test/wires/at-once/conversation.ts";
import { count, type Join } from "../../../test/wires/at-once/participant.ts";
import { writeSprout } from "../write-sprout.ts";
import { listSessions, readTree, type LineOf } from "./sprout-reader.ts";

export const join: Join = async ({ sessionId, cwd, dataDir }) => {
  async function exported(): Promise<LineOf[]> {
    const directory = mkdtempSync(joinPath(cwd, "out-"));
    await writeSprout({ dataDir, sessionId, directory });
    return readTree(directory, listSessions(directory)[0]?.sessionId ?? "").get("") ?? [];
  }
  return {
    views: async () => [ofSprout(await exported())],
    async expectEndings(stopped, failed) {
      const kinds = (await exported()).map(({ kind }) => kind);
      expect([count(kinds, "interrupted"), count(kinds, "error")]).toEqual([stopped, failed]);
    },
    close() {},
  };
};

/** The steps of one agent; the first text of each turn starts with the speaker. */
function ofSprout(lines: readonly LineOf[]): Conversation {
  const speakers = new Speakers();
  let speaker = "";
  const ends = new Map<string, ToolState>();
  for (const line of lines) {
    if (line.kind !== "primitive_end") continue;
    ends.set(line.data.tool_result_message.tool_call_id, line.data.success ? "done" : "failed");
  }
  for (const line of lines) {
    if (line.kind === "perceive") speakers.emit(USER, unaddressed(line.data.goal));
    if (line.kind !== "plan_end" || !("assistant_message" in line.data)) continue;
    for (const part of line.data.assistant_message?.content ?? []) {
      if (part.kind === "text") {
        const [heading = "", name] = /^\*\*(\S+)\*\*\s*/.exec(part.text) ?? [];
        speaker = name ?? speaker;
        speakers.emit(speaker, part.text.slice(heading.length));
      }
      if (part.kind === "tool_call") {
        speakers.use(speaker, part.tool_call.name, ends.get(part.tool_call.id) ?? "running");
      }
    }
  }
  return speakers.all();
}
