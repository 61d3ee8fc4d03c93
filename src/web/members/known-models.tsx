/** Models that agents have offered in sessions of this browser, for where no session is open. */
import { useEffect, useState } from "react";
import { inPlainSight } from "../format/plain-sight.ts";
import { type KnownModel, readModels, storeModels } from "../store/local-storage.ts";
import { useHead } from "../store/use-store.ts";

/** Remembers what the members of the open session offer. */
export function useModelMemory(): void {
  const members = useHead((head) => head.members);
  const [stored] = useState(() => new WeakSet());
  useEffect(() => {
    for (const { name, models } of Object.values(members ?? {})) {
      if (models === undefined || stored.has(models)) continue;
      stored.add(models);
      storeModels(name, models);
    }
  }, [members, stored]);
}

/** The choices of a text field for an agent's model; a model that is not listed can be typed. */
export function ModelList({ id, agent }: { id: string; agent: string }) {
  const offered = useHead((head) => head.members[agent]?.models);
  const [remembered] = useState(() => readModels(agent));
  const models: readonly KnownModel[] = offered ?? remembered;
  if (models.length === 0) return null;
  return (
    <datalist id={id}>
      {models.map((model) => (
        <option key={model.id} value={model.id}>
          {inPlainSight(model.name ?? model.id)}
        </option>
      ))}
    </datalist>
  );
}
