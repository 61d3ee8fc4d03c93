/** The example in this edge's docs, replayed against the real server. */
import { expect, test } from "vitest";
import { examplesOf, filled, fits, type Names } from "../../../test/wires/play-example.ts";
import { openLinggenClient } from "./linggen-client.ts";
import { openWire } from "./open-wire.ts";

test("the wire 001 conversation in the docs is what happens", async () => {
  const [lines = []] = examplesOf("linggen", "001");
  expect(lines.length).toBeGreaterThan(15);
  const wire = await openWire();
  const client = await openLinggenClient(wire.compat.url, wire.cwd);
  const names: Names = new Map([["PROJECT", wire.cwd]]);
  let answer: { status: number; body: unknown } | undefined;
  let seq = 0;
  try {
    for (const line of lines) {
      const [, mark, rest = ""] = /^([>:<]) (.*)$/.exec(filled(line, names)) ?? [];
      if (mark === ">") {
        const [, method = "", path = "", body] = /^(\S+) (\S+)(?: (.*))?$/.exec(rest) ?? [];
        answer = await client.ask(method, path, body);
      } else if (mark === "<") {
        const [, status, body = ""] = /^(\d{3}) (.*)$/.exec(rest) ?? [];
        expect({ line, fits: fits(JSON.parse(body), answer?.body, names), status: answer?.status }).toEqual({
          line,
          fits: true,
          status: Number(status),
        });
      } else {
        const wanted: unknown = JSON.parse(rest);
        seq = (await client.sees((frame) => frame.seq > seq && fits(wanted, frame, names))).seq;
      }
    }
  } finally {
    client.close();
    await wire.close();
  }
});
