import type { Capabilities } from "../protocol/index.ts";

/** What most agent programs can do; each kind overrides where it differs. */
export const COMMON_CAPABILITIES: Capabilities = {
  steer: true,
  keepsContext: true,
  tools: true,
  requests: true,
  images: true,
  switchModel: true,
};

/** Programs that hold the conversation themselves, so only they can compact it. */
export const NATIVE_CAPABILITIES: Capabilities = { ...COMMON_CAPABILITIES, compact: "native" };
