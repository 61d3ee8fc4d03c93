/** Writes COUNT messages into each of the given threads, alternating. Usage: number-writer.ts SENDER COUNT DIR... */
import { systemClock } from "../../../../../src/kit/clock.ts";
import { writeMessage } from "../../../mirror/files/thread-directory.ts";

const [sender = "", count = "0", ...dirs] = process.argv.slice(2);
for (let index = 1; index <= Number(count); index += 1) {
  for (const dir of dirs) {
    const content = `---\nfrom: ${sender}\nto: king\ntimestamp: 2026-11-15T00:00:00Z\n---\n\n${sender} ${index}\n`;
    await writeMessage({ dir, sender, content, owner: sender, clock: systemClock });
  }
}
