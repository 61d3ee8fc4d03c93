/** Every trial, in the order of the report. */
import type { Scenario } from "./scenario.ts";
import { attackScenarios as attacks } from "./scenarios-attacks.ts";
import { guardScenarios as guards } from "./scenarios-guards.ts";
import { settingsScenarios as settings } from "./scenarios-settings.ts";
import { speechScenarios as speech } from "./scenarios-speech.ts";
import { toolScenarios as tools } from "./scenarios-tools.ts";

export const scenarios: readonly Scenario[] = [
  speech.text,
  speech.thinking,
  tools.tool,
  tools.granted,
  tools.refused,
  tools.agentsMessage,
  tools.agentsList,
  tools.userQuestion,
  tools.planUpdate,
  tools.confirm,
  speech.steer,
  speech.interruptText,
  speech.interruptTool,
  speech.resume,
  speech.resumeKilled,
  speech.resumeGone,
  speech.compact,
  speech.models,
  speech.providerError,
  speech.dropped,
  speech.parallel,
  guards.readOnly,
  guards.readOnlyBare,
  guards.refusedWrites,
  guards.refusedWritesBare,
  guards.asksFirst,
  guards.denied,
  guards.permitted,
  guards.saysUnguarded,
  guards.background,
  guards.reason,
  guards.writable,
  guards.profiles,
  settings.deniedClaude,
  settings.deniedPi,
  settings.hostileCheckout,
  settings.readsInSandbox,
  settings.readsBare,
  attacks.sandboxed,
  attacks.alone,
  attacks.planted,
];
