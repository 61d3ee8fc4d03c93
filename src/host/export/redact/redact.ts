/** Redaction of keys, tokens, home paths and chosen terms, for every export format. */
export { redactExcerpt, type WholeText } from "./excerpts.ts";
export { applyRanges, type Range, type RedactedKind } from "./ranges.ts";
export { createRedactor, type RedactionCounts, type Redactor, type RedactorOptions } from "./redactor.ts";
export { blobsIn, createEventRedactor, userIn, type EventRedactor, type RedactedBlob } from "./redact-event.ts";
export { createRangeStream, type RangeStream } from "./range-stream.ts";
export { createSurvey, type Survey } from "./secret-survey.ts";
