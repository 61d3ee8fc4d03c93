/** What is attached to a message reaches each kind of agent: images as it takes them, texts quoted, the rest by name. */
import { afterEach, describe, expect, test } from "vitest";
import type { Agent, Attached, TurnInput } from "../../src/agents/index.ts";
import { startAcpFake } from "./acp/start-acp-fake.ts";
import { startClaude } from "./claude/start-claude.ts";
import { openHost } from "./codex/codex-host.ts";
import { text } from "./fakes/model-server.ts";
import { startOpenAi } from "./openai/start-openai.ts";
import { startPi } from "./pi/start-pi.ts";
import type { AgentProbe } from "./agent-probe.ts";

const PIXEL = Buffer.from("89504e470d0a1a0a01", "hex");
const BASE64 = PIXEL.toString("base64");
const image: Attached = { name: "a.png", mime: "image/png", bytes: PIXEL.length, data: PIXEL };
const note: Attached = { name: "note.txt", mime: "text/plain", bytes: 9, data: Buffer.from("two\nlines") };
const film: Attached = { name: "b.mp4", mime: "video/mp4", bytes: 7_000_000 };

const leaving: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const leave of leaving.splice(0)) await leave();
});

async function ask(probe: AgentProbe, attached: readonly Attached[]): Promise<void> {
  const attachments = attached.map(({ name, mime, bytes }) => ({
    name,
    mime,
    blob: { sha256: "0".repeat(64), bytes },
  }));
  const turn: TurnInput = { kind: "turn", turnId: "turn-1", self: "it", text: "hello", attachments, attached };
  probe.agent.send(turn);
  expect(await probe.next("turn_done")).toMatchObject({ outcome: "completed" });
}

const sees = (agent: Agent) => agent.capabilities.images;
const warnings = (probe: AgentProbe) =>
  probe.all("warning").flatMap(({ code, message }) => (code === "usage_estimated" ? [] : [`${code}: ${message}`]));

describe("images", () => {
  test("Claude Code gets images as blocks and a note about what it cannot see", async () => {
    const probe = await startClaude();
    leaving.push(() => probe.leave());
    await ask(probe, [image, film]);
    const lines = probe
      .got()
      .flatMap(({ line }) => (line === undefined ? [] : [JSON.parse(line) as Record<string, unknown>]));
    const user = lines.find((line) => line["type"] === "user") as { message: { content: Record<string, unknown>[] } };
    const { content } = user.message;
    expect(content.slice(1)).toEqual([
      { type: "image", source: { type: "base64", media_type: "image/png", data: BASE64 } },
    ]);
    expect(content[0]?.["text"]).toBe(
      'hello\n\n(Attached: an image named "a.png". You are shown it with this message.)\n\n(Attached: a file named "b.mp4", video/mp4, 7000000 bytes. It is not visible to you.)',
    );
    expect([warnings(probe), sees(probe.agent)]).toEqual([["attachments_not_seen: it does not see b.mp4."], true]);
  });

  test("Codex is given images by a data address beside the text", async () => {
    const host = openHost();
    leaving.push(() => host.close());
    const probe = await host.start();
    await ask(probe, [image]);
    const shown = host.log().flatMap((record) => record.shown ?? []);
    expect(shown).toEqual([{ type: "image", url: `data:image/png;base64,${BASE64}` }]);
    expect([warnings(probe), sees(probe.agent)]).toEqual([[], true]);
  });

  test("Pi is given images with its prompt", async () => {
    const probe = await startPi();
    leaving.push(() => probe.leave());
    await ask(probe, [image]);
    const lines = probe
      .got()
      .flatMap(({ line }) => (line === undefined ? [] : [JSON.parse(line) as Record<string, unknown>]));
    expect(lines.find((line) => line["type"] === "prompt")?.["images"]).toEqual([
      { type: "image", mimeType: "image/png", data: BASE64 },
    ]);
    expect([warnings(probe), sees(probe.agent)]).toEqual([[], true]);
  });

  test("an ACP agent gets images as blocks if it accepts them, else by name", async () => {
    const probe = await startAcpFake({ flags: ["--sees"] });
    leaving.push(() => probe.leave());
    await ask(probe, [image]);
    expect(probe.text()).toContain(`shown ${JSON.stringify([{ type: "image", mimeType: "image/png", data: BASE64 }])}`);
    expect([warnings(probe), sees(probe.agent)]).toEqual([[], true]);
    const blind = await startAcpFake();
    leaving.push(() => blind.leave());
    await ask(blind, [image]);
    expect(blind.text()).toContain('(Attached: an image named "a.png", image/png, 9 bytes. It is not visible to you.)');
    expect(warnings(blind)).toEqual(["attachments_not_seen: it does not see a.png."]);
  });

  test("the built-in agent sends images over either API", async () => {
    for (const api of ["chat", "responses"] as const) {
      const probe = await startOpenAi({ spec: { api } });
      if (api === "responses")
        probe.server.play([
          {
            status: 200,
            body: {
              output: [{ type: "message", content: [{ type: "output_text", text: "ok" }] }],
              status: "completed",
            },
          },
        ]);
      else probe.server.play(text("ok"));
      await ask(probe, [image]);
      const sent = JSON.stringify(probe.server.requests.at(-1)?.body);
      const url = `data:image/png;base64,${BASE64}`;
      expect(sent).toContain(
        JSON.stringify(
          api === "chat" ? { type: "image_url", image_url: { url } } : { type: "input_image", image_url: url },
        ),
      );
      expect([warnings(probe), sees(probe.agent)]).toEqual([[], true]);
    }
  });

  test("a model that rejects images is asked again without them, with a warning", async () => {
    const probe = await startOpenAi();
    const refusal = { error: { message: "Invalid content type. image_url is only supported by certain models." } };
    probe.server.play([{ status: 400, body: refusal }], text("without"));
    await ask(probe, [image]);
    expect(probe.text()).toBe("without");
    const last = probe.server.requests.at(-1)?.messages.at(-1)?.content ?? "";
    expect(last).toContain("(The images are not visible to you: this model does not support images.)");
    expect(warnings(probe).map((one) => one.split(":")[0])).toEqual(["no_images"]);
  });

  test("a text that was attached is quoted under the mark of the turn, for every kind", async () => {
    const probe = await startAcpFake();
    leaving.push(() => probe.leave());
    await ask(probe, [note]);
    const said = probe.text();
    const mark = /\[([\w-]{12}) begin: file "note\.txt", attached by the user\]/.exec(said)?.[1] ?? "";
    expect(said).toContain(`[${mark} begin: file "note.txt", attached by the user]\n> two\n> lines\n[${mark} end]`);
    expect(warnings(probe)).toEqual([]);
  });
});
