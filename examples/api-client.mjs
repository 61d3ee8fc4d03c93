/** A client of the HTTP API: asks the running server (`roundtable serve`) a question and streams the answers. */
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";

const question = process.argv.slice(2).join(" ") || "where do I start reading?";
const dataDir = process.env.ROUNDTABLE_HOME ?? path.join(homedir(), ".local/share/roundtable");
const { url } = JSON.parse(readFileSync(path.join(dataDir, "server.json"), "utf8"));
const token = readFileSync(path.join(dataDir, "token"), "utf8").trim();
const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
const post = async (route, body) =>
  (await fetch(url + route, { method: "POST", headers, body: JSON.stringify(body) })).json();

const { sessionId } = await post("/v1/sessions", { cwd: process.cwd() });
const id = crypto.randomUUID();
const ack = await post(`/v1/sessions/${sessionId}/commands`, {
  type: "send",
  commandId: id,
  clientMessageId: id,
  text: question,
});
if (!ack.ok) throw new Error(ack.error.message);
const waiting = new Set();
const events = await fetch(`${url}/v1/sessions/${sessionId}/events?after=0`, { headers });
let text = "";
for await (const chunk of events.body.pipeThrough(new TextDecoderStream())) {
  const blocks = (text + chunk).split("\n\n");
  text = blocks.pop();
  for (const block of blocks) {
    const event = JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? "{}");
    if (event.type === "turn_start") waiting.add(event.turnId);
    if (event.type === "text_done") console.log(`${event.member}: ${event.text}`);
    if (event.type === "turn_end" && waiting.delete(event.turnId) && waiting.size === 0) process.exit(0);
  }
}
