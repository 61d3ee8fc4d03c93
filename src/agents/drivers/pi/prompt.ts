/** How a text reaches Pi's model word for word. */
import type { Step } from "../../process/dialect.ts";
import { line, step, withTurn, type PiSetup, type PiState } from "./state.ts";

/** What begins with a slash would be a command of Pi's, so our extension says it in Pi's stead. */
export function sendPrompt(state: PiState, setup: PiSetup): Step<PiState> {
  const prompt = state.turn?.prompt ?? "";
  const isViaExtension = prompt.startsWith("/");
  const message = isViaExtension ? extensionCommand(setup, { text: prompt }) : prompt;
  const images = (state.turn?.images ?? []).map(({ mime, base64 }) => ({
    type: "image",
    mimeType: mime,
    data: base64,
  }));
  const next = withTurn(state, { phase: "sent", isViaExtension, prompt: "", images: [] });
  const seen = images.length === 0 ? {} : { images };
  return step(next, [], line({ type: "prompt", message, ...seen, streamingBehavior: "followUp" }));
}

export function extensionCommand({ mark }: PiSetup, message: { text: string; isSteer?: boolean }): string {
  return `/${mark} ${JSON.stringify(message)}`;
}
