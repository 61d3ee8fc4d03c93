/** What is attached to a message reaches each kind of agent: images as it takes them, texts quoted, the rest by name. */
import { afterEach, describe, expect, test } from "vitest";
import type { Agent, Attached, TurnInput } from "../../src/agents/index.ts";
import { seatAcpFake } from "./acp/seat-acp-fake.ts";
import { seatClaude } from "./claude/seat-claude.ts";
import { openHost } from "./codex/seat-codex.ts";
import { text } from "./fakes/model-server.ts";
import { seatOpenAi } from "./openai/seat-openai.ts";
import { seatPi } from "./pi/seat-pi.ts";
import type { TableOfOne } from "./table-of-one.ts";

const PIXEL = Buffer.from("89504e470d0a1a0a01", "hex");
const BASE64 = PIXEL.toString("base64");
const image: Attached = { name: "a.png", mime: "image/png", bytes: PIXEL.length, data: PIXEL };
const note: Attached = { name: "note.txt", mime: "text/plain", bytes: 9, data: Buffer.from("two\nlines") };
const film: Attached = { name: "b.mp4", mime: "video/mp4", bytes: 7_000_000 };

const leaving: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const leave of leaving.splice(0)) await leave();
});

async function ask(table: TableOfOne, attached: readonly Attached[]): Promise<void> {
  const attachments = attached.map(({ name, mime, bytes }) => ({
    name,
    mime,
    blob: { sha256: "0".repeat(64), bytes },
  }));
  const turn: TurnInput = { kind: "turn", turnId: "turn-1", self: "it", text: "hello", attachments, attached };
  table.agent.send(turn);
  expect(await table.next("turn_done")).toMatchObject({ outcome: "completed" });
}

const sees = (agent: Agent) => agent.capabilities.images;
const warnings = (table: TableOfOne) =>
  table.all("warning").flatMap(({ code, message }) => (code === "usage_estimated" ? [] : [`${code}: ${message}`]));

describe("images", () => {
  test("Claude Code is given images as blocks beside the text, and told of what it cannot see", async () => {
    const table = await seatClaude();
    leaving.push(() => table.leave());
    await ask(table, [image, film]);
    const lines = table
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
    expect([warnings(table), sees(table.agent)]).toEqual([["attachments_not_seen: it does not see b.mp4."], true]);
  });

  test("Codex is given images by a data address beside the text", async () => {
    const host = openHost();
    leaving.push(() => host.close());
    const table = await host.seat();
    await ask(table, [image]);
    const shown = host.log().flatMap((record) => record.shown ?? []);
    expect(shown).toEqual([{ type: "image", url: `data:image/png;base64,${BASE64}` }]);
    expect([warnings(table), sees(table.agent)]).toEqual([[], true]);
  });

  test("Pi is given images with its prompt", async () => {
    const table = await seatPi();
    leaving.push(() => table.leave());
    await ask(table, [image]);
    const lines = table
      .got()
      .flatMap(({ line }) => (line === undefined ? [] : [JSON.parse(line) as Record<string, unknown>]));
    expect(lines.find((line) => line["type"] === "prompt")?.["images"]).toEqual([
      { type: "image", mimeType: "image/png", data: BASE64 },
    ]);
    expect([warnings(table), sees(table.agent)]).toEqual([[], true]);
  });

  test("an ACP agent that says it takes images is given them as blocks; one that does not is told their names", async () => {
    const table = await seatAcpFake({ flags: ["--sees"] });
    leaving.push(() => table.leave());
    await ask(table, [image]);
    expect(table.text()).toContain(`shown ${JSON.stringify([{ type: "image", mimeType: "image/png", data: BASE64 }])}`);
    expect([warnings(table), sees(table.agent)]).toEqual([[], true]);
    const blind = await seatAcpFake();
    leaving.push(() => blind.leave());
    await ask(blind, [image]);
    expect(blind.text()).toContain('(Attached: an image named "a.png", image/png, 9 bytes. It is not visible to you.)');
    expect(warnings(blind)).toEqual(["attachments_not_seen: it does not see a.png."]);
  });

  test("the built-in agent sends images over either API", async () => {
    for (const api of ["chat", "responses"] as const) {
      const table = await seatOpenAi({ spec: { api } });
      if (api === "responses")
        table.server.play([
          {
            status: 200,
            body: {
              output: [{ type: "message", content: [{ type: "output_text", text: "ok" }] }],
              status: "completed",
            },
          },
        ]);
      else table.server.play(text("ok"));
      await ask(table, [image]);
      const sent = JSON.stringify(table.server.asked.at(-1)?.body);
      const url = `data:image/png;base64,${BASE64}`;
      expect(sent).toContain(
        JSON.stringify(
          api === "chat" ? { type: "image_url", image_url: { url } } : { type: "input_image", image_url: url },
        ),
      );
      expect([warnings(table), sees(table.agent)]).toEqual([[], true]);
    }
  });

  test("a model that refuses images is asked again without them, told so, and the user is told", async () => {
    const table = await seatOpenAi();
    const refusal = { error: { message: "Invalid content type. image_url is only supported by certain models." } };
    table.server.play([{ status: 400, body: refusal }], text("without"));
    await ask(table, [image]);
    expect(table.text()).toBe("without");
    const last = table.server.asked.at(-1)?.messages.at(-1)?.content ?? "";
    expect(last).toContain("(The images are not visible to you: this model does not support images.)");
    expect(warnings(table).map((one) => one.split(":")[0])).toEqual(["no_images"]);
  });

  test("a text that was attached is quoted under the mark of the turn, for every kind", async () => {
    const table = await seatAcpFake();
    leaving.push(() => table.leave());
    await ask(table, [note]);
    const said = table.text();
    const mark = /\[([\w-]{12}) begin: file "note\.txt", attached by the user\]/.exec(said)?.[1] ?? "";
    expect(said).toContain(`[${mark} begin: file "note.txt", attached by the user]\n> two\n> lines\n[${mark} end]`);
    expect(warnings(table)).toEqual([]);
  });
});
