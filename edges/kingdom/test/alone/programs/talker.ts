/**
 * A host with a mirrored session that sends a message after each answer until it is killed.
 * Usage: talker.ts DATA_DIR PROJECT COUNT [SESSION_ID]; prints the session's id.
 */
import { openMirrored } from "../mirrored-session.ts";

const [dataDir = "", project = "", count = "0", sessionId] = process.argv.slice(2);
const table = await openMirrored({ dataDir, project, ...(sessionId === undefined ? {} : { sessionId }) });
process.stdout.write(`${table.sessionId}\n`);
for (let index = 1; index <= Number(count); index += 1) {
  const before = table.of("turn_end").length;
  await table.send(index % 5 === 0 ? "stream 3" : `message ${index}`, ["claude"]);
  await table.sees("an answer", () => table.of("turn_end").length > before);
}
setInterval(() => {}, 1_000);
