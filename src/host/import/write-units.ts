/**
 * Appends the new units of an external session to a log. Guarantees: a repeated import adds nothing, also of an older
 * copy; a turn that has grown replaces its earlier version; one that was cut by a kill is completed; every event has its
 * original time.
 */
import type { Clock } from "../../kit/clock.ts";
import { systemClock } from "../../kit/clock.ts";
import type { BlobStore, EventLog } from "../../log/index.ts";
import type { Attachment, BlobRef, EventDraft } from "../../protocol/index.ts";
import * as sessionFiles from "./builder/session-files.ts";
import { isCompared, isOlder, markOf, type KnownEvents } from "./known-events.ts";

/** Appended, but not yet flushed. */
const UNFLUSHED_MAX = 2_000;
/** Limit of versions of one turn. */
const VERSIONS_MAX = 10_000;
const CUT_OFF = "told_anew";
const TEXT = "text/plain; charset=utf-8";
const IMAGE_BYTES_MAX = 20 * 1024 * 1024;
const IMAGES_MAX = 32;
const MIME = /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/;

export interface SourceClock extends Clock {
  set(ms: number): void;
}

/** Returns the original time of the imported event; durations are measured as usual. */
export function createSourceClock(): SourceClock {
  let at: number | undefined;
  return { ...systemClock, now: () => at ?? systemClock.now(), set: (ms) => void (at = Math.floor(ms)) };
}

export interface WriteOptions {
  readonly log: EventLog;
  readonly clock: SourceClock;
  readonly known: KnownEvents;
  /** Source and native id. */
  readonly session: string;
}

export interface Written {
  /** Messages and turns. */
  readonly added: number;
  readonly notices: readonly string[];
}

export async function writeUnits(units: readonly sessionFiles.ImportUnit[], options: WriteOptions): Promise<Written> {
  const writer = new UnitWriter(options);
  for (const unit of units) await writer.write(unit);
  await options.log.flush();
  return { added: writer.added, notices: writer.notices };
}

class UnitWriter {
  added = 0;
  readonly notices: string[] = [];
  readonly #options: WriteOptions;
  /** By local name: a damaged file may use one twice. */
  readonly #occurrences = new Map<string, number>();
  #unflushed = 0;

  constructor(options: WriteOptions) {
    this.#options = options;
  }

  async write(unit: sessionFiles.ImportUnit): Promise<void> {
    const type = unit.drafts[0]?.draft.type;
    if (type === "turn_start") await this.#turn(unit);
    else if (type === "user_message") await this.#message(unit);
    else await this.#other(unit);
  }

  async #message(unit: sessionFiles.ImportUnit): Promise<void> {
    const drafts = sessionFiles.withIds(unit, { session: this.#options.session, version: 1 });
    const first = drafts[0]?.draft;
    if (first?.type === "user_message" && !this.#options.known.messages.has(first.messageId)) this.added += 1;
    await this.#append(drafts);
  }

  async #other(unit: sessionFiles.ImportUnit): Promise<void> {
    const drafts = sessionFiles.withIds(unit, { session: this.#options.session, version: 1 });
    const fresh = drafts.filter(({ draft }) => !this.#options.known.claims(draft));
    for (const { draft } of fresh) if (draft.type === "warning") this.notices.push(draft.message);
    await this.#append(fresh);
  }

  async #turn(unit: sessionFiles.ImportUnit): Promise<void> {
    const { known, session } = this.#options;
    const local = unit.drafts[0]?.draft.turnId ?? "";
    const part = (this.#occurrences.get(local) ?? 0) + 1;
    this.#occurrences.set(local, part);
    const idOf = (version: number): string => sessionFiles.turnIdOf({ session, version, part }, local);
    let version = 1;
    while (version < VERSIONS_MAX && known.turns.has(idOf(version + 1))) version += 1;
    const before = known.turns.get(idOf(version));
    const drafts = sessionFiles.withIds(unit, { session, version, part });
    if (before === undefined) {
      this.added += 1;
      return await this.#append(drafts);
    }
    const marks = drafts.filter(({ draft }) => isCompared(draft)).map(({ draft }) => markOf(draft));
    const isBeginning = before.marks.every((mark, at) => mark === marks[at]);
    if (isBeginning && before.marks.length === marks.length) return this.#claimInside(drafts);
    const all = drafts.map(({ draft }) => draft);
    if (isOlder(before, all, Math.floor(drafts.at(-1)?.ts ?? 0))) return this.#claimInside(drafts);
    this.added += 1;
    if (isBeginning && !before.hasEnded) return await this.#appendRest(drafts, before.marks.length);
    if (!before.hasEnded) await this.#cutOff(drafts, idOf(version));
    await this.#append(this.#replacementDrafts(unit, { session, version: version + 1, part }));
  }

  /** The turn and its subagents, each replacing its earlier version. */
  #replacementDrafts(unit: sessionFiles.ImportUnit, naming: sessionFiles.Naming): sessionFiles.TimedDraft[] {
    const { known } = this.#options;
    return sessionFiles.withIds(unit, naming).map((timed, at): sessionFiles.TimedDraft => {
      const { draft } = timed;
      const local = unit.drafts[at]?.draft.turnId ?? "";
      const replaces = sessionFiles.turnIdOf({ ...naming, version: naming.version - 1 }, local);
      if (draft.type !== "turn_start" || !known.seqOf.has(replaces)) return timed;
      return { ts: timed.ts, draft: { ...draft, replaces } };
    });
  }

  /** Marks events that are imported once as present, whichever turn contains them. */
  #claimInside(drafts: readonly sessionFiles.TimedDraft[]): void {
    for (const { draft } of drafts) if (draft.type === "compaction") this.#options.known.claims(draft);
  }

  async #appendRest(drafts: readonly sessionFiles.TimedDraft[], knownCount: number): Promise<void> {
    let at = 0;
    await this.#append(drafts.filter(({ draft }) => !isCompared(draft) || at++ >= knownCount));
  }

  async #cutOff(drafts: readonly sessionFiles.TimedDraft[], turnId: string): Promise<void> {
    const [first] = drafts;
    if (first === undefined || first.draft.type !== "turn_start") return;
    const { member } = first.draft;
    const draft: EventDraft = {
      type: "turn_end",
      turnId,
      member,
      outcome: "interrupted",
      reason: CUT_OFF,
      durationMs: 0,
      copied: true,
    };
    await this.#append([{ ts: first.ts, draft }]);
  }

  async #append(drafts: readonly sessionFiles.TimedDraft[]): Promise<void> {
    const { log, clock } = this.#options;
    for (const timed of drafts.filter(({ draft }) => this.#isFresh(draft))) {
      const draft = this.#withFirstKeptSeq(await withBodies(timed, log.blobs), timed.retainedFrom);
      clock.set(timed.ts);
      const [event] = log.append([draft]).events;
      if (event !== undefined) this.#remember(draft, event.seq);
      this.#unflushed += 1;
      if (this.#unflushed >= UNFLUSHED_MAX) {
        this.#unflushed = 0;
        await log.flush();
      }
    }
  }

  /** Steered messages and compactions stay when their turn is replaced. */
  #isFresh(draft: EventDraft): boolean {
    const { known } = this.#options;
    if (draft.type === "compaction") return !known.claims(draft);
    if (draft.type === "user_message") return !known.messages.has(draft.messageId);
    return draft.type !== "message_delivery" || !known.delivered.has(`${draft.messageId} ${draft.member}`);
  }

  #remember(draft: EventDraft, seq: number): void {
    const { known } = this.#options;
    if (draft.type === "user_message") {
      known.messages.set(draft.messageId, seq);
      known.seqOf.set(draft.messageId, seq);
    }
    if (draft.type === "turn_start") known.seqOf.set(draft.turnId, seq);
  }

  /** The first seq that the program kept; its own when unknown. */
  #withFirstKeptSeq(draft: EventDraft, retainedFrom: string | undefined): EventDraft {
    if (draft.type !== "compaction") return draft;
    const { known, session, log } = this.#options;
    const ids =
      retainedFrom === undefined
        ? []
        : [
            sessionFiles.messageIdOf(session, retainedFrom),
            sessionFiles.turnIdOf({ session, version: 1 }, retainedFrom),
          ];
    const firstKeptSeq = ids.map((id) => known.seqOf.get(id)).find((seq) => seq !== undefined);
    return { ...draft, firstKeptSeq: firstKeptSeq ?? Math.max(1, log.committedSeq) };
  }
}

/** Stores bodies that are too large for an event, and images; the event then refers to them. */
async function withBodies(timed: sessionFiles.TimedDraft, blobs: BlobStore): Promise<EventDraft> {
  const { draft, whole, images = [] } = timed;
  if (draft.type === "user_message") {
    const attachments = await storeImages(images, blobs);
    const textBlob = whole === undefined ? undefined : await blobs.put(Buffer.from(whole), TEXT);
    return { ...draft, attachments, ...(textBlob === undefined ? {} : { textBlob }) };
  }
  if (draft.type !== "tool_result" || draft.truncated === undefined || whole === undefined) return draft;
  const blob = await putIfPossible(whole, blobs);
  return blob === undefined ? draft : { ...draft, truncated: { ...draft.truncated, blob } };
}

/** An output beyond the limit of a blob is shown by its ends only, with its length. */
async function putIfPossible(text: string, blobs: BlobStore): Promise<BlobRef | undefined> {
  try {
    return await blobs.put(Buffer.from(text), TEXT);
  } catch (error) {
    if ((error as { code?: unknown }).code === "too_large") return undefined;
    throw error;
  }
}

async function storeImages(images: readonly sessionFiles.ExternalImage[], blobs: BlobStore): Promise<Attachment[]> {
  const stored: Attachment[] = [];
  for (const [at, { mime, base64 }] of images.slice(0, IMAGES_MAX).entries()) {
    const bytes = Buffer.from(base64, "base64");
    if (bytes.length === 0 || bytes.length > IMAGE_BYTES_MAX) continue;
    const type = MIME.test(mime) ? mime : "application/octet-stream";
    const ending = type.startsWith("image/") ? (type.slice("image/".length).split("+")[0] ?? "image") : "bin";
    stored.push({ name: `image-${at + 1}.${ending}`, mime: type, blob: await blobs.put(bytes, type) });
  }
  return stored;
}
