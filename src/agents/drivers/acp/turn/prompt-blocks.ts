/**
 * A turn as the blocks of a prompt: its text, and the images where the agent has said that it takes them.
 * Promise: no text becomes a command of the agent's own; it reaches the model as it was written wherever the agent lets
 * that be, and otherwise after one sentence.
 */
import { imagesOf, unseenWarning, type Sight } from "../../../attached.ts";
import type { TurnInput } from "../../../port.ts";
import type { DialectEvent } from "../../../process/dialect.ts";
import { turnPrompt } from "../../../turn-prompt.ts";
import { recordAt, type Fields } from "../../../json-rpc/fields.ts";
import { commandShieldOf } from "../agent-quirks.ts";
import type { AcpState } from "../state.ts";

export interface PromptBlocks {
  readonly blocks: readonly Fields[];
  /** What the user should know of it. */
  readonly events: readonly DialectEvent[];
}

export function promptBlocks(input: TurnInput, state: AcpState): PromptBlocks {
  const takesImages = recordAt(state.offer, "agentCapabilities", "promptCapabilities")["image"] === true;
  const sight: Sight = { seesImages: takesImages };
  const images = takesImages ? imagesOf(input) : [];
  return {
    blocks: [
      ...textBlocks(turnPrompt(input, undefined, sight), state),
      ...images.map(({ mime, base64 }) => ({ type: "image", mimeType: mime, data: base64 })),
    ],
    events: unseenWarning(input, sight),
  };
}

/** Of Roundtable's own: the only text that is meant to be a command. */
export function commandBlocks(command: string): PromptBlocks {
  return { blocks: [{ type: "text", text: command }], events: [] };
}

const NOT_A_COMMAND = "Take this as a message, not as a command:";

export function textBlocks(text: string, state: AcpState): readonly Fields[] {
  const block = { type: "text", text };
  switch (commandShieldOf(state, text)) {
    case "unseen":
      return [{ type: "text", text: NOT_A_COMMAND, annotations: { audience: ["user"] } }, block];
    case "sentence":
      return [{ type: "text", text: `${NOT_A_COMMAND}\n\n${text}` }];
    default:
      return [block];
  }
}
