/** Sessions of other programs: Claude Code, Codex, Pi, sprout, assistant. */
import type { DiscoveryResult, ExternalSessionInfo } from "../../../host/index.ts";
import { localTime } from "../../terminal/format.ts";
import { noteLine } from "../../../kit/failure.ts";
import { note } from "../../terminal/stdout.ts";
import type { Importable, ImportFormat } from "./formats.ts";

const NAMES = ["claude", "codex", "pi", "sprout", "assistant"];
const TITLE_CHARS_MAX = 60;

export const externalSessions: readonly ImportFormat[] = NAMES.map((name) => ({
  name,
  async find(source) {
    const { findSessionsIn: findIn } = await import("../../../host/index.ts");
    return await chosen(name, `in ${source}`, () => findIn(source));
  },
  async findStored(cwd) {
    const { findStoredSessions } = await import("../../../host/index.ts");
    return await chosen(name, `kept ${cwd ?? ""}`, () => findStoredSessions(process.env, cwd));
  },
  async run({ path }, { dataDir, defaults, agentFactory }) {
    const { externalFormats, importExternalSession } = await import("../../../host/index.ts");
    const format = externalFormats.find((one) => one.name === name);
    if (format === undefined) throw new Error(`There is no reader of ${name}.`);
    const { cwd, settings, members } = defaults;
    return await importExternalSession({
      dataDir,
      format,
      path,
      cwd,
      settings,
      members,
      agentFactory,
      env: process.env,
    });
  },
}));

/** One look serves all formats: they lie in the same places. */
const findings = new Map<string, Promise<DiscoveryResult>>();

async function chosen(name: string, where: string, find: () => Promise<DiscoveryResult>): Promise<Importable[]> {
  const before = findings.get(where);
  const finding = before ?? find();
  findings.set(where, finding);
  const { sessions, remarks } = await finding;
  if (before === undefined) for (const remark of remarks) note(noteLine(remark));
  return sessions.filter(({ format }) => format === name).map(toImportable);
}

function toImportable({ format, path, title, messages, isMore, updatedMs, cwd }: ExternalSessionInfo): Importable {
  return {
    format,
    path,
    name: title.length > TITLE_CHARS_MAX ? `${title.slice(0, TITLE_CHARS_MAX - 1).toWellFormed()}…` : title,
    messages,
    remark: [localTime(updatedMs), ...(cwd === undefined ? [] : [cwd])].join(" · "),
    isMore,
    updatedMs,
    ...(cwd === undefined ? {} : { cwd }),
  };
}
