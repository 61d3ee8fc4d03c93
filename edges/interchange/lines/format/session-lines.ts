/**
 * A session as JSON lines: a header, then every event as it is in the log, each blob in pieces before the first event that
 * names it, and a line that says how much there was. What is read back gives the same fold.
 */
export { blobLines, endLine, eventLine, headerLine, leftOutLine, type Header } from "./write-lines.ts";
export { createLineReader, type LineReader, type ReadLine } from "./read-lines.ts";
