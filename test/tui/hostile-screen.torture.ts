import { test } from "vitest";
import { createRandom } from "../log/seeded-random.ts";
import { expectHarmless } from "./hostile-screen.ts";
import { terminalPayloads } from "./terminal-payloads.ts";

const COUNT = 250;
const MUTATIONS = 40;
const first = Number(process.env["SEED"] ?? 1);

/** Two payloads cut and joined anywhere, with a byte changed. */
function mutate(random: () => number): string {
  const pick = () => terminalPayloads[Math.floor(random() * terminalPayloads.length)]?.bytes.slice(0, 400) ?? "";
  const [one, other] = [pick(), pick()];
  const joined = one.slice(0, Math.floor(random() * one.length + 1)) + other.slice(Math.floor(random() * other.length));
  const at = Math.floor(random() * (joined.length + 1));
  return joined.slice(0, at) + String.fromCharCode(Math.floor(random() * 0xa0)) + joined.slice(at + 1);
}

test.each(Array.from({ length: COUNT }, (_, at) => first + at))(
  `[U66] ${MUTATIONS} mutated payloads in every field do no harm (seed %i)`,
  async (seed) => {
    const random = createRandom(seed);
    await expectHarmless(Array.from({ length: MUTATIONS }, () => mutate(random)));
  },
);
