/** Makes the search index of a data directory again and again, saying so each time, until it is killed. Usage: index-logs.ts DATA_DIR */
import { rebuildSearchIndex, searchDataDir } from "../../../src/host/index.ts";
import { patient } from "../../patience.ts";

const dataDir = process.argv[2] ?? "";
for (let round = 0; ; round += 1) {
  process.stdout.write(`round ${round}\n`);
  if (round % 2 === 0) await searchDataDir({ dataDir, query: { words: "word" }, patienceMs: patient(60_000) });
  else await rebuildSearchIndex(dataDir);
}
