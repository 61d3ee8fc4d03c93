import { expect, test } from "vitest";
import type { UiRequestBody } from "../../../src/protocol/index.ts";
import type { OpenRequest } from "../../../src/transcript/index.ts";
import { OverlayController } from "./overlays.ts";
import type { Line } from "./wire-event.ts";

const option = (value: string) => ({ label: value.toUpperCase(), value });

function open(request: UiRequestBody, requestId = "r1"): OpenRequest {
  return { requestId, member: "ada", seq: 1, ts: 1, request, timeoutMs: 1000, default: null };
}

test("a question with choices and free text asks again for the text, and one with several choices until it is done", () => {
  const desk = new OverlayController();
  const questions = [
    { id: "colour", text: "Colour?", options: [option("red")], multiple: false, freeText: true },
    { id: "many", text: "Which?", options: [option("a"), option("b")], multiple: true, freeText: false },
  ];
  const [first] = desk.open("s", open({ method: "question", title: "Two", questions }));
  expect(first).toMatchObject({ id: "r1", method: "select", params: { title: "ada: Two (1 of 2)\n\nColour?" } });
  const other = desk.respond({ id: "r1", result: "__other__" });
  expect(other.lines).toMatchObject([{ id: "r1:1", method: "input" }]);
  const second = desk.respond({ id: "r1:1", result: "pink", error: null });
  expect(second.lines).toMatchObject([{ id: "r1:2", method: "select" }]);
  const third = desk.respond({ id: "r1:2", result: "a" });
  expect(third.lines).toMatchObject([{ id: "r1:3", params: { title: "ada: Two (2 of 2)\n\nWhich? [a]" } }]);
  expect(desk.respond({ id: "r1:2", result: "b" }).problem).toContain("no request");
  expect(desk.respond({ id: "r1:3", result: "b" })).toStrictEqual({
    lines: [],
    answer: { sessionId: "s", requestId: "r1", result: { colour: "pink", many: ["a", "b"] }, error: null },
  });
});

test("the member that asks for an approval is named once, also when the title begins with its name", () => {
  const titleOf = (title: string) => {
    const body = { method: "approval", title, tool: "shell", call: "ls", callHash: "h", options: [option("once")] };
    return new OverlayController().open("s", open(body as UiRequestBody));
  };
  expect(titleOf("ada: Run ls")).toMatchObject([{ params: { title: "ada: Run ls\n\nls" } }]);
  expect(titleOf("Run ls")).toStrictEqual(titleOf("ada: Run ls"));
});

test("an answer is read by the rules of the wire", () => {
  const respond = (frame: Record<string, never> | Record<string, string | null | boolean | number>) => {
    const desk = new OverlayController();
    desk.open("s", open({ method: "confirm", title: "Go?", message: "on" }));
    const { answer, problem } = desk.respond({ id: "r1", ...frame });
    return answer === undefined ? problem : [answer.result, answer.error];
  };
  expect(respond({ result: true })).toStrictEqual([true, null]);
  expect(respond({ result: true, error: null })).toStrictEqual([true, null]);
  expect(respond({ result: true, error: "closed" })).toStrictEqual([false, "closed"]);
  expect(respond({ result: null, error: null })).toStrictEqual([null, null]);
  expect(respond({ error: null })).toStrictEqual([null, null]);
  expect(respond({})).toBe("ui_response: invalid response");
  expect(respond({ result: "yes" })).toBe("ui_response: the answer to a confirmation must be true or false");
});

test("a closed request closes its overlay, and can no longer be answered", () => {
  const desk = new OverlayController();
  desk.open("s", open({ method: "input", title: "Name?" }));
  desk.open("s", open({ method: "input", title: "Other?" }, "r2"));
  expect(desk.cancel("r1", "expired")).toStrictEqual([
    { type: "ui_cancel", id: "r1", reason: "expired", session_id: "s" },
  ]);
  expect(desk.cancel("r1", "expired")).toStrictEqual([]);
  expect(desk.respond({ id: "r1", result: "x" }).problem).toBe('ui_response: no request "r1" is open');
  expect(desk.respond({ id: "r2", result: "x" }).answer).toMatchObject({ requestId: "r2", result: "x" });
});

test("closing an overlay that was just removed is not an error, once", () => {
  const desk = new OverlayController();
  for (const id of ["r1", "r2", "r3", "r4"]) {
    desk.open("s", open({ method: "input", title: "Name?" }, id));
    desk.cancel(id, "expired");
  }
  expect(desk.respond({ id: "r1", result: null, error: null })).toStrictEqual({ lines: [] });
  expect(desk.respond({ id: "r2", result: false, error: null })).toStrictEqual({ lines: [] });
  expect(desk.respond({ id: "r3", result: null, error: "cancelled" })).toStrictEqual({ lines: [] });
  expect(desk.respond({ id: "r4", result: "Ada", error: null }).problem).toContain("no request");
  expect(desk.respond({ id: "r1", result: null, error: null }).problem).toContain("no request");
});

const approval = (call: string): UiRequestBody => ({
  method: "approval",
  title: "Run a command",
  tool: "bash",
  call,
  callHash: "0".repeat(64),
  options: [option("allow"), { label: "Never\nagain", value: "never", description: "\u001b[2Jnot\tnow" }],
});

test("a call that would push the choices off a screen is sent in full before the overlay, which shows its beginning", () => {
  const call = Array.from({ length: 40 }, (_, line) => `echo ${line}`).join("\n");
  const lines = new OverlayController().open("s", open(approval(call)));
  const [notice, requestLine] = lines as [Line, Line & { params: { title: string } }];
  expect(lines.length).toBe(2);
  expect(notice).toStrictEqual({
    type: "ui_notify",
    params: { message: `ada: Run a command\n\n${call}`, notify_type: "info" },
    session_id: "s",
  });
  const [first, blank, ...rest] = requestLine.params.title.split("\n");
  expect([first, blank, ...rest.slice(0, 2)]).toStrictEqual(["ada: Run a command", "", "echo 0", "echo 1"]);
  expect(rest.slice(2)).toStrictEqual([`[${call.length - "echo 0\necho 1".length} more characters, sent earlier]`]);
  expect(new OverlayController().open("s", open(approval("ls"))).length).toBe(1);
});

test("a call that is longer than a line may be is sent in several notices before the overlay", () => {
  const call = `rm ${"very/long/name ".repeat(8_000)}&& last`;
  const lines = new OverlayController().open("s", open(approval(call)));
  const notices = lines.slice(0, -1).map((line) => (line as { params?: { message?: string } }).params?.message);
  expect(notices.join("")).toBe(`ada: Run a command\n\n${call}`);
  for (const line of lines) expect(JSON.stringify(line).length).toBeLessThan(64 * 1024);
});

test("control characters are made visible in an overlay, and a choice has one line", () => {
  const [requestLine] = new OverlayController().open("s", open(approval("ls \u001b[8m; rm -rf ~\u001b[0m\u202e")));
  expect(requestLine).toMatchObject({
    params: {
      title: "ada: Run a command\n\nls \\x1b[8m; rm -rf ~\\x1b[0m⟨U+202E⟩",
      options: [
        { label: "ALLOW", value: "allow", description: null },
        { label: "Never again", value: "never", description: "\\x1b[2Jnot now" },
      ],
      opts: { tool: "bash", call: "ls \u001b[8m; rm -rf ~\u001b[0m\u202e" },
    },
  });
});
