/** Scans an exported file before importing it: its identity and its errors. */
import { createHash } from "node:crypto";
import { RoundtableError } from "../../../src/protocol/index.ts";
import * as sessionLines from "./format/session-lines.ts";
import { linesIn } from "./lines-in-file.ts";

const WARNINGS_MAX = 100;

export interface FileSurvey {
  readonly header: sessionLines.Header;
  readonly hash: string;
  /** Of the last event that fits. */
  readonly lastSeq: number;
  readonly warnings: readonly string[];
}

/** The header of a file, if it is one of ours; reads no more than its first line. */
export async function readExportHeader(file: string): Promise<sessionLines.Header | undefined> {
  const reader = sessionLines.createLineReader();
  for await (const parsed of linesIn(file)) {
    const line = "bad" in parsed ? undefined : reader.read(parsed.value);
    return line?.kind === "header" ? line.header : undefined;
  }
  return undefined;
}

export async function surveyFile(file: string): Promise<FileSurvey> {
  const reader = sessionLines.createLineReader();
  const hash = createHash("sha256");
  const warnings = new Warnings(file);
  let header: sessionLines.Header | undefined;
  let events = 0;
  let lastSeq = 0;
  let end: number | undefined;
  for await (const parsed of linesIn(file, (chunk) => hash.update(chunk))) {
    const line = "bad" in parsed ? parsed : reader.read(parsed.value);
    if ("bad" in line) warnings.add(parsed.number, line.bad);
    else if (line.kind === "bad") warnings.add(parsed.number, line.what);
    else if (line.kind === "header") header = line.header;
    else if (line.kind === "damage") events += 1;
    else if (line.kind === "event") {
      events += 1;
      lastSeq = line.event.seq;
    } else if (line.kind === "end") end = line.events;
    if (header === undefined) {
      throw new RoundtableError("unsupported", `${file} is not an exported session: its first line is not a header.`);
    }
  }
  if (header === undefined) throw new RoundtableError("unsupported", `${file} is empty.`);
  if (end === undefined)
    warnings.addSentence(`${file} is truncated: its last line is missing; ${events} events were read.`);
  else if (end !== events) warnings.addSentence(`${file} declares ${end} events, but ${events} were read.`);
  return { header, hash: hash.digest("hex"), lastSeq, warnings: warnings.list };
}

class Warnings {
  readonly #file: string;
  #count = 0;
  readonly #list: string[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  add(number: number, what: string): void {
    this.#count += 1;
    if (this.#count <= WARNINGS_MAX) this.addSentence(`${this.#file}, line ${number}: ${what}.`);
  }

  addSentence(sentence: string): void {
    this.#list.push(sentence);
  }

  get list(): readonly string[] {
    const more = this.#count - WARNINGS_MAX;
    return more <= 0 ? this.#list : [...this.#list, `${more} more lines are invalid.`];
  }
}
