/** Lists the models of a server with their context windows where known. Never rejects: an error gives an empty list. */
import type { Endpoint } from "./endpoint.ts";
import type { ModelAgentLimits } from "../limits.ts";
import { readText, type Fetch } from "./call-model.ts";
import { isFields } from "../../../kit/fields.ts";

export interface OfferedModel {
  readonly id: string;
  readonly windowTokens: number | undefined;
}

const MODELS_MAX = 5_000;
/** Models that cannot chat are not chosen automatically. */
const NOT_FOR_TALK = /embed|rerank|whisper|tts|dall-e|moderation|image|audio|realtime|transcribe/i;

export async function listModels(options: {
  endpoint: Endpoint;
  fetch: Fetch;
  limits: Pick<ModelAgentLimits, "listMs" | "listBytesMax">;
  signal: AbortSignal;
}): Promise<readonly OfferedModel[]> {
  const { endpoint, limits } = options;
  try {
    const response = await options.fetch(`${endpoint.baseUrl}/models`, {
      headers: { ...endpoint.headers, accept: "application/json" },
      redirect: "manual",
      // A real timer: it limits another process.
      signal: AbortSignal.any([options.signal, AbortSignal.timeout(limits.listMs)]),
    });
    const { text, isCut } = await readText(response, limits.listBytesMax);
    return response.ok && !isCut ? readModels(JSON.parse(text)) : [];
  } catch {
    // Not every server has a list; the caller reports that.
    return [];
  }
}

export function readModels(answer: unknown): OfferedModel[] {
  const data = isFields(answer) ? answer["data"] : answer;
  if (!Array.isArray(data)) return [];
  return data.slice(0, MODELS_MAX).flatMap((model: unknown) => {
    if (!isFields(model) || typeof model["id"] !== "string") return [];
    return [{ id: model["id"], windowTokens: windowOf(model) }];
  });
}

export function forTalk(models: readonly OfferedModel[]): readonly OfferedModel[] {
  return models.filter((model) => !NOT_FOR_TALK.test(model.id));
}

export function firstForTalk(models: readonly OfferedModel[]): string | undefined {
  return forTalk(models)[0]?.id;
}

const WINDOW_KEYS = [
  "loaded_context_length",
  "max_model_len",
  "context_length",
  "context_window",
  "max_context_length",
];

function windowOf(model: Readonly<Record<string, unknown>>): number | undefined {
  const meta = isFields(model["meta"]) ? model["meta"]["n_ctx"] : undefined;
  const tokens = [...WINDOW_KEYS.map((key) => model[key]), meta].find(
    (value) => typeof value === "number" && value > 0,
  );
  return typeof tokens === "number" ? tokens : undefined;
}
