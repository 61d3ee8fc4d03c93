/**
 * Attachments of a turn, for agents that take text and possibly images: which are shown, which are quoted in the
 * prompt, and a line for each one the agent cannot see.
 */
import type { Attachment } from "../protocol/index.ts";
import type { Attached } from "./history.ts";
import type { AgentEvent, TurnInput } from "./port.ts";

export interface ShownImage {
  readonly name: string;
  readonly mime: string;
  readonly base64: string;
}

/** What the agent can be shown. */
export interface Sight {
  readonly seesImages?: boolean;
}

type Warning = Extract<AgentEvent, { type: "warning" }>;

const NAME_CHARS_MAX = 200;
const IMAGE = /^image\/(?:png|jpeg|gif|webp)$/;

function isImage({ mime }: Pick<Attached, "mime">): boolean {
  return IMAGE.test(mime);
}

/** Text attachments are quoted for every agent. */
function isText({ mime }: Pick<Attached, "mime">): boolean {
  return mime.startsWith("text/") || mime === "application/json";
}

function attachedOf({ attached, attachments }: Pick<TurnInput, "attached" | "attachments">): readonly Attached[] {
  return attached ?? attachments.map(({ name, mime, blob }) => ({ name, mime, bytes: blob.bytes }));
}

export function imagesOf(input: Pick<TurnInput, "attached" | "attachments">): ShownImage[] {
  return attachedOf(input).flatMap(({ name, mime, data }) =>
    data === undefined || !isImage({ mime }) ? [] : [{ name, mime, base64: Buffer.from(data).toString("base64") }],
  );
}

/** The attachments that `imagesOf` returns. */
export function shownAttachments({ attached, attachments }: Pick<TurnInput, "attached" | "attachments">): Attachment[] {
  return attachments.filter((one, at) => isImage(one) && attached?.[at]?.data !== undefined);
}

/** For programs that take images as data URLs. */
export function dataUrl({ mime, base64 }: ShownImage): string {
  return `data:${mime};base64,${base64}`;
}

/** Warns the user about attachments that the member cannot see. */
export function unseenWarning(input: TurnInput, sight: Sight = {}): Warning[] {
  const names = attachedOf(input).flatMap((one) => (isSeen(one, sight) ? [] : [one.name]));
  if (names.length === 0) return [];
  const message = `${input.self ?? "This member"} does not see ${names.join(", ")}.`;
  return [{ type: "warning", code: "attachments_not_seen", message }];
}

function isSeen(one: Attached, { seesImages = false }: Sight): boolean {
  return one.data !== undefined && (isText(one) || (isImage(one) && seesImages));
}

/** `quote` puts a body between the marks of the turn. */
export function attachedLines(
  input: TurnInput,
  sight: Sight,
  quote: (about: string, body: string) => string,
): string[] {
  return attachedOf(input).map((one) => {
    const name = shownName(one.name);
    if (!isSeen(one, sight)) {
      const what = isImage(one) ? "an image" : "a file";
      return `(Attached: ${what} named ${name}, ${one.mime}, ${one.bytes} bytes. It is not visible to you.)`;
    }
    if (isImage(one)) return `(Attached: an image named ${name}. You are shown it with this message.)`;
    return quote(`file ${name}, attached by the user`, Buffer.from(one.data ?? []).toString("utf8"));
  });
}

/** Escaped and on one line: a file name cannot pass for a line of the prompt. */
function shownName(name: string): string {
  return JSON.stringify(name.slice(0, NAME_CHARS_MAX)).replaceAll(/[\u0085\u2028\u2029]/g, " ");
}
