/** The table as one agent, driven by the official client library. */
import { expect, test as base } from "vitest";
import { createHome, threeScouts, type Home } from "../../../test/cli/program.ts";
import type { EditorOptions } from "./editor-screen.ts";
import { Editor } from "./editor.ts";

/** Tests run in parallel: each opens its own. */
const test = base.extend<{ open: (home: Home, options?: EditorOptions) => Editor }>({
  open: async ({ task: _task }, use) => {
    const editors: Editor[] = [];
    await use((home, options) => {
      const editor = new Editor(home, options);
      editors.push(editor);
      return editor;
    });
    for (const editor of editors) {
      if (editor.child.exitCode === null) editor.child.kill("SIGKILL");
      await editor.exit;
    }
  },
});

function homeWith(config: object): Home {
  const home = createHome();
  home.configure(config);
  return home;
}

async function initialized(editor: Editor, capabilities: EditorOptions["capabilities"] = {}): Promise<Editor> {
  await editor.initialize(capabilities);
  return editor;
}

test.concurrent("it reports its capabilities, opens a session with modes and commands, and answers a prompt when every member is done", async ({
  open,
}) => {
  const home = createHome();
  const editor = open(home);
  const hello = await editor.initialize();
  expect(hello).toMatchObject({
    protocolVersion: 1,
    agentInfo: { name: "roundtable" },
    agentCapabilities: { loadSession: true, promptCapabilities: { embeddedContext: true } },
  });
  const { sessionId, modes } = await editor.open(home.project);
  expect(modes?.currentModeId).toBe("broadcast");
  expect(modes?.availableModes.map((mode) => mode.id)).toStrictEqual(["broadcast", "sequential", "only:scout"]);
  await editor.until("commands", () =>
    editor.updates.some((update) => update.sessionUpdate === "available_commands_update"),
  );
  expect(await editor.prompt(sessionId, "/try thinking")).toStrictEqual({ stopReason: "end_turn" });
  expect(editor.text()).toContain("I have thought twice.");
  expect(editor.thoughts()).toContain("A second thought");
  expect(await editor.leave()).toBe(0);
});

test.concurrent("members answer one after another under their names, and their calls carry the name", async ({
  open,
}) => {
  const home = homeWith(threeScouts);
  const editor = await initialized(open(home));
  const { sessionId } = await editor.open(home.project);
  await editor.prompt(sessionId, "/try long 3000");
  for (const name of ["ada", "bob", "cyd"]) expect(editor.text()).toContain(`**${name}**\n\n`);
  const ids = editor.updates.flatMap((update) =>
    update.sessionUpdate === "agent_message_chunk" ? [update.messageId ?? ""] : [],
  );
  const runs = ids.filter((id, index) => id !== ids[index - 1]);
  expect(runs).toStrictEqual([...new Set(runs)]);
  const from = editor.updates.length;
  await editor.prompt(sessionId, "@bob /try tools");
  const calls = [...editor.calls(from).values()];
  expect(calls.map((call) => call.status)).toStrictEqual(["completed", "completed", "failed", "completed"]);
  expect(calls[0]?.title).toBe("bob: Wait 400 ms");
});

test.concurrent("a permission request is forwarded with the exact call, and its answer returned", async ({ open }) => {
  const home = createHome();
  const editor = await initialized(open(home, { onPermission: () => ({ outcome: "selected", optionId: "allow" }) }));
  const { sessionId } = await editor.open(home.project);
  await editor.prompt(sessionId, "/try approval");
  expect(editor.permissions[0]).toMatchObject({
    sessionId,
    toolCall: { rawInput: { call: "rm -rf build && npm run build" } },
  });
  const kinds = editor.permissions[0]?.options.map((option) => [option.optionId, option.kind]);
  expect(kinds).toContainEqual(["allow", "allow_once"]);
  expect(kinds).toContainEqual(["deny", "reject_once"]);
  expect(JSON.stringify(editor.permissions[0]?.toolCall.content)).toContain("rm -rf build");
  expect(editor.text()).toContain('"allow"');
  await editor.prompt(sessionId, "/try confirm");
  expect(editor.permissions[1]?.options.map((option) => option.optionId)).toStrictEqual(["yes", "no"]);
  // The question is a call of its own, which ends with its answer.
  const asked = editor.permissions[1]?.toolCall.toolCallId ?? "";
  expect(editor.calls().get(asked)).toMatchObject({ kind: "other", status: "completed" });
  await editor.prompt(sessionId, "/try input");
  expect(editor.text()).toContain("this editor cannot show this kind of question");
});

test.concurrent("an editor that supports forms gets requests as forms", async ({ open }) => {
  const home = createHome();
  const answers: Record<string, string | string[] | boolean>[] = [
    { answer: "green" },
    { answer: true },
    { answer: "Ada" },
    { colours: ["red"], why: "so" },
  ];
  const onForm = () => ({ action: "accept" as const, content: answers.shift() ?? {} });
  const editor = await initialized(open(home, { onForm }), { elicitation: { form: {} } });
  const { sessionId } = await editor.open(home.project);
  for (const name of ["select", "confirm", "input", "question"]) await editor.prompt(sessionId, `/try ${name}`);
  for (const said of ['"green"', "true", '"Ada"', '{"colours":["red"],"why":"so"}'])
    expect(editor.text()).toContain(said);
  expect(editor.forms).toHaveLength(4);
});

test.concurrent("cancel ends the prompt during text, a tool and a request, and keeps the text so far", async ({
  open,
}) => {
  const home = createHome();
  const editor = await initialized(open(home, { onPermission: () => new Promise(() => {}) }));
  const { sessionId } = await editor.open(home.project);
  const text = editor.prompt(sessionId, "/try hang");
  await editor.until("its words", () => editor.text().includes("I hang now"));
  await editor.agent.notify("session/cancel", { sessionId });
  expect(await text).toStrictEqual({ stopReason: "cancelled" });
  const tool = editor.prompt(sessionId, "/try tools");
  await editor.until("a call", () => editor.calls().size > 0);
  await editor.agent.notify("session/cancel", { sessionId });
  expect(await tool).toStrictEqual({ stopReason: "cancelled" });
  expect([...editor.calls().values()].every((call) => call.status === "failed" || call.status === "completed")).toBe(
    true,
  );
  const request = editor.prompt(sessionId, "/try approval");
  await editor.until("a request", () => editor.permissions.length > 0);
  await editor.agent.notify("session/cancel", { sessionId });
  expect(await request).toStrictEqual({ stopReason: "cancelled" });
});

test.concurrent("load replays the same conversation, and list finds it", async ({ open }) => {
  const home = homeWith(threeScouts);
  const first = await initialized(open(home));
  const { sessionId } = await first.open(home.project);
  await first.prompt(sessionId, "/try long 2000");
  await first.prompt(sessionId, "@ada /try tools");
  const said = first.text();
  const calls = first.calls();
  expect(await first.leave()).toBe(0);
  const second = await initialized(open(home));
  const { sessions } = await second.agent.request("session/list", { cwd: home.project });
  expect(sessions).toMatchObject([{ sessionId, cwd: home.project, title: "/try long 2000" }]);
  await second.agent.request("session/load", { sessionId, cwd: home.project, mcpServers: [] });
  expect(second.chunks("user_message_chunk", 0)).toBe("/try long 2000@ada /try tools");
  const words = (text: string) => text.split(/\*\*(?:ada|bob|cyd)\*\*|\n+/).toSorted();
  expect(words(second.text())).toStrictEqual(words(said));
  expect(second.calls()).toStrictEqual(calls);
  expect((await second.prompt(sessionId, "@ada /try silence")).stopReason).toBe("end_turn");
});

test.concurrent("modes and commands work: one member, sequential, mute, unmute, members, minutes", async ({ open }) => {
  const home = homeWith(threeScouts);
  const editor = await initialized(open(home));
  const { sessionId } = await editor.open(home.project);
  const ask = async (text: string): Promise<string> => {
    const from = editor.updates.length;
    await editor.prompt(sessionId, text);
    return editor.text(from);
  };
  await editor.agent.request("session/set_mode", { sessionId, modeId: "only:bob" });
  const alone = await ask("/try thinking");
  expect([alone.includes("**bob**"), alone.includes("**ada**")]).toStrictEqual([true, false]);
  await editor.agent.request("session/set_mode", { sessionId, modeId: "sequential" });
  await editor.until("the mode", () =>
    editor.updates.some((one) => one.sessionUpdate === "current_mode_update" && one.currentModeId === "sequential"),
  );
  expect(await ask("/mute cyd")).toBe("cyd is muted.");
  const muted = await ask("/try thinking");
  expect([muted.includes("**ada**"), muted.includes("**cyd**")]).toStrictEqual([true, false]);
  expect(await ask("/members")).toContain("**cyd** (embedded, scout), muted");
  expect(await ask("/unmute cyd")).toBe("cyd answers again.");
  expect(await ask("/mute nobody")).toContain('There is no member "nobody"');
  expect((await ask("/minutes")).length).toBeGreaterThan(20);
});

test.concurrent("plans and reported changes are shown as such", async ({ open }) => {
  const home = createHome();
  const editor = await initialized(open(home));
  const { sessionId } = await editor.open(home.project);
  await editor.prompt(sessionId, "/try plan");
  const plans = editor.updates.filter((update) => update.sessionUpdate === "plan");
  expect(plans.at(-1)?.entries.length).toBeGreaterThan(0);
  await editor.prompt(sessionId, "/try changes");
  const changes = [...editor.calls().values()].find((call) => call.title === "Changed files");
  expect(changes).toMatchObject({ kind: "edit", status: "completed" });
  await editor.prompt(sessionId, "/try error");
  expect(editor.text()).toContain("scout failed: This is the error that /try error asks for.");
});

test.concurrent("invalid requests are refused with errors of the protocol, and the connection stays open", async ({
  open,
}) => {
  const home = createHome();
  const editor = await initialized(open(home));
  const refused = async (work: Promise<unknown>): Promise<number> => {
    const error: unknown = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    return (error as { code: number }).code;
  };
  expect(await refused(editor.prompt("01ARZ3NDEKTSV4RRFFQ69G5FAV", "hi"))).toBe(-32002);
  expect(await refused(editor.agent.request("session/load", { sessionId: "../../x", cwd: "/", mcpServers: [] }))).toBe(
    -32002,
  );
  expect(await refused(editor.open("relative/place"))).toBe(-32602);
  expect(await refused(editor.open("/no/such/place"))).toBe(-32602);
  expect(await refused(editor.agent.request("no/such/method", {}))).toBe(-32601);
  expect(await refused(editor.agent.request("session/prompt", { sessionId: 7 } as never))).toBe(-32602);
  const { sessionId } = await editor.open(home.project);
  expect(await refused(editor.prompt(sessionId, "  "))).toBe(-32602);
  const image = { type: "image" as const, data: "AAAA", mimeType: "image/png" };
  expect(await refused(editor.agent.request("session/prompt", { sessionId, prompt: [image] }))).toBe(-32602);
  expect(await refused(editor.agent.request("session/set_mode", { sessionId, modeId: "only:__proto__" }))).toBe(-32602);
  editor.child.stdin.write("this is not JSON\n[1,2]\n");
  expect((await editor.prompt(sessionId, "/try silence")).stopReason).toBe("end_turn");
});

test.concurrent("when the editor disconnects, its turns are settled and the program ends", async ({ open }) => {
  const home = createHome();
  const editor = await initialized(open(home));
  const { sessionId } = await editor.open(home.project);
  void editor.prompt(sessionId, "/try hang").catch(() => {});
  await editor.until("its words", () => editor.text().includes("I hang now"));
  expect({ code: await editor.leave(), stderr: editor.stderr }).toEqual({ code: 0, stderr: "" });
  const { stdout } = await home.run(["sessions", "list", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject([{ sessionId, status: "interrupted" }]);
});

test.concurrent("an editor that leaves while it is asked causes no error", async ({ open }) => {
  const home = createHome();
  const editor = await initialized(open(home, { onPermission: () => new Promise(() => {}) }));
  const { sessionId } = await editor.open(home.project);
  void editor.prompt(sessionId, "/try approval").catch(() => {});
  await editor.until("request", () => editor.permissions.length > 0);
  expect({ code: await editor.leave(), stderr: editor.stderr }).toEqual({ code: 0, stderr: "" });
});

test.concurrent("after a kill, loading the session shows how its turn ended and asks for nothing", async ({ open }) => {
  const home = createHome();
  const killed = await initialized(open(home, { onPermission: () => new Promise(() => {}) }));
  const { sessionId } = await killed.open(home.project);
  void killed.prompt(sessionId, "/try approval").catch(() => {});
  await killed.until("request", () => killed.permissions.length > 0);
  killed.child.kill("SIGKILL");
  await killed.exit;
  const editor = await initialized(open(home));
  await editor.agent.request("session/load", { sessionId, cwd: home.project, mcpServers: [] });
  expect(editor.text()).toContain("was interrupted: the server was restarted");
  expect(editor.text()).toContain("A restart interrupted the discussion");
  expect(editor.permissions).toStrictEqual([]);
  expect(await editor.leave()).toBe(0);
});
