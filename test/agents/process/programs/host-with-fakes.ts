/** A host that seats hostile members, gets all of them to work, says so, and waits to be killed. */
import { makeDataDir, seatFake } from "../seat-fake.ts";

const dataDir = process.argv[2] ?? makeDataDir();
const names = ["ignores-signals", "forks-a-daemon", "starts-a-server", "silent", "slow", "never-exits"];
const seated = await Promise.all(
  names.map((fake) => seatFake({ fake, member: fake, dataDir, limits: { drainMs: 60_000 } })),
);
for (const one of seated) one.ask(one === seated[2] ? "background" : "1000");
await Promise.all(seated.filter((_, at) => names[at] !== "silent").map((one) => one.next("text_delta")));
process.stdout.write("working\n");
setInterval(() => {}, 60_000);
