/** Mutations of the payloads in every field of the whole screen, for `torture`; `SEED` and `COUNT` choose which and how many. */
import { describe, test } from "vitest";
import { createRandom } from "../log/seeded-random.ts";
import { expectHarmless } from "./hostile-screen.ts";
import { terminalPayloads } from "./terminal-payloads.ts";

/** On one screen: opening one costs far more than what is drawn on it. */
const MUTATIONS = 150;
/** Two files of so many screens come to more than 100,000 mutations. */
const SCREENS = Number(process.env["COUNT"] ?? 335);

/** Two payloads cut and joined anywhere, with a byte changed. */
function mutate(random: () => number): string {
  const pick = () => terminalPayloads[Math.floor(random() * terminalPayloads.length)]?.bytes.slice(0, 400) ?? "";
  const [one, other] = [pick(), pick()];
  const joined = one.slice(0, Math.floor(random() * one.length + 1)) + other.slice(Math.floor(random() * other.length));
  const at = Math.floor(random() * (joined.length + 1));
  return joined.slice(0, at) + String.fromCharCode(Math.floor(random() * 0xa0)) + joined.slice(at + 1);
}

/** The half of the screens, 0 or 1, that one process sees to. Beside each other: much of the time each waits for frames. */
export function tryMutations(half: 0 | 1): void {
  const first = Number(process.env["SEED"] ?? 1) + half * SCREENS;
  describe.concurrent("mutated payloads", () => {
    test.each(Array.from({ length: SCREENS }, (_, at) => first + at))(
      `[U66] ${MUTATIONS} mutated payloads in every field do no harm (seed %i)`,
      async (seed) => {
        const random = createRandom(seed);
        await expectHarmless(Array.from({ length: MUTATIONS }, () => mutate(random)));
      },
    );
  });
}
