import { describe, expect, test } from "vitest";
import { Command, granted } from "./commands.ts";
import { RoundtableError, toAnswerError } from "./errors.ts";
import { definitionOf, isKnownEvent, syncClassOf } from "./events.ts";
import { ClientFrame } from "./frames.ts";
import { protocolJsonSchema } from "./json-schema.ts";
import { safeDefault, UiRequestBody } from "./requests.ts";
import { MemberName } from "./values.ts";

const envelope = { seq: 1, epoch: 1, id: "01JN0000000000000000000000", ts: 1, sessionId: "01JN0000000000000000000001" };

describe("events", () => {
  test("[P5] a whole event passes its schema and a wrong field is named", () => {
    const schema = definitionOf("text_delta")?.schema;
    const good = { ...envelope, type: "text_delta", turnId: "t", member: "scout", segmentId: "s", text: "hi" };
    expect(schema?.safeParse(good).success).toBe(true);
    const bad = schema?.safeParse({ ...good, text: 7 });
    expect(bad?.error?.issues.map((issue) => issue.path)).toEqual([["text"]]);
  });

  test("[P6] an unknown type is carried as one that matters", () => {
    expect(isKnownEvent({ type: "from_the_future" })).toBe(false);
    expect(syncClassOf("from_the_future")).toBe("sync");
  });
});

describe("commands", () => {
  test("[P7] a command without its id or with an unknown type is refused", () => {
    expect(Command.safeParse({ type: "clear" }).success).toBe(false);
    expect(Command.safeParse({ type: "explode", commandId: "1" }).success).toBe(false);
    expect(Command.safeParse({ type: "clear", commandId: "1" }).success).toBe(true);
  });

  test("a frame carries a command only when the command itself is whole", () => {
    const frame = (command: unknown) => ({ frame: "command", sessionId: "s", command });
    expect(ClientFrame.safeParse(frame({ type: "mute", commandId: "1", member: "scout" })).success).toBe(true);
    expect(ClientFrame.safeParse(frame({ type: "mute", commandId: "1", member: "Not A Name" })).success).toBe(false);
  });

  test("a grant is revoked only by the id that the list gave it", () => {
    const revoking = (more: object) => Command.safeParse({ type: "revoke_permission", commandId: "1", ...more });
    const permissionId = "a".repeat(64);
    expect([revoking({ permissionId }).success, revoking({ permissionId: "b", rule: "shell: ls" }).data]).toEqual([
      true,
      { type: "revoke_permission", commandId: "1", permissionId: "b" },
    ]);
    const refused = [{}, { permissionId: "" }, { permissionId: `${permissionId}a` }, { rule: "shell: ls" }];
    expect(refused.map((more) => revoking(more).success)).toEqual(Array(4).fill(false));
  });

  test("[P9] member names are short and lower-case, and none is all", () => {
    const accepted = ["scout", "a", "gpt-5_1"].map((name) => MemberName.safeParse(name).success);
    const refused = ["", "Scout", "1a", "a b", "a".repeat(33), "all members", "all"].map(
      (name) => MemberName.safeParse(name).success,
    );
    expect({ accepted, refused }).toEqual({ accepted: [true, true, true], refused: Array(7).fill(false) });
  });
});

describe("requests", () => {
  test("[P10] the safe default refuses what would act and cancels what only asks", () => {
    const methods = ["select", "confirm", "input", "editor", "approval", "question"] as const;
    expect(methods.map(safeDefault)).toEqual([null, false, null, null, false, null]);
    expect(UiRequestBody.safeParse({ method: "select", title: "t", options: [] }).success).toBe(false);
  });
});

describe("errors", () => {
  test("a thrown error becomes an answer with its code, and a foreign one is internal", () => {
    expect(toAnswerError(new RoundtableError("busy", "A turn runs.", { hint: "Wait." }))).toEqual({
      code: "busy",
      message: "A turn runs.",
      hint: "Wait.",
    });
    expect(toAnswerError(new Error("boom"))).toEqual({ code: "internal", message: "boom" });
    expect(toAnswerError("text")).toEqual({ code: "internal", message: "text" });
  });

  test("a refusal becomes an error with code, message and hint; a success is returned as it is", () => {
    const error = { code: "busy", message: "A turn runs.", hint: "Wait." } as const;
    expect(() => granted({ commandId: "1", ok: false, error })).toThrow(expect.objectContaining(error));
    const short = { code: "closed", message: "Gone." } as const;
    const thrown = () => granted({ commandId: "1", ok: false, error: short });
    expect(thrown).toThrow(expect.objectContaining({ ...short, hint: undefined }));
    const yes = { commandId: "1", ok: true, seq: 7 } as const;
    expect(granted(yes)).toBe(yes);
  });
});

describe("JSON schema", () => {
  test("[P12] every event and command has a JSON schema, generated", () => {
    const defs = protocolJsonSchema()["$defs"] as Record<
      "events" | "commands" | "frames",
      Record<string, { required?: string[] }>
    >;
    expect(Object.keys(defs.events)).toHaveLength(71);
    expect(Object.keys(defs.commands)).toHaveLength(31);
    const { client, server } = defs.frames as Record<string, object>;
    expect([Object.keys(client ?? {}).length, Object.keys(server ?? {}).length]).toEqual([15, 9]);
    const text = JSON.stringify(protocolJsonSchema());
    const references = new Set([...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path ?? ""));
    expect(references.size).toBeGreaterThan(0);
    for (const path of references) {
      const found = path
        .split("/")
        .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], JSON.parse(text));
      expect(found, path).toBeTypeOf("object");
    }
    expect(defs.events["turn_end"]?.required).toEqual(
      expect.arrayContaining(["seq", "epoch", "type", "turnId", "outcome", "durationMs"]),
    );
  });
});
