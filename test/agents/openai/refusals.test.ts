/** Refusals in the forms that servers give them, over real HTTP: read, told with their reason and understood. */
import { expect, test } from "vitest";
import { text, type Step } from "../fakes/model-server.ts";
import { counted, isSummary, startContextRun } from "./context-run.ts";
import { startOpenAi } from "./start-openai.ts";

const gemini = (status: number, message: string): Step[] => [
  { status, body: [{ error: { code: status, message, status: "INVALID_ARGUMENT" } }] },
];

test("reports an error that Gemini wraps in a list with its reason", async () => {
  const probe = await startOpenAi();
  probe.server.play(gemini(400, "API key not valid. Please pass a valid API key."));
  const { error } = await probe.run("hi");
  expect(error?.message).toBe(
    `${probe.server.url} rejected the request (400). It said: API key not valid. Please pass a valid API key.`,
  );
});

test("a conversation longer than Gemini takes is summed up", async () => {
  const probe = await startContextRun();
  const { server } = probe;
  const tooLong = gemini(
    400,
    "The input token count (1054016) exceeds the maximum number of tokens allowed (1048576).",
  );
  server.answer((asked) => {
    if (isSummary(asked)) return counted(asked, "Summed up.");
    return asked.messages.length > 20 ? tooLong : counted(asked, "An answer of some length. ".repeat(50));
  });
  for (let turn = 1; turn <= 11; turn += 1) await probe.send(`question ${turn}`);
  expect(probe.events("turn_end").map(({ outcome }) => outcome)).toEqual(Array.from({ length: 11 }, () => "completed"));
  expect(probe.events("compaction")).toMatchObject([{ automatic: true, summary: "Summed up." }]);
});

test("a rate that Gemini limits is waited for, although it speaks of billing", async () => {
  const probe = await startOpenAi();
  const quota =
    "You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.";
  probe.server.play(gemini(429, quota), text("ok"));
  expect((await probe.run("hi")).outcome).toBe("completed");
  expect(probe.all("retrying").map((one) => one.reason.includes("exceeded your current quota"))).toEqual([true]);
  const spent = { message: "You exceeded your current quota, please check your plan and billing details." };
  probe.server.play([{ status: 429, body: { error: { ...spent, code: "insufficient_quota" } } }]);
  expect((await probe.run("hi", "2")).error?.code).toBe("no_credit");
});

test("reports and classifies the error of a server behind a gateway", async () => {
  const probe = await startOpenAi();
  const behind = (raw: string): Step[] => [
    { status: 400, body: { error: { message: "Provider returned error", code: 400, metadata: { raw } } } },
  ];
  probe.server.play(behind('{"error":{"message":"m1 does not support tools"}}'), behind("no such thing"));
  const { error } = await probe.run("hi");
  expect(probe.server.requests.map(({ body }) => "tools" in body)).toEqual([true, false]);
  expect(error?.message).toContain("It said: Provider returned error no such thing");
});
