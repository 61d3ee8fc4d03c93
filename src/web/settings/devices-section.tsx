/** Devices that are signed in, and a card by which another one signs in: QR code, link and code. */
import { useCallback, useEffect, useState } from "react";
import { inPlainSight } from "../format/plain-sight.ts";
import { formatWhen } from "../format/units.ts";
import { readDevice } from "../sign-in/device-key.ts";
import { readOffer, type Offer } from "../sign-in/offer.ts";
import { visitProvider } from "../sign-in/provider.ts";
import { useStore } from "../store/use-store.ts";
import { Badge, Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Section } from "./section.tsx";
import { readJson, type Device, type Settings } from "./use-settings.ts";

export function DevicesSection({ settings: { devices, revoke } }: { settings: Settings }) {
  const store = useStore();
  const [own, setOwn] = useState<string>();
  const [offer, setOffer] = useState<Offer>();
  const [isAdding, setIsAdding] = useState(false);
  useEffect(() => void readDevice().then((record) => setOwn(record?.device)), []);
  useEffect(() => void readOffer().then(setOffer), []);
  return (
    <Section
      id="devices"
      title="Devices"
      lead="Browsers and machines that are signed in. Revoking one takes effect at once."
      action={
        <Button icon="plus" onClick={() => setIsAdding(!isAdding)} aria-expanded={isAdding}>
          Add a device
        </Button>
      }
    >
      {isAdding && offer !== undefined ? <NewDevice offer={offer} /> : null}
      {offer?.provider === undefined ? null : (
        <div className="set-row">
          <span className="grow">Sign in with your {inPlainSight(offer.provider)} account on other devices.</span>
          <Button onClick={() => void store.guarded(() => visitProvider("link"))}>Link account</Button>
        </div>
      )}
      {devices.map((device) => (
        <DeviceRow key={device.id} device={device} isOwn={device.id === own} onRevoke={() => void revoke(device.id)} />
      ))}
    </Section>
  );
}

function DeviceRow({ device, isOwn, onRevoke }: { device: Device; isOwn: boolean; onRevoke: () => void }) {
  const { name, createdTs, usedTs, scope, expiresTs } = device;
  return (
    <div className="set-row">
      <Icon name={/phone|android/i.test(name) ? "smartphone" : "monitor"} size="l" />
      <div className="grow">
        <div className="set-name">
          {inPlainSight(name)} {isOwn ? <Badge>This browser</Badge> : null}
          {scope === "read" ? <Badge>Read-only</Badge> : null}
        </div>
        <div className="fact">
          Signed in {formatWhen(createdTs)} · last seen {formatWhen(usedTs)}
          {expiresTs === undefined ? null : ` · until ${new Date(expiresTs).toLocaleDateString()}`}
        </div>
      </div>
      {isOwn ? null : (
        <Button isSmall variant="deny" aria-label={`Revoke ${inPlainSight(name)}`} onClick={onRevoke}>
          Revoke
        </Button>
      )}
    </div>
  );
}

const RIGHTS = [
  ["manage", "Everything"],
  ["use", "Sessions, but not devices"],
  ["read", "Read-only"],
] as const;
const DAYS = [
  ["", "Until revoked"],
  ["1", "One day"],
  ["7", "A week"],
  ["30", "30 days"],
  ["90", "90 days"],
] as const;

interface Codes {
  readonly link: string;
  readonly typed: string;
}

function NewDevice({ offer }: { offer: Offer }) {
  const store = useStore();
  const [scope, setScope] = useState("manage");
  const [days, setDays] = useState("");
  const [codes, setCodes] = useState<Codes>();
  const address = offer.url ?? location.origin;
  const renew = useCallback(
    () =>
      store.guarded(async () => {
        const limits = { scope, ...(days === "" ? {} : { days: Number(days) }) };
        const ask = async (typed: boolean): Promise<string> => {
          const body = JSON.stringify({ ...limits, typed });
          const init = { method: "POST", headers: { "content-type": "application/json" }, body };
          return (await readJson<{ code: string }>(store, "/v1/codes", init)).code;
        };
        setCodes({ link: `${address}/#code=${await ask(false)}`, typed: await ask(true) });
      }),
    [store, scope, days, address],
  );
  useEffect(() => void renew(), [renew]);
  return (
    <div className="set-row new-device">
      {codes === undefined || offer.url === undefined ? null : <QrCode text={codes.link} />}
      <div className="grow">
        <Choice label="Access" value={scope} options={RIGHTS} onChoose={setScope} />
        <Choice label="Stays signed in" value={days} options={DAYS} onChoose={setDays} />
        <p role="status">
          {offer.url === undefined ? "On this machine, open" : "Scan the code with the device, or open"}{" "}
          <code>{address}</code> and enter within a minute: <code className="set-code">{codes?.typed ?? "…"}</code>
        </p>
        {offer.url === undefined ? (
          <p className="fact">
            To let other machines reach this server, run <code>roundtable serve --listen</code>.
          </p>
        ) : null}
        {offer.isTeam && codes !== undefined ? (
          <p className="fact">
            In a terminal: <code className="new-device-link">roundtable join {`'${codes.link}'`}</code>
          </p>
        ) : null}
        <Button isSmall onClick={() => void renew()}>
          New code
        </Button>
      </div>
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [string, string])[];
  readonly onChoose: (value: string) => void;
}

function Choice({ label, value, options, onChoose }: ChoiceProps) {
  return (
    <label className="new-device-choice">
      {label}
      <select value={value} onChange={({ target }) => onChoose(target.value)}>
        {options.map(([id, text]) => (
          <option key={id} value={id}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Readers need an empty border. */
const BORDER = 4;

/** Black on white in both themes: readers expect it. */
function QrCode({ text }: { text: string }) {
  const [drawn, setDrawn] = useState<{ size: number; path: string }>();
  useEffect(() => {
    void import("lean-qr").then(({ generate }) => {
      const code = generate(text);
      let path = "";
      for (let y = 0; y < code.size; y += 1)
        for (let x = 0; x < code.size; x += 1) if (code.get(x, y)) path += `M${x} ${y}h1v1h-1z`;
      setDrawn({ size: code.size, path });
    });
  }, [text]);
  if (drawn === undefined) return <div className="qr" />;
  const side = drawn.size + 2 * BORDER;
  return (
    <svg className="qr" role="img" aria-label="QR code with the link" viewBox={`${-BORDER} ${-BORDER} ${side} ${side}`}>
      <path d={drawn.path} />
    </svg>
  );
}
