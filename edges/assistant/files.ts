/** assistant: `sessions/<id>/events.jsonl`, with an index `sessions.jsonl` beside `sessions/`. Found by path only. */
import path from "node:path";
import * as assistantSession from "./session/assistant-session.ts";
import { type ExternalFormat, readLines } from "../../src/host/index.ts";
import { countOf, fieldOf, partOf } from "../../src/kit/fields.ts";

const EVENTS = "events.jsonl";

export const assistantFiles: ExternalFormat = {
  name: "assistant",
  stores: () => [],
  isFile: (name) => name === EVENTS,
  recognise(file, { values }) {
    const isEvent = (value: unknown): boolean =>
      fieldOf(value, "type") !== undefined &&
      typeof partOf(value, "payload") === "object" &&
      fieldOf(value, "id") !== undefined;
    const nativeId = values
      .filter(isEvent)
      .map((value) => fieldOf(value, "sessionId"))
      .find((id) => id !== undefined);
    if (nativeId === undefined || path.basename(file) !== EVENTS) return undefined;
    const lines = assistantSession.chatLines(values.map((value, at) => ({ number: at + 1, value })));
    const messages = countOf(values, (value) =>
      ["user_message", "assistant_done"].includes(fieldOf(value, "type") ?? ""),
    );
    return { nativeId, title: assistantSession.titleOf(lines), messages };
  },
  async read(file) {
    const source = await readLines({ path: file, name: EVENTS, select: assistantSession.selectLine });
    const named = source.lines.map(({ value }) => fieldOf(value, "sessionId")).find((id) => id !== undefined);
    const nativeId = named ?? path.basename(path.dirname(file));
    return assistantSession.readSession({ nativeId, file: source, ...(await indexed(file, nativeId)) });
  },
};

/** Agent and title from the index. */
async function indexed(file: string, nativeId: string): Promise<{ agentId?: string; name?: string }> {
  const index = path.join(path.dirname(path.dirname(path.dirname(file))), "sessions.jsonl");
  const select = (value: unknown): unknown => (fieldOf(value, "sessionId") === nativeId ? value : undefined);
  const lines = await readLines({ path: index, name: "sessions.jsonl", select }).then(
    (read) => read.lines.map(({ value }) => value),
    () => [],
  );
  const last = (key: string) => lines.map((line) => fieldOf(line, key)).findLast((field) => field !== undefined);
  const [agentId, name] = [last("agentId"), last("name")];
  return { ...(agentId === undefined ? {} : { agentId }), ...(name === undefined ? {} : { name }) };
}
