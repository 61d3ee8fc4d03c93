/** Wire 002: sessions as the files that sprout lists and replays. */
export type { LogPart } from "./agent-log.ts";
export { createSproutWriter, type SproutWriter, type SproutWriterOptions } from "./session-writer.ts";
export { createSproutSurveyor, type SproutSurvey, type SproutSurveyor } from "./survey.ts";
