/** Signed-in browsers in the settings, to revoke; and a code for another one. */
import { useEffect, useState } from "react";
import { inPlainSight } from "../format/plain-sight.ts";
import { formatWhen } from "../format/units.ts";
import { readDevice } from "../sign-in/device-key.ts";
import { useStore } from "../store/use-store.ts";
import { Badge, Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Section } from "./section.tsx";
import { readJson, type Settings } from "./use-settings.ts";

export function DevicesSection({ settings: { devices, revoke } }: { settings: Settings }) {
  const store = useStore();
  const [own, setOwn] = useState<string>();
  const [code, setCode] = useState("");
  useEffect(() => void readDevice().then((record) => setOwn(record?.device)), []);
  const newCode = (): Promise<boolean> =>
    store.guarded(async () => {
      const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"typed":true}' };
      setCode((await readJson<{ code: string }>(store, "/v1/codes", init)).code);
    });
  return (
    <Section
      id="devices"
      title="Devices"
      lead="Browsers that are signed in. Revoking one takes effect at once."
      action={
        <Button icon="plus" onClick={() => void newCode()}>
          Sign in another browser
        </Button>
      }
    >
      {code === "" ? null : (
        <div className="set-row" role="status">
          <span className="grow">
            Type this code at <code>{location.origin}</code> within a minute:
          </span>
          <code className="set-code">{code}</code>
        </div>
      )}
      {devices.map(({ id, name, createdTs, usedTs }) => (
        <div key={id} className="set-row">
          <Icon name={/phone|android/i.test(name) ? "smartphone" : "monitor"} size="l" />
          <div className="grow">
            <div className="set-name">
              {inPlainSight(name)} {id === own ? <Badge>This browser</Badge> : null}
            </div>
            <div className="fact">
              Signed in {formatWhen(createdTs)} · last seen {formatWhen(usedTs)}
            </div>
          </div>
          {id === own ? null : (
            <Button isSmall variant="deny" aria-label={`Revoke ${inPlainSight(name)}`} onClick={() => void revoke(id)}>
              Revoke
            </Button>
          )}
        </div>
      ))}
    </Section>
  );
}
