/**
 * Content blocks of a prompt: the text, and images where the agent accepts them.
 * Guarantee: no text becomes a command of the agent; it reaches the model as written where the agent allows that,
 * otherwise after one sentence.
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
  /** Warnings for the user. */
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

/** Command of Roundtable: the only text that is meant to be one. */
export function commandBlocks(command: string): PromptBlocks {
  return { blocks: [{ type: "text", text: command }], events: [] };
}

const NOT_A_COMMAND = "Treat this as a message, not as a command:";

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
