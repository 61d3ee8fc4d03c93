/**
 * Settings of linggen's clients: applied to new sessions at once, to existing ones with their next message. A saved
 * setting changes only what it names, so a model chosen in a session stays.
 */
import { isDeepStrictEqual } from "node:util";
import { newId } from "../../../src/kit/ids.ts";
import type { Json, MemberSpec, Settings } from "../../../src/protocol/index.ts";
import type { Head } from "../../../src/transcript/index.ts";
import * as linggen from "../format/linggen.ts";
import { runCommand, type CompatDeps, checkStoredSize } from "../../../src/server/index.ts";
import type { ClientStore } from "./client-store.ts";
import { CLIENT_ID } from "./session-reading.ts";

const SETTINGS_BYTES_MAX = 256 * 1024;

type Given = Readonly<Record<string, Json>>;

export interface SavedSettings {
  read(): Promise<Given>;
  /** Defaults are not stored, so that they follow the configuration. */
  save(given: Given, usual: Given): Promise<void>;
  members(): Promise<MemberSpec[]>;
  /** For a new session. */
  settings(): Promise<Settings>;
  noteCreated(sessionId: string): void;
  /** Called before a message is sent to an existing session. */
  bringUpToDate(head: Head): Promise<void>;
}

export function createSavedSettings(
  deps: Pick<CompatDeps, "host" | "clock" | "defaults">,
  store: ClientStore,
): SavedSettings {
  const { defaults } = deps;
  /** Members whose model was saved since the start, and whether the prompt was saved. */
  const changed = new Set<string>();
  let isPromptChanged = false;
  /** Sessions with all settings applied. */
  let upToDate = new Set<string>();

  const effectOf = (saved: Given) => linggen.settingsEffect(saved, defaults.members);
  const effect = async () => effectOf((await store.read()).settings);

  function promptWith({ prompt }: linggen.SettingsEffect): string | undefined {
    const prompts = [defaults.settings.prompt, prompt].filter((part) => part !== undefined);
    return prompts.length === 0 ? undefined : prompts.join("\n\n");
  }

  function note(before: linggen.SettingsEffect, after: linggen.SettingsEffect): void {
    const names = defaults.members.map(({ name }) => name);
    for (const name of names) if (before.models.get(name) !== after.models.get(name)) changed.add(name);
    if (before.prompt !== after.prompt) isPromptChanged = true;
    upToDate = new Set();
  }

  return {
    read: async () => (await store.read()).settings,
    async save(given, usual) {
      const known = linggen.withoutKeys({ ...given }) as Given;
      await store.change((stored) => {
        const before = effectOf(stored.settings);
        const next = Object.entries({ ...stored.settings, ...known });
        stored.settings = Object.fromEntries(next.filter(([name, value]) => !isDeepStrictEqual(value, usual[name])));
        checkStoredSize(stored.settings, SETTINGS_BYTES_MAX);
        note(before, effectOf(stored.settings));
      });
    },
    members: async () => linggen.membersWith(defaults.members, await effect()),
    async settings() {
      const prompt = promptWith(await effect());
      return { ...defaults.settings, ...(prompt === undefined ? {} : { prompt }) };
    },
    noteCreated: (sessionId) => void upToDate.add(sessionId),
    async bringUpToDate({ sessionId, members, settings }) {
      if ((changed.size === 0 && !isPromptChanged) || upToDate.has(sessionId)) return;
      const now = await effect();
      const wanted = linggen.membersWith(defaults.members, now).filter(({ name }) => changed.has(name));
      for (const { name, model } of wanted) {
        const member = Object.hasOwn(members, name) ? members[name] : undefined;
        if (member?.seated !== true || model === undefined || member.model === model) continue;
        await runCommand(deps, CLIENT_ID, sessionId, { type: "switch_model", commandId: newId(), member: name, model });
      }
      const prompt = promptWith(now) ?? "";
      if (isPromptChanged && prompt !== (settings?.prompt ?? "")) {
        await runCommand(deps, CLIENT_ID, sessionId, {
          type: "set_settings",
          commandId: newId(),
          settings: { prompt },
        });
      }
      upToDate.add(sessionId);
    },
  };
}
