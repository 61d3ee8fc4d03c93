/** Text of the user, without what Codex adds in the user's name. */
import { type ExternalImage } from "../../../src/host/index.ts";
import { fieldsOf, listOf, recordsOf, textOf, type Fields } from "../../../src/kit/fields.ts";
import type { RolloutLine } from "./rollout-lines.ts";

export interface UserPrompt {
  readonly text: string;
  readonly images: readonly ExternalImage[];
  /** Paths of images whose content is only in the item that was sent to the model, one line before. */
  readonly localImages: readonly string[];
}

const DATA_URL = /^data:([^;,]+);base64,(.+)$/s;
/** Prefixes of texts that Codex sends in the user's name. */
const INJECTED = [
  "<environment_context>",
  "<user_instructions>",
  "<turn_aborted>",
  "<user_shell_command>",
  "<subagent_notification>",
  "<skill>",
  "# AGENTS.md instructions",
];

/** An explicit user message line. */
export function recordedPrompt({ type, payload }: RolloutLine): UserPrompt | undefined {
  if (type !== "event_msg") return undefined;
  if (payload["type"] === "user_message") {
    const images = listOf(payload["images"]).flatMap(imageOf);
    const localImages = listOf(payload["local_images"]).flatMap((path) => textOf(path) ?? []);
    return { text: textOf(payload["message"]) ?? "", images, localImages };
  }
  const item = payload["type"] === "item_completed" ? fieldsOf(payload["item"]) : undefined;
  return item?.["type"] === "UserMessage" ? promptOf(recordsOf(item["content"])) : undefined;
}

/** For files without such lines: user text that Codex did not add. */
export function inferredPrompt({ type, payload }: RolloutLine): UserPrompt | undefined {
  if (type !== "response_item" || payload["type"] !== "message" || payload["role"] !== "user") return undefined;
  const parts = recordsOf(payload["content"]);
  const own = parts.filter((part) => {
    const text = (textOf(part["text"]) ?? "").trimStart();
    return !INJECTED.some((beginning) => text.startsWith(beginning));
  });
  return own.length === 0 ? undefined : promptOf(own);
}

function promptOf(contents: readonly Fields[]): UserPrompt {
  const text = contents.flatMap((one) => textOf(one["text"]) ?? []).join("\n");
  const localImages = contents.flatMap((one) => (one["type"] === "local_image" ? (textOf(one["path"]) ?? []) : []));
  return { text, images: contents.flatMap((one) => imageOf(one["image_url"])), localImages };
}

/** The prompt with the content of its local images; those that are not in the file are named. */
export function withLocalImages(prompt: UserPrompt, sent: readonly ExternalImage[]): UserPrompt {
  const { text, images, localImages } = prompt;
  if (localImages.length === 0) return prompt;
  if (sent.length >= images.length + localImages.length) return { text, images: sent, localImages };
  return { ...prompt, text: [text, ...localImages.map((path) => `[image ${path}]`)].join("\n") };
}

function imageOf(url: unknown): ExternalImage[] {
  const [, mime, base64] = DATA_URL.exec(textOf(url) ?? "") ?? [];
  return mime === undefined || base64 === undefined ? [] : [{ mime, base64 }];
}
