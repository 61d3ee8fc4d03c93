/** A host that seats hostile members, gets all of them to work, says so, and waits to be killed. */
import { makeDataDir, startFake } from "../start-fake.ts";

const dataDir = process.argv[2] ?? makeDataDir();
const names = ["ignores-signals", "forks-a-daemon", "starts-a-server", "silent", "slow", "never-exits"];
const started = await Promise.all(
  names.map((fake) => startFake({ fake, member: fake, dataDir, limits: { drainMs: 60_000 } })),
);
for (const one of started) one.ask(one === started[2] ? "background" : "1000");
await Promise.all(started.filter((_, at) => names[at] !== "silent").map((one) => one.next("text_delta")));
process.stdout.write("working\n");
setInterval(() => {}, 60_000);
