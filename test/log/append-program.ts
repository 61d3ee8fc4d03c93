/**
 * A program that appends to a log and tells what was acknowledged: `append-program.ts DATA SESSION COUNT`.
 * Prints one line of JSON per fact: {open}, {ack}, {state}, {done}.
 */
import { openFileLog } from "../../src/log/index.ts";
import { delta, message } from "./drafts.ts";

const [dataDir = "", sessionId = "", count = "0"] = process.argv.slice(2);
const say = (fact: object): void => console.log(JSON.stringify(fact));

const log = await openFileLog({ dataDir, sessionId });
say({ open: log.epoch, seq: log.committedSeq, torn: log.recovery.tornBytes });
log.onStore(({ state, message: words }) => say({ state, words }));
for (let i = 1; i <= Number(count); i++) {
  const { events, committed } = log.append([message(`${i}`), delta(`${i}`.repeat(50))]);
  await committed;
  say({ ack: events.map(({ seq }) => seq) });
}
await log.close();
say({ done: log.committedSeq });
