/** A turn as the blocks of a prompt: its text, and the images where the agent has said that it takes them. */
import { imagesOf, unseenWarning, type Sight } from "../attached.ts";
import type { TurnInput } from "../port.ts";
import type { DialectEvent } from "../process/dialect.ts";
import { turnPrompt } from "../turn-prompt.ts";
import { recordAt, type Fields } from "../json-rpc/fields.ts";

export interface PromptBlocks {
  readonly blocks: readonly Fields[];
  /** What the user should know of it. */
  readonly events: readonly DialectEvent[];
}

export function promptBlocks(input: TurnInput, offer: Fields): PromptBlocks {
  const takesImages = recordAt(offer, "agentCapabilities", "promptCapabilities")["image"] === true;
  const sight: Sight = { seesImages: takesImages };
  const images = takesImages ? imagesOf(input) : [];
  return {
    blocks: [
      { type: "text", text: turnPrompt(input, undefined, sight) },
      ...images.map(({ mime, base64 }) => ({ type: "image", mimeType: mime, data: base64 })),
    ],
    events: unseenWarning(input, sight),
  };
}
