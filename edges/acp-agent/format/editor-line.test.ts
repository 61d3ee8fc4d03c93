import { expect, test } from "vitest";
import { readEditorLine, readLeftOutLine } from "./editor-line.ts";

const message = (fields: object) => ({ kind: "message", message: { jsonrpc: "2.0", ...fields } });
const line = (fields: object) => JSON.stringify({ jsonrpc: "2.0", ...fields });

/** `JSON.stringify` could not write it. */
const deepLine = (fields: object) =>
  line({ ...fields, params: 0 }).replace('"params":0', `"params":${"[".repeat(100_000)}${"]".repeat(100_000)}`);

test("requests, notifications and responses are messages; anything else is refused without quoting it", () => {
  for (const fields of [
    { id: 1, method: "a" },
    { id: "x", method: "a", params: {} },
    { method: "a" },
    { id: 1, result: null },
    { id: 2, error: { code: 1, message: "no" } },
  ]) {
    expect(readEditorLine(` ${line(fields)}\r`)).toEqual(message(fields));
  }
  expect(readEditorLine(" \r")).toEqual({ kind: "nothing" });
  const refused = [
    '{"secret":1',
    '[{"secret":1}]',
    '"secret"',
    '{"secret":1}',
    line({ method: 7 }),
    line({ id: {}, method: "a" }),
    line({ id: 3, method: 7 }),
    '{"id":"x","method":"a"}',
    '{"id":"x","result":1}',
  ];
  const codes = refused.map((one) => {
    const read = readEditorLine(one);
    expect(JSON.stringify(read)).not.toContain("secret");
    return read.kind === "refused" ? [read.refused.id, read.refused.code] : read.kind;
  });
  expect(codes).toEqual([
    [null, -32_700],
    [null, -32_600],
    [null, -32_600],
    [null, -32_600],
    [null, -32_600],
    [null, -32_600],
    [3, -32_600],
    ["x", -32_600],
    [null, -32_600],
  ]);
});

test("a request that is too deep or too long is rejected under its own id; a response becomes a failed one", () => {
  const refusal = "Invalid request: it nests deeper than 128 levels. Send it with less nesting, or as text";
  expect(readEditorLine(deepLine({ id: 4, method: "a" }))).toEqual({
    kind: "refused",
    refused: { id: 4, code: -32_600, message: refusal },
  });
  expect(readEditorLine(deepLine({ id: 5, result: 1 }))).toEqual(
    message({ id: 5, error: { code: -32_600, message: refusal.replace("Invalid request: ", "") } }),
  );
  const cut = (head: string) => readLeftOutLine({ head, tail: '"}}' }, "too long");
  expect(cut('{"jsonrpc":"2.0","id":6,"method":"a","params":{"x":"')).toEqual({
    kind: "refused",
    refused: { id: 6, code: -32_600, message: "Invalid request: too long" },
  });
  expect(cut('{"jsonrpc":"2.0","id":7,"result":{"x":"')).toEqual(
    message({ id: 7, error: { code: -32_600, message: "too long" } }),
  );
  expect(cut('{"jsonrpc":"2.0","method":"a","params":{"x":"')).toMatchObject({ refused: { id: null } });
});
