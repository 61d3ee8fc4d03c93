/**
 * A session as JSON lines: a header, every event as in the log, each blob in chunks before the first event that names
 * it, and a trailer with counts. Reading it back gives the same fold.
 */
export { blobLines, endLine, eventLine, headerLine, leftOutLine, type Header } from "./write-lines.ts";
export { createLineReader, type LineReader, type ReadLine } from "./read-lines.ts";
