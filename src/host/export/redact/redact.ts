/** Redaction of keys, tokens, home paths and chosen terms, for every export format. */
export { type Range, type RedactedKind } from "./ranges.ts";
export { createRedactor, type RedactionCounts, type Redactor, type RedactorOptions } from "./redactor.ts";
export { blobsIn, createEventRedactor, userIn, type EventRedactor, type RedactedBlob } from "./redact-event.ts";
export { createSurvey, type Survey } from "./secret-survey.ts";
