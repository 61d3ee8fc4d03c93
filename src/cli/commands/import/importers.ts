/** Importers of the edges. Sessions that are one file each share one search of the disk. */
import type { Importable, Importer } from "../../../edge/index.ts";
import type { DiscoveryResult, ExternalFormat, ExternalSessionInfo } from "../../../host/index.ts";
import { edges, loadSessionFormats } from "../../edges.ts";
import { noteLine } from "../../../kit/failure.ts";
import { localTime } from "../../terminal/format.ts";
import { note } from "../../terminal/stdout.ts";

export async function loadImporters(): Promise<readonly Importer[]> {
  const offers = edges.flatMap((edge) => edge.importers ?? []);
  const importers = await Promise.all(offers.map(({ load }) => load()));
  return [...importers, ...createSessionImporters(await loadSessionFormats())];
}

const TITLE_CHARS_MAX = 60;

/** The first format that recognises a file imports it. */
function createSessionImporters(formats: readonly ExternalFormat[]): readonly Importer[] {
  const findings: Findings = new Map();
  return formats.map((format) => ({
    name: format.name,
    async find(source) {
      const { findSessionsIn } = await import("../../../host/index.ts");
      return await chosen(findings, format.name, `in ${source}`, () => findSessionsIn(source, formats));
    },
    async findStored(cwd) {
      const { findStoredSessions } = await import("../../../host/index.ts");
      const find = () => findStoredSessions(process.env, cwd, formats);
      return await chosen(findings, format.name, `kept ${cwd ?? ""}`, find);
    },
    async run({ path }, { dataDir, defaults, agentFactory }) {
      const { importExternalSession } = await import("../../../host/index.ts");
      const { cwd, settings, members } = defaults;
      const env = process.env;
      return await importExternalSession({ dataDir, format, path, cwd, settings, members, agentFactory, env });
    },
  }));
}

/** One search per location, shared by the formats. */
type Findings = Map<string, Promise<DiscoveryResult>>;

async function chosen(
  findings: Findings,
  name: string,
  where: string,
  find: () => Promise<DiscoveryResult>,
): Promise<Importable[]> {
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
