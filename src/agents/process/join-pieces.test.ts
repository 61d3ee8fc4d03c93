import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { joinPieces } from "../codex/parse.ts";
import type { Line } from "./lines.ts";

const line = (text: string): Line => ({ kind: "line", text, bytes: Buffer.byteLength(text) });

interface Piece {
  readonly method?: string;
  readonly itemId?: string;
  readonly delta: string;
  readonly more?: object;
  readonly stamp?: number;
}

/** As Codex writes it: the text is the last of its parameters, or the last but one. */
function piece({ method = "item/agentMessage/delta", itemId = "i", delta, more, stamp = 1 }: Piece): Line {
  const params = { threadId: "t", turnId: "n", itemId, delta, ...more };
  return line(JSON.stringify({ method, params, emittedAtMs: stamp }));
}

function read(lines: readonly Line[], from = 0): { count: number; message: unknown } | undefined {
  const joined = joinPieces(lines, from);
  if (joined?.line.kind !== "line") return undefined;
  expect(joined.line.bytes).toBe(Buffer.byteLength(joined.line.text));
  return { count: joined.count, message: JSON.parse(joined.line.text) };
}

test("[A753] pieces of one text become the line that says all of it, whatever characters are in them", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom('"', "\\", '\\"', '","delta":"', "}}", "\ud83d"),
  );
  fc.assert(
    fc.property(fc.array(text, { minLength: 2, maxLength: 12 }), (texts) => {
      const pieces = texts.map((delta, at) => piece({ delta, stamp: at }));
      const whole = piece({ delta: texts.join(""), stamp: texts.length - 1 });
      expect(read(pieces)).toEqual({
        count: texts.length,
        message: JSON.parse(whole.kind === "line" ? whole.text : ""),
      });
    }),
  );
});

test("[A753] thoughts are joined too, with what follows their text", () => {
  const think = (delta: string, summaryIndex: number) =>
    piece({ method: "item/reasoning/summaryTextDelta", delta, more: { summaryIndex } });
  expect(read([think("so", 0), think(" it", 0), think("next", 1)])).toMatchObject({
    count: 2,
    message: { params: { delta: "so it", summaryIndex: 0 } },
  });
});

describe("[A753] is left alone:", () => {
  const said = piece({ delta: "a" });
  const cases: Readonly<Record<string, readonly Line[]>> = {
    "a piece that waits alone": [said],
    "another text": [said, piece({ itemId: "j", delta: "b" })],
    "another kind of piece": [said, piece({ method: "item/plan/delta", delta: "b" })],
    "what a command prints": ["x", "y"].map((delta) => piece({ method: "item/commandExecution/outputDelta", delta })),
    "a piece that says more": [said, piece({ delta: "b", more: { isFinal: true } })],
    "a line that is cut": [
      said,
      line('{"method":"item/agentMessage/delta","params":{"threadId":"t","turnId":"n","itemId":"i","delta":"b'),
    ],
    "a text that is no text": [said, piece({ delta: 5 as unknown as string })],
    "a line too long to be read": [said, { kind: "oversize", bytes: 9e9, head: '{"method":"item/agentMessage/delta"' }],
    "the last bytes of a program": [said, { ...piece({ delta: "b" }), kind: "unfinished" } as Line],
    "anything else": [line("{}"), line("{}")],
  };
  test.each(Object.entries(cases))("%s", (_name, lines) => {
    expect(joinPieces(lines, 0)).toBeUndefined();
  });
});

test("[A753] no more is joined than fits an event, and the rest is the next line", () => {
  const pieces = Array.from({ length: 5 }, () => piece({ delta: "x".repeat(5_000) }));
  expect(read(pieces)?.count).toBe(3);
  expect(read(pieces, 3)?.count).toBe(2);
});
